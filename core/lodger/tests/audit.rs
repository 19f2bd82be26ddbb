//! The audit log: what an agent did stands there before it is done, and nothing is done that cannot be written down.

use std::fs;

use lodger::audit::{Broken, Verified, verify};
use lodger::protocol::{AgentOptions, Auth, DeniedBy, DoneReason, Entry, Mode, PermissionAnswer};
use lodger::{AgentBuilder, ErrorCode};
use serde_json::{Value, json};

use crate::support::script::{says, shell, step, write};
use crate::support::*;

/// An agent in full-auto that writes its audit log beside its folder, and plays the steps.
fn audited(stage: &Stage, mode: Mode, steps: &[Value]) -> AgentBuilder {
    let options = AgentOptions {
        model: Some(stage.model(steps)),
        cwd: Some(stage.work("").display().to_string()),
        mode,
        audit: Some("../outside/audit.jsonl".to_owned()),
        ..AgentOptions::default()
    };
    lodger::Agent::builder().options(options).environment(environment())
}

fn text(stage: &Stage) -> String {
    fs::read_to_string(stage.outside("audit.jsonl")).unwrap()
}

fn records(stage: &Stage) -> Vec<Value> {
    text(stage).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn whole(stage: &Stage) -> Result<Verified, Broken> {
    verify(text(stage).as_bytes(), None)
}

fn kinds(stage: &Stage) -> Vec<String> {
    records(stage).iter().map(|record| record["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_call_is_taken_down_from_its_request_to_its_result() {
    let stage = Stage::new();
    let agent = audited(&stage, Mode::Ask, &[write("f", "x"), says("done")])
        .on_permission(|_| async { PermissionAnswer::AllowAlways { rule: None, persist: None } })
        .create()
        .unwrap();
    play(&agent, "write").await;
    assert_eq!(
        kinds(&stage),
        [
            "turn_start",
            "tool_call",
            "decision",
            "request_opened",
            "request_resolved",
            "grant",
            "decision",
            "effect",
            "file_changed",
            "tool_result",
            "done",
        ]
    );
    let records = records(&stage);
    let id = &records[1]["toolCallId"];
    assert_eq!(records[1]["input"], json!({ "path": "f", "content": "x" }));
    assert_eq!((&records[2]["decision"], &records[2]["trace"][0]["by"]), (&json!("ask"), &json!("mode")));
    assert_eq!(records[4]["outcome"], "allowed_always");
    assert_eq!(records[7]["targets"], json!([stage.work("f")]));
    assert!(records[1..=9].iter().all(|record| record.get("toolCallId").is_none_or(|of| of == id)));
    assert!(records.iter().all(|record| record["sessionId"] == agent.session_id() && record["ts"].is_u64()));
    assert_eq!(whole(&stage).unwrap().records, 11);
}

#[tokio::test]
async fn a_refusal_is_taken_down_with_its_reason() {
    let stage = Stage::new();
    let agent = audited(&stage, Mode::Plan, &[write("f", "x"), says("done")]).create().unwrap();
    play(&agent, "write").await;
    assert_eq!(kinds(&stage), ["turn_start", "tool_call", "decision", "tool_denied", "tool_result", "done"]);
    let records = records(&stage);
    assert_eq!((&records[2]["decision"], &records[2]["by"]), (&json!("deny"), &json!("mode")));
    assert_eq!(records[3]["by"], "mode");
}

#[tokio::test]
async fn the_record_of_an_effect_stands_in_the_file_before_the_effect() {
    let stage = Stage::new();
    let line = "grep -c '\"type\":\"effect\"' ../outside/audit.jsonl";
    let agent = audited(&stage, Mode::FullAuto, &[shell(line), says("done")]).create().unwrap();
    let events = play(&agent, "look").await;
    assert!(look::result(&events).0.starts_with('1'), "{:?}", look::result(&events));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_cannot_be_written_down_does_not_happen() {
    let stage = Stage::new();
    let options = AgentOptions {
        model: Some(stage.model(&[write("f", "x"), says("done")])),
        cwd: Some(stage.work("").display().to_string()),
        mode: Mode::FullAuto,
        audit: Some("/dev/full".to_owned()),
        ..AgentOptions::default()
    };
    let agent = lodger::Agent::builder().options(options).environment(environment()).create().unwrap();
    let events = play(&agent, "write").await;
    assert!(!stage.work("f").exists());
    let by = look::entries(&events).find_map(|entry| match entry {
        Entry::ToolDenied { by, .. } => Some(*by),
        _ => None,
    });
    assert_eq!(by, Some(DeniedBy::Audit));
    look::ended(&events, DoneReason::EndTurn);
}

#[tokio::test]
async fn no_credential_stands_in_it() {
    let stage = Stage::new();
    let (held, looks_like) = ("the-key-of-this-agent", "ghp_abcdefghijklmnopqrstuvwxyz0123");
    let steps = [write("f", &format!("{held} {looks_like}")), says("done")];
    let mut options = AgentOptions {
        model: Some(stage.model(&steps)),
        cwd: Some(stage.work("").display().to_string()),
        mode: Mode::FullAuto,
        audit: Some("../outside/audit.jsonl".to_owned()),
        ..AgentOptions::default()
    };
    options.auth = Some(Auth::ApiKey { api_key: held.into() });
    let agent = lodger::Agent::builder().options(options).environment(environment()).create().unwrap();
    play(&agent, "write").await;
    assert!(stage.work("f").exists());
    let text = text(&stage);
    assert!(text.contains("[hidden] [hidden]") && !text.contains(held) && !text.contains(looks_like), "{text}");
}

#[tokio::test]
async fn a_large_call_is_cut_and_the_chain_stays_whole() {
    let stage = Stage::new();
    let agent =
        audited(&stage, Mode::FullAuto, &[write("f", &"x".repeat(1024 * 1024)), says("done")]).create().unwrap();
    play(&agent, "write").await;
    assert_eq!(fs::metadata(stage.work("f")).unwrap().len(), 1024 * 1024);
    assert!(text(&stage).lines().all(|line| line.len() < 64 * 1024));
    assert!(text(&stage).contains("bytes left out]"));
    whole(&stage).unwrap();
}

#[tokio::test]
async fn one_file_has_one_agent_until_that_is_closed() {
    let stage = Stage::new();
    let agent = || audited(&stage, Mode::Ask, &[step(&[]), says("done")]).create();
    let first = agent().unwrap();
    assert_code(agent(), ErrorCode::SessionLocked);
    first.close().await;
    let second = agent().unwrap();
    play(&second, "go on").await;
    whole(&stage).unwrap();
    drop(first);
}

#[tokio::test]
async fn a_file_that_is_no_whole_log_makes_no_agent() {
    let stage = Stage::new();
    fs::write(stage.outside("audit.jsonl"), "half a rec").unwrap();
    let refused = audited(&stage, Mode::Ask, &[says("done")]).create();
    let error = assert_code(refused, ErrorCode::InvalidOptions);
    assert!(error.message.contains("lodger audit verify"), "{error}");
    assert_eq!(text(&stage), "half a rec");
}
