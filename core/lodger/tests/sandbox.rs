//! Agents whose commands are confined.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::sync::Arc;

use lodger::embed;
use lodger::protocol::{DoneReason, Entry, Error, ErrorCode, Event, SandboxKind, SandboxState};
use serde_json::{Value, json};

use crate::support::script::{calls, says, shell};
use crate::support::*;

fn create(options: &Value) -> Result<embed::Agent, Error> {
    embed::Agent::create(None, &options.to_string(), environment(), embed::Handlers::default())
}

/// The events of a turn under a sandbox; nothing where this system has none.
fn played(stage: &Stage, steps: &[Value], sandbox: Value) -> Option<Vec<Arc<Event>>> {
    played_with(stage, steps, json!({ "sandbox": sandbox }))
}

fn played_with(stage: &Stage, steps: &[Value], mut more: Value) -> Option<Vec<Arc<Event>>> {
    more["mode"] = json!("full-auto");
    let options = stage.options(steps, more);
    match create(&options) {
        Ok(agent) => Some(drain(&agent.prompt("\"go\"").unwrap())),
        Err(error) => {
            assert_eq!(error.code, ErrorCode::Unsupported, "{error}");
            println!("SKIPPED: {error}");
            None
        }
    }
}

fn state(events: &[Arc<Event>]) -> Option<SandboxState> {
    look::entries(events)
        .find_map(|entry| match entry {
            Entry::TurnStart { sandbox, .. } => Some(sandbox.clone()),
            _ => None,
        })
        .unwrap()
}

#[test]
fn a_confined_command_fails_where_it_would_leave_the_roots() {
    let stage = Stage::new();
    let line = format!("echo x > inside && echo x > {}", stage.outside("file").display());
    let Some(events) = played(&stage, &[shell(&line), says("ok")], json!("auto")) else { return };
    look::ended(&events, DoneReason::EndTurn);
    let (told, failed) = look::result(&events);
    assert!(failed && told.contains("denied"), "{told}");
    assert!(stage.work("inside").exists() && !stage.outside("file").exists());
}

#[test]
fn what_a_deny_rule_closes_cannot_be_read_by_a_program_that_never_names_it() {
    let stage = Stage::new();
    for name in ["keys/id", "beside"] {
        std::fs::create_dir_all(stage.outside("keys")).unwrap();
        std::fs::write(stage.outside(name), "hidden").unwrap();
    }
    stage.put("tool", &format!("cd {} && cat beside && cat k*s/i*", stage.outside("").display()));
    let closed = format!("read({}/**)", stage.outside("keys").display());
    let more = json!({ "sandbox": "auto", "deny": [closed] });
    let Some(events) = played_with(&stage, &[shell("sh tool"), says("ok")], more) else { return };
    let (told, failed) = look::result(&events);
    assert!(failed && told.matches("hidden").count() == 1, "{told}");
}

#[test]
fn every_turn_says_what_confines_its_commands() {
    let stage = Stage::new();
    if let Some(events) = played(&stage, &[says("ok")], json!({ "network": true })) {
        let expected = SandboxState { kind: SandboxKind::Landlock, network: true, missing: Vec::new() };
        assert_eq!(state(&events), Some(expected));
    }
    let events = played(&stage, &[says("ok")], json!("off")).unwrap();
    assert_eq!(state(&events), None);
}

#[test]
fn a_degraded_sandbox_that_is_accepted_is_never_an_error() {
    let stage = Stage::new();
    let sandbox = json!({ "kind": "bubblewrap", "degraded": "accept" });
    let events = played(&stage, &[says("ok")], sandbox).expect("it was accepted");
    let state = state(&events).unwrap();
    assert_eq!(state.kind == SandboxKind::Off, !state.missing.is_empty(), "{state:?}");
}

#[test]
fn files_that_the_agent_writes_itself_are_held_by_the_door_and_not_by_the_sandbox() {
    let stage = Stage::new();
    let path = stage.outside("file");
    let steps = [calls("write_file", json!({ "path": path, "content": "x" })), says("ok")];
    let Some(events) = played(&stage, &steps, json!("auto")) else { return };
    look::ended(&events, DoneReason::EndTurn);
    assert!(path.exists());
}

#[test]
fn what_is_no_sandbox_is_refused_with_its_place() {
    let stage = Stage::new();
    let refused = |sandbox: Value| {
        let options = stage.options(&[says("ok")], json!({ "sandbox": sandbox }));
        assert_code(create(&options).map(drop), ErrorCode::InvalidOptions).message
    };
    for wrong in [json!("jail"), json!({ "networks": true }), json!(true)] {
        let message = refused(wrong);
        assert!(message.starts_with("option sandbox: expected off, auto, landlock or bubblewrap"), "{message}");
    }
    let message = refused(json!({ "writableRoots": ["nowhere"] }));
    assert!(message.starts_with("option sandbox.writableRoots: expected an existing folder"), "{message}");
}

#[test]
fn a_sandbox_needs_a_folder_to_work_in() {
    let stage = Stage::new();
    let options = json!({ "model": stage.model(&[says("ok")]), "sandbox": "auto" });
    let message = assert_code(create(&options).map(drop), ErrorCode::InvalidOptions).message;
    assert!(message.contains("sandbox is set without cwd"), "{message}");
}
