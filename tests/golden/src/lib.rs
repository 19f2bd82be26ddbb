//! Golden traces: what a face's reader gets is the same in every language. See README.md beside.
//!
//! The runner prepares, the drivers play, [`check`] judges; nothing else does.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "all of this is a test")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]
#![allow(clippy::disallowed_methods, reason = "the runner is a host: it reads its own environment")]

mod case;
mod driver;
mod job;
mod normal;
mod rules;
mod rust;

use serde_json::Value;

pub use driver::Face;

/// What a driver wrote, in order.
pub(crate) struct Trace {
    /// What the reader got.
    pub(crate) events: Vec<Value>,
    /// What each turn came to, where the face tells it beside the events.
    pub(crate) results: Vec<Value>,
}

/// Plays a case through one way of reading a face, and compares what came with what is expected.
///
/// # Panics
/// When they differ, or when the driver fails: this is a test.
pub fn check(case: &str, face: Face, tap: &str) {
    let case = case::Case::load(case);
    let played = case.prepare(tap);
    let Some(trace) = face.play(&played) else { return };
    let turns = rules::check(&trace.events);
    if face != Face::StreamJson {
        rules::check_results(&turns, &trace.results);
    }
    let got = normal::normalised(&trace.events, &played.cwd()).join("\n") + "\n";
    if face == Face::Rust && std::env::var_os("LODGER_BLESS").is_some() {
        std::fs::write(case.expected_file(), &got).expect("the case's folder can be written");
    }
    let expected = std::fs::read_to_string(case.expected_file()).unwrap_or_default();
    assert!(expected == got, "{}", difference(&expected, &got));
}

fn difference(expected: &str, got: &str) -> String {
    let diff = similar::TextDiff::from_lines(expected, got);
    format!("the trace is not as expected:\n{}", diff.unified_diff().context_radius(2).header("expected", "got"))
}
