//! `git` runs programs by its options, its settings and some of its commands.

use super::{Inner, Unwrapped};
use crate::shell::facts::{Role, Word};

/// Settings that name no program.
const HARMLESS: &[&str] = &[
    "advice.",
    "color.",
    "commit.gpgsign=false",
    "core.autocrlf",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.quotepath",
    "core.safecrlf",
    "init.defaultbranch",
    "pager.",
    "tag.gpgsign=false",
    "user.email",
    "user.name",
];

/// Commands and options that run what they are told, or what the settings say.
const RUNNING: &[&str] = &[
    "bisect",
    "difftool",
    "filter-branch",
    "mergetool",
    "--exec",
    "--exec-path",
    "--config-env",
    "--ext-diff",
    "--extcmd",
    "--open-files-in-pager",
    "--receive-pack",
    "--upload-pack",
    "--tree-filter",
    "--index-filter",
    "foreach",
    "for-each-repo",
];

pub(super) fn unwrap(arguments: &[Word]) -> Unwrapped {
    let mut inner = Vec::new();
    let mut unseen = false;
    let mut words = arguments.iter();
    let mut command = None;
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            return Unwrapped::hides("its options are not literal");
        };
        match text {
            "-c" => match words.next() {
                Some(Word::Literal(setting)) => unseen |= !is_harmless(setting, &mut inner),
                _ => return Unwrapped::hides("a setting is not literal"),
            },
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--attr-source" => {
                if words.next().and_then(Word::literal).is_none() {
                    return Unwrapped::hides("the value of an option is not literal");
                }
            }
            "--exec-path" | "--config-env" => unseen = true,
            _ if text.starts_with('-') => unseen |= is_running(text),
            _ => {
                command = Some(text);
                break;
            }
        }
    }
    let rest: Vec<_> = words.filter_map(Word::literal).collect();
    unseen |= command.is_some_and(|command| RUNNING.contains(&command)) || rest.iter().any(|word| is_running(word));
    unseen |= match command {
        Some("rebase") => rest.iter().any(|word| word.starts_with("-x")),
        Some("grep") => rest.iter().any(|word| word.starts_with("-O")),
        Some("config") => rest.iter().any(|word| is_program_setting(word)),
        _ => false,
    };
    if unseen {
        return Unwrapped { role: Role::RunsUnseen, inner, ..Unwrapped::acts() };
    }
    Unwrapped::runs(Role::Acts, inner)
}

fn is_running(word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    RUNNING.contains(&name) && (name.starts_with("--") || name == "foreach")
}

/// Whether a setting names no program; an alias that is shell code is taken out.
fn is_harmless(setting: &str, inner: &mut Vec<Inner>) -> bool {
    let lower = setting.to_ascii_lowercase();
    if let Some((_, code)) = setting.split_once("=!").filter(|_| lower.starts_with("alias.")) {
        inner.push(Inner::Code(code.to_owned()));
        return false;
    }
    HARMLESS.iter().any(|it| match it.strip_suffix('.') {
        Some("pager") => lower.starts_with("pager.") && (lower.ends_with("=false") || lower.ends_with("=cat")),
        Some(_) => lower.starts_with(it),
        None if it.contains('=') => lower == *it,
        None => lower.split('=').next() == Some(it),
    })
}

/// A setting through which git will run a program later.
fn is_program_setting(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    ["alias.", "core.", "diff.", "filter.", "gpg.", "merge.", "include", "credential.", "pager.", "sequence."]
        .iter()
        .any(|it| lower.starts_with(it))
}
