//! What is bounded is said.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use lodger_dev::constants::{Value, constants};
use lodger_dev::{files, limits};

#[test]
fn every_bound_in_the_code_is_described() {
    let faults = limits::faults(&files::root()).unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_values_of_constants_are_read_off_the_code() {
    let found = constants(&files::root()).unwrap();
    assert_eq!(found["core/net/src/framing/mod.rs::MAX_EVENT_BYTES"].value, Some(Value::Count(16 << 20)));
    assert_eq!(found["core/lodger/src/agent.rs::CLOSE"].value, Some(Value::Milliseconds(1000)));
}
