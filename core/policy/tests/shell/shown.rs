//! The facts about a line as a few lines of text, as the table has them.

use std::fmt::Write as _;

use lodger_policy::shell::{
    Analysis, Direction, Folder, NotUnderstood, RedirectTarget, Role, SimpleCommand, Word, is_read_only,
};

/// The lines of the table; `⏎` stands for the end of a line within one.
pub(crate) fn lines() -> Vec<(String, String)> {
    include_str!("lines.txt")
        .split("\n$ ")
        .skip(1)
        .map(|block| {
            let (line, facts) = block.split_once('\n').unwrap();
            (line.replace('⏎', "\n"), facts.trim_end().to_owned())
        })
        .collect()
}

pub(crate) fn facts(analysis: &Analysis) -> String {
    let mut out = match analysis {
        Analysis::Understood(all) if all.all().iter().all(is_read_only) => "reads".to_owned(),
        Analysis::Understood(_) => "understood".to_owned(),
        Analysis::NotUnderstood { why, .. } => format!("not understood: {}", kind(why)),
    };
    for command in analysis.seen() {
        write!(out, "\n- {}", of_command(command)).unwrap();
    }
    out
}

fn kind(why: &NotUnderstood) -> &'static str {
    match why {
        NotUnderstood::Nothing => "nothing",
        NotUnderstood::TooLarge(_) => "too large",
        NotUnderstood::Character(_) => "character",
        NotUnderstood::Syntax(_) => "syntax",
        NotUnderstood::Program(_) => "program",
        NotUnderstood::Expansion(_) => "expansion",
        NotUnderstood::Builtin(_) => "builtin",
        NotUnderstood::Wrapper { .. } => "wrapper",
        NotUnderstood::Redirect(_) => "redirect",
        other => panic!("name {other:?} here"),
    }
}

fn of_command(command: &SimpleCommand) -> String {
    let mut parts = Vec::new();
    for assignment in &command.assignments {
        parts.push(format!("{}={}", assignment.name, word(&assignment.value)));
    }
    parts.push(word(&Word::Literal(command.program.clone())));
    parts.extend(command.arguments.iter().map(word));
    for redirect in &command.redirects {
        let sign = match redirect.direction {
            Direction::Read => "<",
            Direction::Write => ">",
            Direction::Append => ">>",
        };
        parts.push(match &redirect.target {
            RedirectTarget::File(path) => format!("{sign} {path}"),
            RedirectTarget::Stream => format!("{sign}&"),
            RedirectTarget::Text(text) => format!("{sign}{sign} {}", word(text)),
        });
    }
    if !command.inside.is_empty() {
        let names: Vec<_> = command.inside.iter().map(|inside| inside.name.as_str()).collect();
        parts.push(format!("(in {})", names.join(", ")));
    }
    let place = command.place;
    let notes = [
        (place.background, "background"),
        (place.piped, "piped"),
        (place.subshell, "subshell"),
        (place.substitution, "substitution"),
        (command.role == Role::Carries, "carries"),
        (command.role == Role::RunsUnseen, "unseen"),
    ];
    parts.extend(notes.iter().filter(|(is, _)| *is).map(|(_, note)| format!("({note})")));
    match &command.folder {
        Folder::Start => {}
        Folder::Moved(path) => parts.push(format!("(at {path})")),
        Folder::Unknown => parts.push("(at ?)".to_owned()),
    }
    parts.join(" ")
}

fn word(word: &Word) -> String {
    let shown = match word {
        Word::Varying { text, .. } => return format!("<{}>", text.replace('\n', "⏎")),
        Word::Literal(text) => text.replace('\n', "⏎").replace('\t', "⇥"),
    };
    if shown.is_empty() || shown.contains([' ', '<', '>', '(']) { format!("‹{shown}›") } else { shown }
}
