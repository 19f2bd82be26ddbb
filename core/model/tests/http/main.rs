//! Real sockets: a model behind HTTP, against the mock server that plays scripts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod every_protocol;
mod platforms;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use lodger_kit::{FaultRule, MockOptions, MockServer, Stats, WireFault};
use lodger_model::auth::Credentials;
use lodger_model::catalogue::Catalogue;
use lodger_model::scripted::{Script, ScriptedModel};
use lodger_model::{Model, ModelEvent, ModelMessage, ModelRequest, ModelSource, RETRY_TIME, Reply, Watch};
use lodger_net::HttpClients;
use lodger_protocol::{
    Content, Effort, Endpoint, EndpointKind, Environment, Error, ErrorCode, Limits, Role, StopReason, Usage,
};
use serde_json::json;

const KEY: &str = "sk-test-0123456789";

fn script(value: serde_json::Value) -> Script {
    Script::parse(&value.to_string()).unwrap()
}

fn hello() -> Script {
    script(json!({ "steps": [{ "reply": [{ "type": "text", "text": "Hello" }] }], "after": "last" }))
}

/// Bounds with which nothing is sent again.
fn once() -> Limits {
    Limits { max_retries: 0, ..Limits::default() }
}

fn serve(script: Script, faults: Vec<FaultRule>) -> MockServer {
    MockServer::start_with(script, MockOptions { faults, ..Default::default() }).unwrap()
}

fn endpoint(base_url: String) -> Endpoint {
    Endpoint::new(EndpointKind::Anthropic, base_url)
}

fn model_at(base_url: String, limits: &Limits) -> Arc<dyn Model> {
    model_of(EndpointKind::Anthropic, base_url, limits)
}

fn model_of(kind: EndpointKind, base_url: String, limits: &Limits) -> Arc<dyn Model> {
    let credentials = Credentials::Key { key: KEY.into(), provider: None };
    let endpoint = Endpoint { kind, ..endpoint(base_url) };
    let source = ModelSource { endpoint: Some(endpoint), credentials, limits: limits.clone(), ..nowhere() };
    source.open("acme/model-x").unwrap()
}

/// Where models come from that need nothing.
fn nowhere() -> ModelSource {
    ModelSource {
        endpoint: None,
        credentials: Credentials::Environment,
        catalogue: Catalogue::default(),
        env: Environment::default(),
        limits: once(),
        cwd: None,
        transport: Arc::new(HttpClients::new()),
        watch: Watch::default(),
    }
}

fn model(server: &MockServer) -> Arc<dyn Model> {
    model_at(server.base_url(), &once())
}

fn request() -> ModelRequest {
    ModelRequest {
        system: "Be brief.".into(),
        messages: vec![ModelMessage { role: Role::User, content: vec![Content::text("Hi")], model: None }],
        tools: Vec::new().into(),
        max_output_tokens: 100,
        effort: Effort::Auto,
        retry_for: RETRY_TIME,
        output_schema: None,
    }
}

async fn ask(model: &Arc<dyn Model>) -> (Vec<ModelEvent>, Result<Reply, (Error, Reply)>) {
    let mut events: Vec<_> = model.stream(request()).collect().await;
    events.retain(|event| !matches!(event, ModelEvent::Usage(_)));
    let end = match events.pop() {
        Some(ModelEvent::Finished(reply)) => Ok(reply),
        Some(ModelEvent::Failed { error, partial }) => Err((error, partial)),
        other => panic!("no end: {other:?}"),
    };
    assert!(!events.iter().any(|event| matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed { .. })));
    (events, end)
}

async fn failure(model: &Arc<dyn Model>) -> Error {
    let (error, _) = ask(model).await.1.expect_err("a failure");
    for text in [error.to_string(), format!("{error:?}"), serde_json::to_string(&error).unwrap()] {
        assert!(!text.contains(KEY), "the key shows in {text}");
    }
    error
}

/// Waits for what the server will see, and no longer than a minute.
async fn until(server: &MockServer, seen: impl Fn(&Stats) -> bool) -> Stats {
    let start = Instant::now();
    loop {
        let stats = server.stats();
        if seen(&stats) {
            return stats;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "not seen: {stats:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn text_thought_and_calls_arrive_with_usage() {
    let server = MockServer::start(script(json!({ "steps": [{
        "reply": [
            { "type": "thinking", "text": "Let me see.", "chunks": 2, "signature": "sig==" },
            { "type": "redacted_thinking", "data": "opaque" },
            { "type": "text", "text": ["Grü", "ße 🌍"] },
            { "type": "tool_call", "toolName": "bash", "input": { "command": "ls" }, "chunks": 3 },
            { "type": "tool_call", "toolCallId": "mine", "toolName": "now" },
        ],
        "usage": { "inputTokens": 7, "outputTokens": 5, "cacheReadTokens": 3 },
    }] })))
    .unwrap();
    let (events, reply) = ask(&model(&server)).await;
    let kinds: Vec<_> = events
        .iter()
        .map(|event| match event {
            ModelEvent::ThinkingDelta(_) => 'k',
            ModelEvent::TextDelta(_) => 't',
            ModelEvent::ToolInputDelta { .. } => 'i',
            _ => '?',
        })
        .collect();
    assert_eq!(String::from_iter(kinds), "kkttiii");
    assert_eq!(
        reply.unwrap(),
        Reply {
            content: vec![
                Content::Thinking { text: "Let me see.".to_owned(), signature: Some("sig==".to_owned()) },
                Content::RedactedThinking { data: "opaque".to_owned() },
                Content::text("Grüße 🌍"),
                Content::ToolCall {
                    tool_call_id: "call_0_0".into(),
                    tool_name: "bash".to_owned(),
                    input: json!({ "command": "ls" }),
                },
                Content::ToolCall { tool_call_id: "mine".into(), tool_name: "now".to_owned(), input: json!({}) },
            ],
            stop_reason: StopReason::ToolUse,
            usage: Usage {
                input_tokens: Some(7),
                output_tokens: Some(5),
                cache_read_tokens: Some(3),
                ..Usage::default()
            },
        }
    );
}

#[tokio::test]
async fn a_script_sounds_the_same_in_process_and_over_the_wire() {
    let usage = json!({ "inputTokens": 7, "outputTokens": 5, "cacheReadTokens": 3, "cacheWriteTokens": 0 });
    let reply = json!([
        { "type": "thinking", "text": "Hm", "chunks": 2 },
        { "type": "thinking", "text": "", "signature": "only a signature" },
        { "type": "redacted_thinking", "data": "opaque" },
        { "type": "text", "text": "" },
        { "type": "tool_call", "toolName": "a" },
        { "type": "tool_call", "toolName": "b", "input": {} },
        { "type": "text", "text": "äöü \u{1f30d}\n", "chunks": 3 },
        { "type": "repeat", "text": "x", "count": 3 },
        { "type": "tool_call", "toolName": "c", "rawInput": "{\"half", "chunks": 2 },
    ]);
    let fault = |kind: &str, after: usize| json!({ "type": kind, "afterParts": after });
    let overload = json!({ "type": "error", "code": "provider_overloaded", "afterParts": 7 });
    for step in [
        json!({}),
        json!({ "reply": reply, "usage": usage }),
        json!({ "reply": reply, "stopReason": "max_output_tokens" }),
        json!({ "reply": reply, "stopReason": "refused", "usage": { "outputTokens": 1 } }),
        json!({ "reply": reply, "usage": usage, "fault": fault("cut", 6) }),
        json!({ "reply": reply, "usage": usage, "fault": fault("cut", 0) }),
        json!({ "reply": reply, "usage": usage, "fault": overload }),
    ] {
        let script = script(json!({ "steps": [step] }));
        let server = serve(script.clone(), vec![]);
        let here: Arc<dyn Model> = Arc::new(ScriptedModel::new("scripted/here", script));
        let (here, there) = (ask(&here).await, ask(&model(&server)).await);
        assert_eq!(here.0, there.0, "{step}");
        match (here.1, there.1) {
            (Ok(here), Ok(there)) => assert_eq!(here, there, "{step}"),
            (Err((here, partial)), Err((there, other))) => {
                assert_eq!((here.code, partial), (there.code, other), "{step}");
            }
            (here, there) => panic!("{here:?} but {there:?}: {step}"),
        }
    }
}

#[tokio::test]
async fn nothing_is_sent_before_the_stream_is_polled() {
    let server = serve(hello(), vec![]);
    let stream = model(&server).stream(request());
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(server.stats().connections.is_empty());
    drop(stream);
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = serve(hello(), vec![]);
    let model = model(&server);
    for _ in 0..5 {
        ask(&model).await.1.unwrap();
        // The pool takes a connection back a moment after its answer has ended.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let stats = server.stats();
    assert_eq!((stats.requests, stats.finished), (5, 5));
    assert!(stats.connections.len() < 5, "{stats:?}");
}

#[tokio::test]
async fn the_key_travels_with_the_request_and_a_wrong_one_is_said_without_showing_it() {
    let options = |key: &str| MockOptions { api_key: Some(key.to_owned()), ..Default::default() };
    let right = MockServer::start_with(hello(), options(KEY)).unwrap();
    ask(&model(&right)).await.1.unwrap();
    let wrong = MockServer::start_with(hello(), options("other")).unwrap();
    let error = failure(&model(&wrong)).await;
    assert_eq!(error.code, ErrorCode::ProviderAuth);
    assert!(error.message.contains("invalid x-api-key"), "{}", error.message);
}

#[tokio::test]
async fn a_provider_that_repeats_the_key_does_not_make_it_show() {
    let body = format!("{{\"error\":{{\"type\":\"authentication_error\",\"message\":\"no such key: {KEY}\"}}}}");
    let fault = WireFault::Status { status: 403, headers: BTreeMap::new(), body: Some(body) };
    let server = serve(hello(), vec![FaultRule::always(fault)]);
    let error = failure(&model(&server)).await;
    assert_eq!(error.code, ErrorCode::ProviderAuth);
    assert!(error.message.contains("no such key: [hidden]"), "{}", error.message);
}

#[tokio::test]
async fn a_key_does_not_show_in_part_either_wherever_the_provider_repeats_it() {
    let long = format!("{}{KEY}", "x".repeat(1940));
    let words = json!({ "error": { "type": KEY, "code": KEY, "message": long } });
    for (status, headers, body) in [
        (400, BTreeMap::new(), words.to_string()),
        (400, BTreeMap::new(), long),
        (200, BTreeMap::from([("content-type".to_owned(), format!("text/{KEY}"))]), String::new()),
    ] {
        let fault = WireFault::Status { status, headers, body: Some(body) };
        let server = serve(hello(), vec![FaultRule::always(fault)]);
        let error = failure(&model(&server)).await;
        let shown = serde_json::to_string(&error).unwrap();
        assert!(!shown.contains(&KEY[..6]) && shown.contains("[hidden]"), "{shown}");
        assert!(error.message.len() < 2100, "{}", error.message.len());
    }
}

#[tokio::test]
async fn each_status_has_its_code() {
    for (status, code) in [
        (400, ErrorCode::ProviderRejected),
        (401, ErrorCode::ProviderAuth),
        (403, ErrorCode::ProviderAuth),
        (404, ErrorCode::ModelNotFound),
        (413, ErrorCode::ProviderRejected),
        (429, ErrorCode::ProviderRateLimited),
        (500, ErrorCode::ProviderUnavailable),
        (503, ErrorCode::ProviderUnavailable),
        (529, ErrorCode::ProviderOverloaded),
    ] {
        let fault = WireFault::Status { status, headers: BTreeMap::new(), body: None };
        let server = serve(hello(), vec![FaultRule::always(fault)]);
        let error = failure(&model(&server)).await;
        assert_eq!(error.code, code, "{status}");
        assert!(error.message.contains(&status.to_string()), "{}", error.message);
        assert_eq!(server.stats().requests, 1, "no retry here");
    }
}

#[tokio::test]
async fn the_time_to_wait_is_told() {
    for (name, value, wait) in [
        ("retry-after", "3", 3000),
        ("retry-after-ms", "250", 250),
        ("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT", 0),
    ] {
        let headers = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let fault = WireFault::Status { status: 429, headers, body: None };
        let server = serve(hello(), vec![FaultRule::always(fault)]);
        assert_eq!(failure(&model(&server)).await.retry_after_ms, Some(wait), "{name}: {value}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = serve(hello(), vec![]);
    let headers = BTreeMap::from([("location".to_owned(), format!("{}/v1/messages", target.base_url()))]);
    let fault = WireFault::Status { status: 307, headers, body: None };
    let server = serve(hello(), vec![FaultRule::always(fault)]);
    let error = failure(&model(&server)).await;
    assert_eq!(error.code, ErrorCode::ProviderRejected);
    assert!(error.message.contains("redirect"), "{}", error.message);
    assert!(target.stats().connections.is_empty());
}

#[tokio::test]
async fn an_overload_within_a_good_answer_is_an_overload_with_what_had_come() {
    let server = MockServer::start(script(json!({ "steps": [{
        "reply": [{ "type": "text", "text": "So far" }, { "type": "tool_call", "toolName": "bash" }],
        "fault": { "type": "error", "code": "provider_overloaded", "afterParts": 1 },
    }] })))
    .unwrap();
    let (events, end) = ask(&model(&server)).await;
    let (error, partial) = end.unwrap_err();
    assert_eq!(error.code, ErrorCode::ProviderOverloaded);
    assert_eq!(events, [ModelEvent::TextDelta("So far".to_owned())]);
    assert_eq!(partial.content, [Content::text("So far")]);
}

#[tokio::test]
async fn a_provider_that_never_answers_is_given_up_at_the_first_limit() {
    let server = serve(hello(), vec![FaultRule::always(WireFault::Silence)]);
    let limits = Limits { first_byte_timeout_ms: 50, ..once() };
    let error = failure(&model_at(server.base_url(), &limits)).await;
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("limits.firstByteTimeoutMs"), "{}", error.message);
}

#[tokio::test]
async fn a_stream_that_stands_still_is_given_up_at_the_second_limit_and_its_connection_closed() {
    let server = serve(hello(), vec![FaultRule::always(WireFault::Stall { after_bytes: 500 })]);
    let limits = Limits { gap_timeout_ms: 50, ..once() };
    let error = failure(&model_at(server.base_url(), &limits)).await;
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("limits.gapTimeoutMs"), "{}", error.message);
    until(&server, |stats| stats.aborted == 1).await;
}

#[tokio::test]
async fn a_slow_reader_is_not_taken_for_a_slow_provider() {
    let server = serve(
        script(json!({ "steps": [{ "reply": [
            { "type": "text", "text": "One" }, { "type": "delay", "ms": 20 }, { "type": "text", "text": "Two" },
        ] }] })),
        vec![],
    );
    let limits = Limits { gap_timeout_ms: 2000, ..once() };
    let mut stream = model_at(server.base_url(), &limits).stream(request());
    assert_eq!(stream.next().await, Some(ModelEvent::TextDelta("One".to_owned())));
    tokio::time::sleep(Duration::from_millis(3000)).await;
    assert_eq!(stream.next().await, Some(ModelEvent::TextDelta("Two".to_owned())));
    assert!(matches!(stream.next().await, Some(ModelEvent::Finished(_))));
}

#[tokio::test]
async fn a_broken_connection_and_an_early_end_are_cuts() {
    for fault in [WireFault::Cut { after_bytes: 600 }, WireFault::End { after_bytes: 600 }] {
        let server = serve(hello(), vec![FaultRule::always(fault.clone())]);
        let error = failure(&model(&server)).await;
        assert_eq!(error.code, ErrorCode::ProviderStreamCut, "{fault:?}: {}", error.message);
        assert!(error.retryable);
    }
}

#[tokio::test]
async fn a_connection_that_breaks_at_any_byte_has_one_end() {
    let calls = script(json!({ "steps": [{ "reply": [
        { "type": "text", "text": "Go" }, { "type": "tool_call", "toolName": "bash", "input": { "command": "ls" }, "chunks": 4 },
    ] }] }));
    let whole = serve(calls.clone(), vec![]);
    let model_of_whole = model(&whole);
    let reply = ask(&model_of_whole).await.1.unwrap();
    for after_bytes in (0..1200).step_by(67) {
        let server = serve(calls.clone(), vec![FaultRule::always(WireFault::Cut { after_bytes })]);
        let (error, partial) = ask(&model(&server)).await.1.unwrap_err();
        assert_eq!(error.code, ErrorCode::ProviderStreamCut, "after {after_bytes}");
        let calls = partial.content.iter().filter(|block| matches!(block, Content::ToolCall { .. }));
        assert!(calls.into_iter().all(|call| reply.content.contains(call)), "after {after_bytes}: {partial:?}");
    }
}

#[tokio::test]
async fn garbage_in_the_stream_is_malformed() {
    let fault = WireFault::Insert { after_events: 3, text: "data: <html>\n\n".to_owned() };
    let server = serve(hello(), vec![FaultRule::always(fault)]);
    assert_eq!(failure(&model(&server)).await.code, ErrorCode::ProviderMalformed);
}

#[tokio::test]
async fn an_answer_that_is_not_a_stream_is_malformed() {
    let fault = WireFault::Status { status: 200, headers: BTreeMap::new(), body: Some("{}".to_owned()) };
    let server = serve(hello(), vec![FaultRule::always(fault)]);
    let error = failure(&model(&server)).await;
    assert_eq!(error.code, ErrorCode::ProviderMalformed);
    assert!(error.message.contains("application/json"), "{}", error.message);
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let server = serve(
        script(
            json!({ "steps": [{ "reply": [{ "type": "text", "text": "One" }], "fault": { "type": "stall", "afterParts": 1 } }] }),
        ),
        vec![],
    );
    let mut stream = model(&server).stream(request());
    assert_eq!(stream.next().await, Some(ModelEvent::TextDelta("One".to_owned())));
    assert!(server.stats().connections[0].open);
    drop(stream);
    until(&server, |stats| stats.aborted == 1 && !stats.connections[0].open).await;
}

#[tokio::test]
async fn a_stream_that_is_not_read_is_not_written() {
    // Some 190 MB, far more than any socket holds.
    let server = serve(
        script(json!({ "steps": [{ "reply": [{ "type": "repeat", "text": "x".repeat(900), "count": 200_000 }] }] })),
        vec![],
    );
    let mut stream = model(&server).stream(request());
    assert!(matches!(stream.next().await, Some(ModelEvent::TextDelta(_))));
    let written = |stats: &Stats| stats.connections[0].bytes_written;
    let mut before = written(&server.stats());
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = written(&server.stats());
        if now == before {
            break;
        }
        before = now;
    }
    assert!(before < 32 * 1024 * 1024, "{before} bytes were written to a reader that does not read");
    for _ in 0..20_000 {
        assert!(matches!(stream.next().await, Some(ModelEvent::TextDelta(_))));
    }
    until(&server, |stats| written(stats) > before).await;
}

#[tokio::test]
async fn twenty_thousand_deltas_arrive_each_once() {
    let server = serve(
        script(json!({ "steps": [{ "reply": [{ "type": "repeat", "text": "word ", "count": 20_000 }] }] })),
        vec![],
    );
    let (events, reply) = ask(&model(&server)).await;
    assert_eq!(events.len(), 20_000);
    assert_eq!(reply.unwrap().content, [Content::text("word ".repeat(20_000))]);
}

#[test]
fn a_proxy_of_the_environment_is_not_used() {
    // The process's own environment cannot be changed here, that of a child can: the same tests, one of them alone.
    let nowhere = "http://127.0.0.1:1";
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "text_thought_and_calls_arrive_with_usage"])
        .envs(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map(|name| (name, nowhere)))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && out.contains("1 passed"), "{out}");
}

#[tokio::test]
async fn a_refused_connection_and_an_unknown_host_are_said_with_their_place() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = failure(&model_at(format!("http://127.0.0.1:{port}"), &once())).await;
    assert_eq!(error.code, ErrorCode::ProviderUnavailable);
    assert!(error.message.contains(&format!("127.0.0.1:{port} refused")), "{}", error.message);
    let error = failure(&model_at("https://no-such-host.invalid".to_owned(), &once())).await;
    assert_eq!(error.code, ErrorCode::ProviderUnavailable);
    assert!(error.message.contains("no-such-host.invalid:443"), "{}", error.message);
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_is_said() {
    let server = serve(hello(), vec![]);
    let error = failure(&model_at(server.base_url().replace("http:", "https:"), &once())).await;
    assert_eq!(error.code, ErrorCode::ProviderUnavailable);
    assert!(error.message.contains("TLS with 127.0.0.1"), "{}", error.message);
}

#[tokio::test]
async fn a_script_that_expects_something_else_says_both() {
    let server = MockServer::start(script(json!({ "steps": [{ "expect": { "system": "verbose" } }] }))).unwrap();
    let error = failure(&model(&server)).await;
    assert_eq!(error.code, ErrorCode::ProviderRejected);
    assert!(error.message.contains("verbose") && error.message.contains("Be brief."), "{}", error.message);
}

#[test]
fn no_key_is_needed_on_this_machine_and_elsewhere_its_absence_says_where_it_was_looked_for() {
    let open = |url: &str| ModelSource { endpoint: Some(endpoint(url.to_owned())), ..nowhere() }.open("acme/x");
    assert_eq!(open("http://127.0.0.1:1").unwrap().name(), "acme/x");
    let error = open("https://acme.test").err().unwrap();
    assert_eq!(error.code, ErrorCode::ProviderAuth);
    assert!(error.message.contains("ACME_API_KEY"), "{}", error.message);
}

#[test]
fn a_scripted_model_is_opened_by_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hi.json"), r#"{"steps":[{}]}"#).unwrap();
    let open = |name: &str, cwd: Option<&Path>| ModelSource { cwd: cwd.map(Path::to_owned), ..nowhere() }.open(name);
    assert_eq!(open("scripted/hi.json", Some(folder.path())).unwrap().name(), "scripted/hi.json");
    assert!(open(&format!("scripted/{}/hi.json", folder.path().display()), None).is_ok());
    for (name, cwd) in [("scripted/hi.json", None), ("scripted/no.json", Some(folder.path()))] {
        assert_eq!(open(name, cwd).err().unwrap().code, ErrorCode::InvalidOptions);
    }
}
