//! What those who watch an agent hear of it.

use std::sync::{Arc, Mutex};

use crate::support::script::{calls, says};
use crate::support::{LONG, Stage, client, endpoint, environment, faulty_server, server, talker, until};
use lodger::AgentBuilder;
use lodger::embed::{self, DiagnosticQueue, Handlers, Mailbox};
use lodger::protocol::{
    AgentOptions, DebugOptions, Diagnostic, DiagnosticBody, DoneReason, Outcome, PermissionAnswer, TargetKind,
};
use lodger_kit::WireFault;
use serde_json::{Value, json};

/// What was heard, in order.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<Diagnostic>>>);

impl Heard {
    fn by(&self, agent: AgentBuilder) -> AgentBuilder {
        let heard = self.clone();
        agent.on_diagnostic(move |diagnostic| heard.0.lock().unwrap().push(diagnostic))
    }

    fn all(&self) -> Vec<Diagnostic> {
        self.0.lock().unwrap().clone()
    }

    fn types(&self) -> Vec<String> {
        self.all().iter().map(|diagnostic| json!(diagnostic)["type"].as_str().unwrap().to_owned()).collect()
    }
}

fn write_a_file() -> Value {
    calls("write_file", json!({ "path": "a.txt", "content": "x" }))
}

#[tokio::test]
async fn an_agents_life_begins_with_start_and_ready_and_ends_with_exit() {
    let (stage, heard) = (Stage::new(), Heard::default());
    let agent = heard.by(talker(&stage.model(&[says("hello")]))).create().unwrap();
    assert_eq!(heard.types(), ["runtime.start", "runtime.ready"]);
    agent.prompt("hi").unwrap().result().await.unwrap();
    agent.close().await;
    agent.close().await;
    drop(agent);
    assert_eq!(heard.types(), ["runtime.start", "runtime.ready", "runtime.exit"]);
    assert!(heard.all().windows(2).all(|pair| pair[0].ts <= pair[1].ts && pair[0].session_id == pair[1].session_id));
}

#[tokio::test]
async fn an_agent_that_is_dropped_tells_its_end_too() {
    let (stage, heard) = (Stage::new(), Heard::default());
    drop(heard.by(talker(&stage.model(&[says("hello")]))).create().unwrap());
    assert_eq!(heard.types(), ["runtime.start", "runtime.ready", "runtime.exit"]);
}

#[tokio::test]
async fn a_permission_is_told_with_its_decision() {
    let (stage, heard) = (Stage::new(), Heard::default());
    let agent = heard
        .by(stage.agent(&[write_a_file(), says("done")]))
        .on_permission(|_| async { PermissionAnswer::AllowOnce {} })
        .create()
        .unwrap();
    agent.prompt("go").unwrap().result().await.unwrap();
    let (tool_name, kind) = ("write_file".to_owned(), TargetKind::File);
    let told: Vec<_> = heard.all().into_iter().map(|diagnostic| diagnostic.body).skip(2).collect();
    assert_eq!(
        told,
        [
            DiagnosticBody::PermissionRequest { tool_name: tool_name.clone(), kind },
            DiagnosticBody::PermissionDecision { tool_name, kind, outcome: Outcome::AllowedOnce },
        ]
    );
}

#[tokio::test]
async fn a_reader_that_is_slow_is_told_once() {
    let (stage, heard) = (Stage::new(), Heard::default());
    let deltas: Vec<_> = (0..2000).map(|n| json!({ "type": "text", "text": format!("{n} ") })).collect();
    let agent = heard.by(talker(&stage.model(&[json!({ "reply": deltas })]))).create().unwrap();
    let turn = agent.prompt("go").unwrap();
    until("the queue is full", || heard.types().contains(&"output.backpressure".to_owned()).then_some(())).await;
    assert_eq!(turn.result().await.unwrap().reason, DoneReason::EndTurn);
    let slow: Vec<_> = heard
        .all()
        .into_iter()
        .map(|diagnostic| json!(diagnostic))
        .filter(|told| told["type"] == "output.backpressure")
        .collect();
    assert_eq!(slow.len(), 1);
    assert!(slow[0]["bufferedEvents"].as_u64().unwrap() >= 256 && slow[0]["bufferedBytes"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn a_watcher_that_panics_disturbs_nobody() {
    let stage = Stage::new();
    let agent =
        talker(&stage.model(&[says("hello")])).on_diagnostic(|_| panic!("the watcher failed")).create().unwrap();
    assert_eq!(agent.prompt("hi").unwrap().result().await.unwrap().text, "hello");
    agent.close().await;
}

#[test]
fn a_queue_is_marked_in_its_mailbox_and_has_the_end_after_close() {
    let stage = Stage::new();
    let mailbox = Mailbox::new(Box::new(|| {}));
    let queue = DiagnosticQueue::new(&mailbox, 5);
    let handlers = Handlers { diagnostics: Some(Arc::new(queue.clone())), ..Handlers::default() };
    let options = json!({ "model": stage.model(&[says("hello")]) }).to_string();
    let agent = embed::Agent::create(None, &options, environment(), handlers).unwrap();
    assert_eq!(mailbox.take(), [11]);
    assert_eq!(queue.take().len(), 2);
    agent.close(LONG).unwrap();
    let told: Value = serde_json::from_str(&queue.take_json().unwrap()).unwrap();
    assert_eq!((told[0]["type"].as_str(), told[0]["code"].as_i64()), (Some("runtime.exit"), Some(0)));
    assert_eq!(queue.take_json(), None);
}

/// What was told of the wire, without its times.
fn of_the_wire(heard: &Heard) -> Vec<Value> {
    let mut told: Vec<_> = heard.all().into_iter().map(|diagnostic| json!(diagnostic)).collect();
    told.retain(|told| told["type"].as_str().unwrap().starts_with("transport."));
    for told in &mut told {
        let told = told.as_object_mut().unwrap();
        told.retain(|name, _| !["ts", "sessionId", "elapsedMs"].contains(&name.as_str()));
    }
    told
}

#[tokio::test]
async fn a_request_to_the_model_is_told_with_its_answer() {
    let (server, heard) = (server(&[says("hello")]), Heard::default());
    let agent = heard.by(client(&server)).create().unwrap();
    agent.prompt("hi").unwrap().result().await.unwrap();
    let told = of_the_wire(&heard);
    let endpoint = format!("{}/v1/messages", server.base_url());
    assert_eq!(
        told[0],
        json!({ "type": "transport.start", "attempt": 1, "method": "POST", "endpoint": endpoint,
            "model": "anthropic/mock" })
    );
    assert_eq!((&told[1]["type"], &told[1]["status"]), (&json!("transport.response"), &json!(200)));
    assert_eq!((&told[1]["provider"], &told[1]["model"]), (&json!("anthropic"), &json!("anthropic/mock")));
    assert_eq!(told.len(), 2, "{told:?}");
}

#[tokio::test]
async fn a_request_that_fails_is_told_by_its_code_alone() {
    let fault = WireFault::Status { status: 400, headers: [].into(), body: Some("sk-test is bad".to_owned()) };
    let (server, heard) = (faulty_server(&[says("hello")], fault), Heard::default());
    let agent = heard.by(client(&server)).create().unwrap();
    agent.prompt("hi").unwrap().result().await.unwrap_err();
    let told = of_the_wire(&heard);
    assert_eq!(told.last().unwrap(), &json!({ "type": "transport.error", "attempt": 1, "error": "provider_rejected" }));
    assert!(!format!("{:?}", heard.all()).contains("sk-test"));
}

#[tokio::test]
async fn the_wire_trace_has_what_was_said_and_no_credential() {
    let (stage, server) = (Stage::new(), server(&[says("the key sk-test is hidden")]));
    let mut options =
        AgentOptions { debug: DebugOptions { trace: Some("trace.jsonl".to_owned()) }, ..Default::default() };
    options.cwd = Some(stage.work("").display().to_string());
    let agent = AgentBuilder::default()
        .options(options)
        .model("anthropic/mock")
        .endpoint(endpoint(server.base_url()))
        .api_key("sk-test")
        .create()
        .unwrap();
    agent.prompt("say it").unwrap().result().await.unwrap();
    agent.close().await;
    let text = std::fs::read_to_string(stage.work("trace.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["type"], &lines[1]["type"]), (&json!("request"), &json!("response")));
    assert!(lines[0]["body"].to_string().contains("say it"));
    assert!(lines[2..].iter().all(|line| line["type"] == "frame"));
    assert!(text.contains("is hidden") && !text.contains("sk-test"), "{text}");
}

#[test]
fn a_trace_that_cannot_be_written_is_said_at_once() {
    let stage = Stage::new();
    let debug = DebugOptions { trace: Some("no/such/folder/trace".to_owned()) };
    let options = AgentOptions { debug, cwd: Some(stage.work("").display().to_string()), ..AgentOptions::default() };
    let error = AgentBuilder::default().options(options).model(stage.model(&[says("x")])).create().unwrap_err();
    assert!(error.message.contains("debug.trace"), "{}", error.message);
}

#[tokio::test]
async fn a_server_that_sends_the_key_back_as_the_name_of_the_request_shows_it_to_nobody() {
    let headers = [("request-id".to_owned(), format!("req-sk-test-{}", "x".repeat(500)))].into();
    let fault = WireFault::Status { status: 400, headers, body: None };
    let (server, heard) = (faulty_server(&[says("hello")], fault), Heard::default());
    let agent = heard.by(client(&server)).create().unwrap();
    agent.prompt("hi").unwrap().result().await.unwrap_err();
    let told = of_the_wire(&heard);
    let id = told.iter().find_map(|told| told["requestId"].as_str()).unwrap();
    assert!(id.starts_with("req-[hidden]-x") && id.len() <= 210, "{id}");
}
