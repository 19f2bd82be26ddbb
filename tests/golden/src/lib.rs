//! Golden traces: what a face's reader gets is the same in every language. See README.md beside.
//!
//! The runner prepares, the drivers play, [`compare`] judges; nothing else does.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "all of this is a test")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]
#![allow(clippy::disallowed_methods, reason = "the runner is a host: it reads its own environment")]

mod case;
mod driver;
mod normal;
mod rust;

pub use case::{Answer, CancelAfter, Case, HostBehaviour, Job, Reader, ToolBehaviour};
pub use driver::Face;
pub use normal::normalised;

/// Plays a case through a face and compares what its reader got with what is expected.
///
/// # Panics
/// When they differ, or when the driver fails: this is a test.
pub fn check(case: &str, face: Face) {
    let case = Case::load(case);
    let played = case.prepare();
    let Some(events) = face.play(&played) else { return };
    let trace = normalised(&events, &played.cwd());
    if face == Face::Rust && std::env::var_os("LODGER_BLESS").is_some() {
        std::fs::write(case.expected_file(), trace.join("\n") + "\n").expect("the case's folder can be written");
    }
    let expected = std::fs::read_to_string(case.expected_file()).unwrap_or_default();
    let trace = trace.join("\n") + "\n";
    assert!(expected == trace, "{}", difference(&expected, &trace));
}

fn difference(expected: &str, got: &str) -> String {
    let diff = similar::TextDiff::from_lines(expected, got);
    format!("the trace is not as expected:\n{}", diff.unified_diff().context_radius(2).header("expected", "got"))
}
