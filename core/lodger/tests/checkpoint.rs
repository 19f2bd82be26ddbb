//! A session as bytes, brought back later.

use lodger::ErrorCode;
use lodger::protocol::{DoneReason, Limits, Usage};
use serde_json::{Value, json};

use crate::support::script::{calls, says};
use crate::support::*;

fn counted(mut step: Value, tokens: u64) -> Value {
    step["usage"] = json!({ "inputTokens": tokens, "outputTokens": 1 });
    step
}

#[tokio::test]
async fn a_restored_agent_goes_on_where_the_first_one_stood() {
    let stage = Stage::new();
    stage.put("f", "content\n");
    let steps = [
        counted(calls("read_file", json!({ "path": "f" })), 10),
        counted(says("read"), 20),
        counted(json!({ "expect": { "lastUserText": "again" }, "reply": [{ "type": "text", "text": "third" }] }), 30),
    ];
    let first = stage.agent(&steps).create().unwrap();
    first.prompt("go").unwrap().result().await.unwrap();
    let bytes = first.checkpoint().unwrap();

    let second = stage.agent(&steps).checkpoint(bytes).create().unwrap();
    assert_ne!(second.session_id(), first.session_id(), "a session of its own");
    assert_eq!(second.messages(), first.messages());
    // The script answers by the number of replies in the request: the third step sees the history.
    let result = second.prompt("again").unwrap().result().await.unwrap();
    assert_eq!((result.text.as_str(), result.usage.input_tokens), ("third", Some(30)));
    assert_eq!(second.usage().session, Usage { input_tokens: Some(60), output_tokens: Some(3), ..Usage::default() });
}

#[tokio::test]
async fn an_interrupted_turn_is_kept_as_such_and_the_next_request_is_valid() {
    let server = server(&[json!({ "reply": [{ "type": "text", "text": "half" }, { "type": "delay", "ms": 60000 }] })]);
    let first = client(&server).create().unwrap();
    let mut turn = first.prompt("go").unwrap();
    read_to(&mut turn, "text_delta").await;
    turn.cancel();
    assert_eq!(turn.result().await.unwrap().reason, DoneReason::Cancelled);

    let after = crate::support::server(&[says("first"), says("whole")]);
    let second = client(&after).checkpoint(first.checkpoint().unwrap()).create().unwrap();
    second.prompt("again").unwrap().result().await.unwrap();
    let body = after.stats().bodies[0].clone();
    look::valid(&body);
    assert!(body["messages"][1].to_string().contains("half"), "{body}");
}

#[tokio::test]
async fn bytes_are_made_between_turns_and_before_closing_only() {
    let server = server(&[json!({ "reply": [{ "type": "delay", "ms": 60000 }] })]);
    let agent = client(&server).create().unwrap();
    let turn = agent.prompt("go").unwrap();
    assert_code(agent.checkpoint(), ErrorCode::SessionBusy);
    turn.cancel();
    turn.result().await.unwrap();
    assert!(agent.checkpoint().is_ok());
    agent.close().await;
    assert_code(agent.checkpoint(), ErrorCode::Closed);
}

#[tokio::test]
async fn no_secret_and_no_instruction_is_in_the_bytes() {
    let server = server(&[says("ok")]);
    let agent = client(&server).api_key("sk-very-secret").instructions("be brief").create().unwrap();
    agent.prompt("go").unwrap().result().await.unwrap();
    let text = String::from_utf8_lossy(&agent.checkpoint().unwrap()).into_owned();
    assert!(text.contains("\"go\"") && !text.contains("sk-very-secret") && !text.contains("be brief"), "{text}");
}

#[tokio::test]
async fn damaged_bytes_make_no_agent() {
    let stage = Stage::new();
    let mut bytes = stage.agent(&[says("ok")]).create().unwrap().checkpoint().unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    assert_code(stage.agent(&[says("ok")]).checkpoint(bytes).create(), ErrorCode::CheckpointCorrupt);
}

#[tokio::test]
async fn the_bound_is_an_option() {
    let stage = Stage::new();
    let limits = Limits { max_checkpoint_bytes: 50, ..Limits::default() };
    let agent = stage.agent(&[says("ok")]).limits(limits).create().unwrap();
    assert_code(agent.checkpoint(), ErrorCode::CheckpointTooLarge);
}
