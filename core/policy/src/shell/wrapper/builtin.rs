//! Builtins of the shell that run code, or change what later commands mean.

use super::{Inner, Unwrapped, joined};
use crate::shell::NotUnderstood;
use crate::shell::facts::{Assignment, Role, SimpleCommand, Word};

/// Builtins after which a name may mean something else, or that run code by ways of their own.
const CHANGING: &[&str] = &[
    ".",
    "alias",
    "bind",
    "compgen",
    "complete",
    "compopt",
    "coproc",
    "declare",
    "enable",
    "fc",
    "getopts",
    "hash",
    "history",
    "jobs",
    "let",
    "local",
    "mapfile",
    "readarray",
    "shopt",
    "source",
    "typeset",
    "unalias",
];

/// Why a builtin makes its line not understood.
pub(crate) fn builtin_objection(command: &SimpleCommand) -> Option<NotUnderstood> {
    let name = command.program.as_str();
    let literal = command.literal_arguments();
    let has = |wanted: &[&str]| command.arguments.iter().filter_map(Word::literal).any(|word| wanted.contains(&word));
    let changes = match name {
        "set" => literal.is_none_or(|words| !sets_harmlessly(&words)),
        // Names with a subscript are evaluated, and a subscript can hold a command.
        "read" | "unset" | "export" | "readonly" => {
            literal.is_none_or(|words| words.iter().any(|word| word.contains('[')))
        }
        "printf" => has(&["-v"]) || command.arguments.first().is_some_and(|word| matches!(word, Word::Varying { .. })),
        "wait" => has(&["-p"]),
        "test" => has(&["-v", "-R"]),
        name => CHANGING.contains(&name),
    };
    changes.then(|| NotUnderstood::Builtin(name.to_owned()))
}

/// `set -euo pipefail` and its like.
fn sets_harmlessly(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let letters = word.strip_prefix(['-', '+']).unwrap_or("?");
        let (letters, named) = letters.strip_suffix('o').map_or((letters, false), |letters| (letters, true));
        let known = letters.chars().all(|it| "eux".contains(it)) && (named || !letters.is_empty());
        let mode = !named || matches!(words.next(), Some(&("pipefail" | "errexit" | "nounset" | "xtrace")));
        if !known || !mode {
            return false;
        }
    }
    true
}

/// Variables that a builtin sets or takes away by name.
pub(crate) fn variables_set_by(command: &SimpleCommand) -> Vec<Assignment> {
    let names: &[Word] = match command.program.as_str() {
        "read" | "unset" | "export" | "readonly" => &command.arguments,
        _ => &[],
    };
    let gone = |text: &str| Word::Varying { text: text.to_owned(), stem: String::new(), splits: false };
    names
        .iter()
        .filter_map(Word::literal)
        .filter(|word| !word.starts_with('-') && !word.contains('='))
        .map(|name| Assignment { name: name.to_owned(), value: gone(name) })
        .collect()
}

/// `eval` reads its words, joined, as a line.
pub(super) fn eval(arguments: &[Word]) -> Unwrapped {
    match joined(arguments) {
        Some(code) if !code.is_empty() => Unwrapped::runs(Role::Carries, vec![Inner::Code(code)]),
        Some(_) => Unwrapped::acts(),
        None => Unwrapped::hides("its code is not literal"),
    }
}

/// `trap CODE SIGNAL...` runs the code later.
pub(super) fn trap(arguments: &[Word]) -> Unwrapped {
    let Some(words) = arguments.iter().map(Word::literal).collect::<Option<Vec<_>>>() else {
        return Unwrapped::hides("its code is not literal");
    };
    let words = if words.first() == Some(&"--") { words.get(1..).unwrap_or_default() } else { words.as_slice() };
    match words {
        [code, _, ..] if !code.is_empty() && !code.starts_with('-') => {
            Unwrapped::runs(Role::Carries, vec![Inner::Code((*code).to_owned())])
        }
        [code, ..] if code.len() > 1 && code.starts_with('-') && *code != "-p" && *code != "-l" => {
            Unwrapped::hides("an option is not known")
        }
        _ => Unwrapped::acts(),
    }
}
