//! Finding what escaped its process group, by the mark in its environment, and killing it.
//!
//! `env -i` removes the mark: such a process is not found. That is a known limit.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use super::os::{Process, processes};

/// How many times the processes are gone through at most.
const MAX_PASSES: usize = 200;
/// How many times a process without any environment is looked at.
const DOUBTS: usize = 2;
const PAUSE: Duration = Duration::from_millis(2);

/// The mark that all children of a run, or those of one command, carry in their environment.
pub(super) struct Mark(String);

impl Mark {
    /// The value of `LODGER_RUN` for command `number` of `run`.
    pub(super) fn value(run: &str, number: u64) -> String {
        format!("{run}/{number}")
    }

    /// Of every child of the run.
    pub(super) fn of_run(run: &str) -> Self {
        Self(format!("LODGER_RUN={run}/"))
    }

    /// Of the children of one command.
    pub(super) fn of_command(value: &str) -> Self {
        Self(format!("LODGER_RUN={value}\0"))
    }

    /// Whether the environment has it.
    pub(super) fn is_in(&self, environment: &[u8]) -> bool {
        environment.split_inclusive(|byte| *byte == 0).any(|entry| entry.starts_with(self.0.as_bytes()))
    }
}

/// Kills every process that carries the mark, and looks again until none is found. Bounded.
pub(super) fn sweep(mark: &Mark) {
    let mut doubts = 0;
    let mut doubted = BTreeSet::new();
    for _ in 0..MAX_PASSES {
        let seen = pass(mark);
        if seen.killed == 0 {
            // A process in the middle of an exec shows no environment. One that shows none again and again
            // has none.
            if doubts == DOUBTS || seen.bare.is_subset(&doubted) && doubts > 0 || seen.bare.is_empty() {
                return;
            }
            doubts += 1;
            doubted = seen.bare;
        }
        thread::sleep(PAUSE);
    }
}

#[derive(Default)]
struct Seen {
    killed: usize,
    bare: BTreeSet<i32>,
}

fn pass(mark: &Mark) -> Seen {
    let mut seen = Seen::default();
    for process in processes() {
        match judge(&process, mark) {
            Verdict::Ours => {
                process.kill_if(|environment| mark.is_in(environment));
                seen.killed += 1;
            }
            Verdict::Bare => {
                seen.bare.insert(process.number());
            }
            Verdict::Other => {}
        }
    }
    seen
}

enum Verdict {
    Ours,
    Bare,
    Other,
}

fn judge(process: &Process, mark: &Mark) -> Verdict {
    match process.environment() {
        Some(environment) if mark.is_in(&environment) => Verdict::Ours,
        Some(environment) if environment.is_empty() && process.has_program() => Verdict::Bare,
        _ => Verdict::Other,
    }
}

/// The names of those processes of a group, or with the mark, that can still write to one of these outputs.
pub(super) fn holders(group: i32, mark: &Mark, outputs: &[String]) -> Vec<String> {
    processes()
        .filter(|process| {
            process.group() == Some(group) || process.environment().is_some_and(|environment| mark.is_in(&environment))
        })
        .filter(|process| process.holds(outputs))
        .filter_map(|process| process.name())
        .take(MAX_NAMES)
        .collect()
}

/// How many names are told at most.
const MAX_NAMES: usize = 16;
