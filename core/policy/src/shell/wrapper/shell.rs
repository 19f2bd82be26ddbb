//! Shells: the text of `-c` is read like the line itself.

use super::{Inner, Unwrapped};
use crate::shell::facts::{Direction, RedirectTarget, Role, SimpleCommand, Word};

/// Shells whose language is near enough to be read as this one's: what they would read otherwise is not understood.
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"];

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name) || matches!(name, "csh" | "fish" | "nu" | "pwsh" | "powershell" | "tcsh" | "xonsh")
}

pub(super) fn unwrap(command: &SimpleCommand) -> Unwrapped {
    if !SHELLS.contains(&command.name()) {
        return Unwrapped::unseen();
    }
    let mut takes_code = false;
    let mut reads_profile = false;
    let mut words = command.arguments.as_slice();
    while let [first, rest @ ..] = words {
        let Some(word) = first.literal() else {
            return Unwrapped::hides("its options are not literal");
        };
        let is_option = word.len() > 1 && word.starts_with(['-', '+']);
        if !is_option || word == "--" {
            words = if word == "--" { rest } else { words };
            break;
        }
        words = rest;
        match word {
            "--noprofile" | "--norc" | "--posix" => {}
            "--login" => reads_profile = true,
            "-o" | "+o" | "-eo" | "-euo" | "-euxo" => match rest {
                [Word::Literal(option), rest @ ..]
                    if matches!(option.as_str(), "pipefail" | "errexit" | "nounset" | "xtrace") =>
                {
                    words = rest;
                }
                _ => return Unwrapped::hides("a mode of the shell is not known"),
            },
            "--version" | "--help" => return Unwrapped::acts(),
            _ if word.starts_with('-') && word.chars().skip(1).all(|it| "ceuxfvnli".contains(it)) => {
                takes_code |= word.contains('c');
                reads_profile |= word.contains(['l', 'i']);
            }
            _ => return Unwrapped::hides(format!("the option {word} is not known")),
        }
    }
    match (takes_code, words.first()) {
        (true, Some(Word::Literal(code))) => {
            let role = if reads_profile { Role::Acts } else { Role::Carries };
            Unwrapped::runs(role, vec![Inner::Code(code.clone())])
        }
        (true, _) => Unwrapped::hides("its code is not literal"),
        // A script is a program like any other.
        (false, Some(Word::Literal(script)))
            if script != "-" && !script.starts_with("/dev/") && !script.starts_with("/proc/") =>
        {
            Unwrapped::acts()
        }
        (false, Some(_)) => Unwrapped::hides("its script is not a file"),
        (false, None) => from_input(command),
    }
}

/// A shell that reads its code from a text in the line, or from what is not known.
fn from_input(command: &SimpleCommand) -> Unwrapped {
    let inputs: Vec<_> = command.redirects.iter().filter(|it| it.direction == Direction::Read).collect();
    match inputs.as_slice() {
        [only] if let RedirectTarget::Text(Word::Literal(code)) = &only.target => Unwrapped {
            hides: Some("it reads its code from its input".to_owned()),
            ..Unwrapped::runs(Role::Acts, vec![Inner::Code(code.clone())])
        },
        _ => Unwrapped::hides("it reads its code from its input"),
    }
}
