//! The narrowest rule that would have allowed a line, for a person to accept.

use super::facts::{Analysis, Role, SimpleCommand};
use super::program::is_runner;

/// Programs whose first word names a task that is safe to repeat with other words.
const TASKS: &[(&str, &[&str])] = &[
    ("cargo", &["bench", "build", "check", "clippy", "doc", "fmt", "nextest", "test"]),
    ("go", &["build", "test", "vet"]),
    ("npm", &["test"]),
    ("pnpm", &["test"]),
    ("yarn", &["test"]),
    ("dotnet", &["build", "test"]),
    ("gradle", &["build", "check", "test"]),
    ("mvn", &["compile", "test", "verify"]),
    ("swift", &["build", "test"]),
];

/// Programs that check or test and take the files to check as words.
const CHECKERS: &[&str] = &["eslint", "jest", "mypy", "pytest", "ruff", "tsc", "vitest"];

/// The patterns that would allow the line from now on, one for each command that needs one, each as it is to be shown
/// and kept. None where the line is not understood, or one of its commands is of a kind that no standing rule should
/// allow: a wrapper, an interpreter, words or variables that are not known.
///
/// A line of one command whose first words name a usual task gets `cargo test *`; everything else, and every command
/// of a longer line, only what was shown.
#[must_use]
pub fn suggest(analysis: &Analysis) -> Option<Vec<String>> {
    let commands: Vec<&SimpleCommand> = analysis.understood()?.to_allow().collect();
    let alone = commands.len() == 1;
    let mut patterns = Vec::new();
    for command in commands {
        let pattern = pattern(command, alone)?;
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    Some(patterns)
}

fn pattern(command: &SimpleCommand, alone: bool) -> Option<String> {
    let words = command.literal_arguments()?;
    let name = command.name();
    let runs_others = command.role != Role::Acts || !command.inside.is_empty() || is_runner(name);
    if command.program.is_empty() || runs_others || !command.assigns_harmlessly() {
        return None;
    }
    let bare = command.program == name;
    if bare && alone {
        let task = TASKS.iter().find(|(program, _)| *program == name);
        match (task, words.as_slice()) {
            (Some((_, tasks)), [task, ..]) if tasks.contains(task) => return Some(format!("{name} {task} *")),
            _ if CHECKERS.contains(&name) => return Some(format!("{name} *")),
            _ => {}
        }
        if let ("npm" | "pnpm" | "yarn", ["run", script, ..]) = (name, words.as_slice()) {
            return Some(format!("{name} run {} *", quoted(script)));
        }
    }
    let words: Vec<String> = [command.program.as_str()].into_iter().chain(words).map(quoted).collect();
    Some(words.join(" "))
}

/// A word as a pattern has it.
fn quoted(word: &str) -> String {
    let is_bare = |it: char| !it.is_whitespace() && !"*\\'\"".contains(it);
    if !word.is_empty() && word.chars().all(is_bare) {
        return word.to_owned();
    }
    if !word.contains('\'') {
        return format!("'{word}'");
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}
