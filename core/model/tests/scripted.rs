//! The scripted model plays what its file says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use lodger_model::scripted::{Script, ScriptedModel};
use lodger_model::{Model, ModelEvent, ModelMessage, ModelRequest, RETRY_TIME, Reply};
use lodger_protocol::{Content, Effort, Error, ErrorCode, Role, StopReason, ToolSpec, Usage};
use serde_json::{Value, json};

fn model(script: Value) -> ScriptedModel {
    ScriptedModel::new("scripted/test", Script::parse(&script.to_string()).unwrap())
}

fn one(step: Value) -> ScriptedModel {
    model(json!({ "steps": [step] }))
}

fn user(text: &str) -> ModelMessage {
    ModelMessage { role: Role::User, content: vec![Content::text(text)], model: None }
}

fn assistant(text: &str) -> ModelMessage {
    ModelMessage { role: Role::Assistant, content: vec![Content::text(text)], model: None }
}

fn request(messages: Vec<ModelMessage>) -> ModelRequest {
    let tool = ToolSpec { name: "bash".to_owned(), description: String::new(), input_schema: Arc::new(json!({})) };
    ModelRequest {
        system: "Be brief.".into(),
        messages,
        tools: vec![tool].into(),
        max_output_tokens: 100,
        effort: Effort::Auto,
        retry_for: RETRY_TIME,
        output_schema: None,
    }
}

async fn events(model: &ScriptedModel, messages: Vec<ModelMessage>) -> Vec<ModelEvent> {
    model.stream(request(messages)).collect().await
}

async fn reply(model: &ScriptedModel, messages: Vec<ModelMessage>) -> Reply {
    match events(model, messages).await.pop() {
        Some(ModelEvent::Finished(reply)) => reply,
        other => panic!("no reply: {other:?}"),
    }
}

async fn failure(model: &ScriptedModel, messages: Vec<ModelMessage>) -> (Error, Reply) {
    match events(model, messages).await.pop() {
        Some(ModelEvent::Failed { error, partial }) => (error, partial),
        other => panic!("no failure: {other:?}"),
    }
}

#[tokio::test]
async fn the_step_is_the_number_of_assistant_messages_whoever_asks_and_how_often() {
    let script = json!({ "steps": [
        { "reply": [{ "type": "text", "text": "first" }] },
        { "reply": [{ "type": "text", "text": "second" }] },
    ] });
    let model = model(script);
    for _ in 0..2 {
        assert_eq!(reply(&model, vec![user("a")]).await.content, [Content::text("first")]);
        let later = vec![user("a"), assistant("first"), user("b")];
        assert_eq!(reply(&model, later).await.content, [Content::text("second")]);
    }
}

#[tokio::test]
async fn steps_that_have_run_out_fail_or_go_on_as_told() {
    let later = || vec![user("a"), assistant("x"), user("b"), assistant("y"), user("c"), assistant("z"), user("d")];
    let script = |after: &str| {
        json!({ "after": after, "steps": [
            { "reply": [{ "type": "text", "text": "first" }] },
            { "reply": [{ "type": "text", "text": "second" }] },
        ] })
    };
    let (error, _) = failure(&model(script("fail")), later()).await;
    assert_eq!(error.code, ErrorCode::ProviderRejected);
    assert!(error.message.contains("2 steps"), "{}", error.message);
    assert_eq!(reply(&model(script("last")), later()).await.content, [Content::text("second")]);
    assert_eq!(reply(&model(script("loop")), later()).await.content, [Content::text("second")]);
    assert_eq!(reply(&model(script("loop")), later()[..5].to_vec()).await.content, [Content::text("first")]);
}

#[tokio::test]
async fn a_text_is_split_as_told_and_whole_in_the_reply() {
    for (part, deltas) in [
        (json!({ "type": "text", "text": "abcdef" }), vec!["abcdef"]),
        (json!({ "type": "text", "text": "abcdef", "chunks": 3 }), vec!["ab", "cd", "ef"]),
        (json!({ "type": "text", "text": "äöü", "chunks": 4 }), vec!["ä", "ö", "ü"]),
        (json!({ "type": "text", "text": "ab", "chunks": 5 }), vec!["a", "b"]),
        (json!({ "type": "text", "text": ["a", "", "bcd"] }), vec!["a", "bcd"]),
        (json!({ "type": "repeat", "text": "ab", "count": 2 }), vec!["ab", "ab"]),
    ] {
        let mut found = events(&one(json!({ "reply": [part] })), vec![user("a")]).await;
        let Some(ModelEvent::Finished(reply)) = found.pop() else { panic!("no reply") };
        let expected: Vec<_> = deltas.iter().map(|text| ModelEvent::TextDelta((*text).to_owned())).collect();
        assert_eq!(found, expected, "{part}");
        assert_eq!(reply.content, [Content::text(deltas.concat())]);
    }
}

#[tokio::test]
async fn neighbouring_texts_are_one_block_and_a_call_parts_them() {
    let step = json!({ "reply": [
        { "type": "thinking", "text": "Hm, " }, { "type": "thinking", "text": "yes.", "signature": "s" },
        { "type": "thinking", "text": "More." },
        { "type": "text", "text": "a" }, { "type": "delay", "ms": 1 }, { "type": "repeat", "text": "b", "count": 2 },
        { "type": "tool_call", "toolName": "bash" },
        { "type": "text", "text": "c" },
    ] });
    let thinking = |text: &str, signature: Option<&str>| Content::Thinking {
        text: text.to_owned(),
        signature: signature.map(str::to_owned),
    };
    let call = Content::ToolCall { tool_call_id: "call_0_0".into(), tool_name: "bash".to_owned(), input: json!({}) };
    assert_eq!(
        reply(&one(step), vec![user("a")]).await.content,
        [thinking("Hm, yes.", Some("s")), thinking("More.", None), Content::text("abb"), call, Content::text("c"),]
    );
}

#[tokio::test]
async fn calls_have_the_same_ids_every_time() {
    let call = json!({ "type": "tool_call", "toolName": "bash", "input": { "command": "ls" } });
    let script = json!({ "steps": [{}, { "reply": [call, { "type": "text", "text": "and" }, call] }] });
    let reply = reply(&model(script), vec![user("a"), assistant(""), user("b")]).await;
    let ids: Vec<_> = reply
        .content
        .iter()
        .filter_map(|block| match block {
            Content::ToolCall { tool_call_id, .. } => Some(tool_call_id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["call_1_0", "call_1_1"]);
    assert_eq!(reply.stop_reason, StopReason::ToolUse);
}

#[tokio::test]
async fn input_may_be_text_that_is_not_json() {
    let call = json!({ "type": "tool_call", "toolName": "bash", "rawInput": "{\"command\": \"l", "chunks": 2 });
    let mut events = events(&one(json!({ "reply": [call] })), vec![user("a")]).await;
    let Some(ModelEvent::Finished(reply)) = events.pop() else { panic!("no reply") };
    assert_eq!(events.len(), 2);
    assert!(matches!(&reply.content[0], Content::ToolCall { input, .. } if input == "{\"command\": \"l"));
}

#[tokio::test]
async fn stop_reason_and_usage_are_as_told_and_else_derived_and_unknown() {
    let usage = json!({ "inputTokens": 10, "outputTokens": 2 });
    let told = reply(&one(json!({ "stopReason": "max_output_tokens", "usage": usage })), vec![user("a")]).await;
    assert_eq!(told.stop_reason, StopReason::MaxOutputTokens);
    assert_eq!(told.usage, Usage { input_tokens: Some(10), output_tokens: Some(2), ..Usage::default() });
    let silent = reply(&one(json!({})), vec![user("a")]).await;
    assert_eq!((silent.stop_reason, silent.usage), (StopReason::EndTurn, Usage::default()));
}

#[tokio::test]
async fn a_request_is_compared_with_what_the_step_expects() {
    let result = |text: &str, is_error| Content::ToolResult {
        tool_call_id: "c".into(),
        content: vec![Content::text(text)],
        is_error,
    };
    let asked = || {
        let results = vec![result("all good", false), result("went wrong", true)];
        vec![
            user("Fix the bug"),
            assistant("Looking"),
            ModelMessage { role: Role::User, content: results, model: None },
        ]
    };
    let play = |expect: Value| {
        let script = json!({ "steps": [{}, { "expect": expect }] });
        async move { events(&model(script), asked()).await.pop().unwrap() }
    };
    let results = json!([{ "contains": "good", "isError": false }, { "contains": "wrong", "isError": true }]);
    for right in [
        json!({}),
        json!({ "lastUserText": "the bug" }),
        json!({ "system": "brief", "tools": ["bash"], "absentTools": ["edit"] }),
        json!({ "toolResults": results }),
        json!({ "toolResults": [{}, {}] }),
    ] {
        assert!(matches!(play(right.clone()).await, ModelEvent::Finished(_)), "{right}");
    }
    for (wrong, shown) in [
        (json!({ "lastUserText": "the fox" }), ["the fox", "Fix the bug"]),
        (json!({ "system": "verbose" }), ["verbose", "Be brief."]),
        (json!({ "tools": ["bash", "edit"] }), ["edit", "[\"bash\"]"]),
        (json!({ "absentTools": ["bash"] }), ["none of", "bash"]),
        (json!({ "toolResults": [{ "contains": "good" }] }), ["good", "went wrong"]),
        (json!({ "toolResults": [{ "isError": true }, {}] }), ["true", "all good"]),
        (json!({ "toolResults": [] }), ["[]", "all good"]),
    ] {
        let ModelEvent::Failed { error, .. } = play(wrong.clone()).await else { panic!("{wrong} was accepted") };
        assert_eq!(error.code, ErrorCode::ProviderRejected);
        assert!(!error.retryable);
        for text in ["steps[1]", shown[0], shown[1]] {
            assert!(error.message.contains(text), "{text} is not in {}", error.message);
        }
    }
}

#[tokio::test]
async fn an_error_comes_with_its_code_and_what_was_said_before() {
    let step = |after: usize| {
        json!({
            "reply": [{ "type": "text", "text": "So far" }, { "type": "tool_call", "toolName": "bash" }],
            "usage": { "inputTokens": 10, "outputTokens": 2 },
            "fault": { "type": "error", "code": "provider_rate_limited", "message": "Slow down", "retryAfterMs": 5, "afterParts": after },
        })
    };
    let (error, partial) = failure(&one(step(1)), vec![user("a")]).await;
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::ProviderRateLimited, "Slow down"));
    assert_eq!((error.retryable, error.retry_after_ms), (true, Some(5)));
    assert_eq!(partial.content, [Content::text("So far")]);
    assert_eq!(partial.stop_reason, StopReason::Error);
    assert_eq!(partial.usage, Usage { input_tokens: Some(10), ..Usage::default() });
    let events = events(&one(step(0)), vec![user("a")]).await;
    assert_eq!(events.len(), 1, "nothing is said before the error: {events:?}");
}

#[tokio::test]
async fn a_cut_is_a_cut() {
    let step = json!({ "reply": [{ "type": "text", "text": "So" }], "fault": { "type": "cut", "afterParts": 1 } });
    let (error, partial) = failure(&one(step), vec![user("a")]).await;
    assert_eq!(error.code, ErrorCode::ProviderStreamCut);
    assert_eq!(partial.content, [Content::text("So")]);
}

#[tokio::test]
async fn a_panic_is_a_panic_when_the_stream_is_polled_and_not_before() {
    let model = one(json!({ "fault": { "type": "panic" } }));
    let mut stream = model.stream(request(vec![user("a")]));
    let caught = AssertUnwindSafe(stream.next()).catch_unwind().await;
    assert!(caught.is_err());
}

#[tokio::test]
async fn a_stall_never_ends() {
    let model = one(json!({ "fault": { "type": "stall" } }));
    let mut stream = model.stream(request(vec![user("a")]));
    assert!(tokio::time::timeout(Duration::from_millis(50), stream.next()).await.is_err());
}

#[tokio::test]
async fn a_wait_lasts_until_its_file_exists() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        json!({ "steps": [{ "reply": [{ "type": "wait", "file": "go" }, { "type": "text", "text": "Gone" }] }] });
    std::fs::write(folder.path().join("s.json"), script.to_string()).unwrap();
    let model = ScriptedModel::open("s.json", Some(folder.path())).unwrap();
    let mut stream = model.stream(request(vec![user("a")]));
    assert!(tokio::time::timeout(Duration::from_millis(50), stream.next()).await.is_err());
    std::fs::write(folder.path().join("go"), "").unwrap();
    assert_eq!(stream.next().await, Some(ModelEvent::TextDelta("Gone".to_owned())));
}

#[tokio::test]
async fn a_long_stream_is_made_as_it_is_read() {
    // More text than any machine holds.
    let step = json!({ "reply": [{ "type": "repeat", "text": "word ", "count": 1_000_000_000_000_u64 }] });
    let model = one(step);
    let taken: Vec<_> = model.stream(request(vec![user("a")])).take(100_000).collect().await;
    assert_eq!(taken.len(), 100_000);
}

#[test]
fn a_script_with_a_mistake_is_refused_with_its_place() {
    for (script, shown) in [
        (json!({ "steps": [] }), "at least one step"),
        (json!({ "steps": [{}], "afer": "loop" }), "afer"),
        (json!({ "steps": [{ "reply": [{ "type": "txt", "text": "a" }] }] }), "txt"),
        (json!({ "steps": [{ "reply": [{ "type": "text", "text": "a", "chunk": 2 }] }] }), "chunk"),
        (json!({ "steps": [{ "reply": [{ "type": "text", "text": ["a"], "chunks": 2 }] }] }), "chunks"),
        (json!({ "steps": [{}, { "stopReason": "cancelled" }] }), "steps[1]"),
        (
            json!({ "steps": [{ "reply": [{ "type": "tool_call", "toolName": "a", "input": {}, "rawInput": "" }] }] }),
            "rawInput",
        ),
        (json!({ "steps": [{ "fault": { "type": "error" } }] }), "code"),
        (json!({ "steps": [{ "fault": { "type": "error", "code": "session_busy" } }] }), "session_busy"),
        (json!({ "steps": [{ "fault": { "type": "cut", "code": "timeout" } }] }), "code"),
        (json!({ "steps": [{ "fault": { "type": "cut", "afterParts": 1 } }] }), "afterParts"),
    ] {
        let error = Script::parse(&script.to_string()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidOptions);
        assert!(error.message.contains(shown), "{shown} is not in {}", error.message);
    }
}
