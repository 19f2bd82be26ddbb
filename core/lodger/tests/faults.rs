//! Whatever goes wrong between us and the provider ends the turn once, with an error that says what it was; the
//! agent takes the next prompt, and what the provider is then sent is in order.

use std::collections::BTreeMap;

use lodger::protocol::{Content, DoneReason, Entry, Error, Limits, Mode, StopReason};
use lodger::{Agent, ErrorCode};
use lodger_kit::{MockOptions, WireFault};
use serde_json::{Value, json};

use crate::support::script::{call, repeat, said, says, step};
use crate::support::*;

fn status(status: u16) -> WireFault {
    WireFault::Status { status, headers: BTreeMap::new(), body: None }
}

fn status_with(status: u16, headers: &[(&str, &str)], body: &str) -> WireFault {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    WireFault::Status { status, headers, body: Some(body.to_owned()) }
}

/// Plays a turn whose first request meets a fault, sees the error in `done` and in the result, and goes on.
async fn meets(steps: &[Value], limits: Limits, fault: WireFault) -> (Error, Value) {
    let server = faulty_server(steps, fault);
    // Nothing is sent again: each fault is met as it is.
    let agent = client(&server).limits(Limits { max_retries: 0, ..limits }).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    let events = read(&mut turn).await;
    let (reason, error) = look::whole(&events);
    let error = error.unwrap_or_else(|| panic!("ended as {reason:?} without an error"));
    assert_eq!(reason, DoneReason::Error);
    assert_eq!(turn.result().await.unwrap_err(), error);
    look::ended(&play(&agent, "go on").await, DoneReason::EndTurn);
    let body = server.stats().bodies.back().unwrap().clone();
    look::valid(&body);
    (error, body)
}

async fn meets_status(fault: WireFault) -> Error {
    meets(&[says("one")], Limits::default(), fault).await.0
}

#[tokio::test]
async fn each_refusal_of_the_provider_has_its_code() {
    let codes = [
        (400, ErrorCode::ProviderRejected),
        (401, ErrorCode::ProviderAuth),
        (403, ErrorCode::ProviderAuth),
        (404, ErrorCode::ModelNotFound),
        (413, ErrorCode::ProviderRejected),
        (429, ErrorCode::ProviderRateLimited),
        (500, ErrorCode::ProviderUnavailable),
        (503, ErrorCode::ProviderUnavailable),
        (529, ErrorCode::ProviderOverloaded),
        (302, ErrorCode::ProviderRejected),
    ];
    for (number, code) in codes {
        let error = meets_status(status(number)).await;
        assert_eq!(error.code, code, "{number}: {error}");
        assert!(error.message.contains(&number.to_string()), "{error}");
    }
}

#[tokio::test]
async fn a_rate_limit_says_how_long_to_wait() {
    let error = meets_status(status_with(429, &[("retry-after", "7")], "")).await;
    assert_eq!((error.retryable, error.retry_after_ms), (true, Some(7000)));
}

#[tokio::test]
async fn a_conversation_that_is_too_long_has_a_code_of_its_own() {
    let body = json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "prompt is too long: 9 > 8" } });
    let error = meets_status(status_with(400, &[], &body.to_string())).await;
    assert_eq!(error.code, ErrorCode::ContextOverflow);
    assert!(error.message.contains("prompt is too long: 9 > 8"), "the provider's own words: {error}");
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_malformed() {
    assert_eq!(meets_status(status_with(200, &[], "{}")).await.code, ErrorCode::ProviderMalformed);
}

#[tokio::test]
async fn a_cut_stream_keeps_what_had_arrived() {
    let deltas = json!({ "type": "text", "text": "one two three four", "chunks": 9 });
    let server = faulty_server(&[step(&[deltas]), says("two")], WireFault::Cut { after_bytes: 900 });
    let agent = client(&server).create().unwrap();
    let events = play(&agent, "hello").await;
    look::failed(&events, ErrorCode::ProviderStreamCut);
    let said = look::text(&events);
    assert!(!said.is_empty() && "one two three four".starts_with(&said));
    assert!(look::entries(&events).any(|entry| matches!(
        entry,
        Entry::AssistantMessage { content, stop_reason: StopReason::Error, .. } if *content == [Content::text(&said)]
    )));
    look::ended(&play(&agent, "go on").await, DoneReason::EndTurn);
    look::valid(server.stats().bodies.back().unwrap());
}

#[tokio::test]
async fn a_stream_cut_at_any_byte_ends_as_cut() {
    let reply = step(&[said("some text"), call("none", json!({ "a": [1, 2, 3] }))]);
    let steps = [reply, says("two"), says("three")];
    let whole = server(&steps);
    play(&client(&whole).create().unwrap(), "hello").await;
    let length = usize::try_from(whole.stats().connections[0].bytes_written).unwrap();
    for after_bytes in (0..length).step_by(61) {
        for fault in [WireFault::Cut { after_bytes }, WireFault::End { after_bytes }] {
            let server = faulty_server(&steps, fault.clone());
            let agent = client(&server).create().unwrap();
            let (reason, error) = look::whole(&play(&agent, "hello").await);
            // Past the end of the stream there is nothing to cut.
            if let Some(error) = error {
                assert_eq!(
                    (reason, error.code),
                    (DoneReason::Error, ErrorCode::ProviderStreamCut),
                    "{fault:?}: {error}"
                );
            }
            look::whole(&play(&agent, "go on").await);
            look::valid(server.stats().bodies.back().unwrap());
        }
    }
}

#[tokio::test]
async fn a_call_whose_input_was_cut_never_runs() {
    let stage = Stage::new();
    let line = format!("touch {}", stage.work("made").display());
    let half = json!({ "type": "tool_call", "toolName": "run_shell", "input": { "command": line }, "chunks": 4 });
    let server = faulty_server(&[step(&[half]), says("two")], WireFault::Cut { after_bytes: 900 });
    let agent = client(&server)
        .cwd(stage.work("").display().to_string())
        .environment(environment())
        .mode(Mode::FullAuto)
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    look::failed(&events, ErrorCode::ProviderStreamCut);
    let kinds = look::kinds(&events);
    assert!(kinds.contains(&"tool_input_delta".to_owned()) && !kinds.contains(&"tool_call".to_owned()), "{kinds:?}");
    assert!(!stage.work("made").exists());
    look::ended(&play(&agent, "go on").await, DoneReason::EndTurn);
    look::valid(server.stats().bodies.back().unwrap());
}

#[tokio::test]
async fn a_frame_that_is_no_json_is_malformed() {
    let noise = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\n\n".to_owned();
    let fault = WireFault::Insert { after_events: 3, text: noise };
    let (error, _) = meets(&[says("one"), says("two")], Limits::default(), fault).await;
    assert_eq!(error.code, ErrorCode::ProviderMalformed);
}

#[tokio::test]
async fn an_error_within_the_stream_has_the_code_of_its_kind() {
    let event = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "too busy" } });
    let fault = WireFault::Insert { after_events: 3, text: format!("event: error\ndata: {event}\n\n") };
    let (error, _) = meets(&[says("one"), says("two")], Limits::default(), fault).await;
    assert_eq!(error.code, ErrorCode::ProviderOverloaded);
    assert!(error.retryable && error.message.contains("too busy"), "{error}");
}

#[tokio::test]
async fn a_provider_that_never_answers_is_a_timeout_that_names_its_limit() {
    let limits = Limits { first_byte_timeout_ms: 3000, ..Limits::default() };
    let (error, _) = meets(&[says("one")], limits, WireFault::Silence).await;
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("firstByteTimeoutMs"), "{error}");
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_a_timeout_that_names_its_limit() {
    let limits = Limits { gap_timeout_ms: 3000, ..Limits::default() };
    let (error, _) = meets(&[says("one"), says("two")], limits, WireFault::Stall { after_bytes: 700 }).await;
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("gapTimeoutMs"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let agent =
        Agent::builder().model("anthropic/mock").endpoint(endpoint(format!("http://{nobody}"))).create().unwrap();
    for prompt in ["hello", "again"] {
        let error = look::failed(&play(&agent, prompt).await, ErrorCode::ProviderUnavailable);
        assert!(error.message.contains(&nobody.port().to_string()), "{error}");
    }
}

#[tokio::test]
async fn a_failed_first_request_leaves_the_prompt_in_the_conversation_once() {
    let (_, body) = meets(&[says("one")], Limits::default(), status(500)).await;
    assert_eq!(body["messages"].as_array().unwrap().len(), 1, "both prompts are one message of the user: {body:#}");
    let texts: Vec<_> = body["messages"][0]["content"].as_array().unwrap().iter().map(|block| &block["text"]).collect();
    assert_eq!(texts, ["hello", "go on"]);
}

#[tokio::test]
async fn a_panic_of_ours_ends_the_turn_and_not_the_agent() {
    let stage = Stage::new();
    let broken = json!({ "reply": [said("half")], "fault": { "type": "panic", "afterParts": 1 } });
    let agent = stage.agent(&[broken]).create().unwrap();
    let events = play(&agent, "hello").await;
    let error = look::failed(&events, ErrorCode::InternalPanic);
    assert!(error.message.contains("the script asks for this panic"), "{error}");
    look::failed(&play(&agent, "again").await, ErrorCode::InternalPanic);
    agent.close().await;
}

#[tokio::test]
async fn a_key_that_the_provider_repeats_is_shown_nowhere() {
    let key = "sk-ant-very-secret-0123456789";
    let echo =
        json!({ "type": "error", "error": { "type": "authentication_error", "message": format!("bad key {key}") } });
    let server = server_with(
        &[says("one")],
        MockOptions {
            faults: vec![lodger_kit::FaultRule::always(status_with(401, &[("x-echo", key)], &echo.to_string()))],
            ..MockOptions::default()
        },
    );
    let agent = client(&server).api_key(key).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    let events = read(&mut turn).await;
    let error = look::failed(&events, ErrorCode::ProviderAuth);
    assert!(error.message.contains("bad key"), "the rest of the words stays: {error}");
    let shown = [
        serde_json::to_string(&events).unwrap(),
        format!("{events:?} {error:?} {error} {agent:?} {turn:?} {:?}", agent.embedded()),
        serde_json::to_string(&agent.messages()).unwrap(),
        format!("{:?}", turn.result().await.unwrap_err()),
    ];
    for text in shown {
        assert!(!text.contains(key), "{text}");
    }
}

#[tokio::test]
async fn calls_that_a_reply_gives_the_same_id_have_a_result_each() {
    let named = |path: &str| {
        let input = json!({ "path": path, "content": path });
        json!({ "type": "tool_call", "toolCallId": "same", "toolName": "write_file", "input": input })
    };
    let stage = Stage::new();
    let server = server(&[step(&[named("one"), named("two")]), says("done"), says("again")]);
    let agent = client(&server).cwd(stage.work("").display().to_string()).mode(Mode::AutoEdit).create().unwrap();
    let events = play(&agent, "write both").await;
    look::ended(&events, DoneReason::EndTurn);
    let ids: Vec<_> = look::entries(&events)
        .filter_map(|entry| match entry {
            Entry::ToolCall { tool_call_id, .. } => Some(tool_call_id.to_string()),
            _ => None,
        })
        .collect();
    assert!(ids.len() == 2 && ids[0] == "same" && ids[1] != "same", "{ids:?}");
    assert!(stage.work("one").exists() && stage.work("two").exists());
    look::ended(&play(&agent, "go on").await, DoneReason::EndTurn);
    server.stats().bodies.iter().for_each(look::valid);
}

#[tokio::test]
async fn a_reply_past_its_bound_ends_the_turn_and_is_not_kept() {
    let stage = Stage::new();
    let piece = "x".repeat(1024 * 1024);
    let agent = stage.agent(&[step(&[repeat(&piece, 65)])]).create().unwrap();
    look::failed(&play(&agent, "talk").await, ErrorCode::ProviderMalformed);
    assert_eq!(agent.messages().len(), 1, "the prompt alone");
    agent.set_model(&stage.model(&[says("two")])).unwrap();
    look::ended(&play(&agent, "go on").await, DoneReason::EndTurn);
}

#[tokio::test]
async fn a_reply_within_its_bound_is_whole() {
    let stage = Stage::new();
    let agent = stage.agent(&[step(&[repeat(&"x".repeat(1024 * 1024), 64)])]).create().unwrap();
    let events = play(&agent, "talk").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(look::text(&events).len(), 64 * 1024 * 1024);
}
