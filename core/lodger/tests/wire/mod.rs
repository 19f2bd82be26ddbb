//! What the tests of all protocols share: an agent that speaks one of them to the mock model server.
#![allow(dead_code, unreachable_pub)]

use std::sync::{Arc, Mutex};

use lodger::Agent;
use lodger::protocol::{Content, Endpoint, EndpointKind, Limits, ToolOptions};
use lodger_kit::{MockServer, Protocol};
use serde_json::{Value, json};

/// The inputs with which the tool was run.
pub type Runs = Arc<Mutex<Vec<Value>>>;

/// What the tool answers.
pub struct Answer(pub Vec<Content>);

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        Self(vec![Content::text(text)])
    }
}

/// An agent with one tool, `look`, that notes its inputs.
pub fn speaker(
    server: &MockServer,
    protocol: Protocol,
    limits: Limits,
    answer: impl Fn() -> Answer + Send + Sync + 'static,
) -> (Agent, Runs) {
    speaker_to(server, "any", protocol, limits, answer)
}

/// The same, whose model is of that provider.
pub fn speaker_to(
    server: &MockServer,
    provider: &str,
    protocol: Protocol,
    limits: Limits,
    answer: impl Fn() -> Answer + Send + Sync + 'static,
) -> (Agent, Runs) {
    let runs = Runs::default();
    let look = ToolOptions {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: true,
        approval: Default::default(),
    };
    let noted = runs.clone();
    let agent = Agent::builder()
        .model(format!("{provider}/mock"))
        .endpoint(Endpoint::new(kind(protocol), server.base_url()))
        .limits(limits)
        .tool(look, move |call| {
            noted.lock().unwrap().push(call.input.clone());
            let Answer(content) = answer();
            async { content }
        })
        .create()
        .unwrap();
    (agent, runs)
}

/// How the protocol is called in an endpoint.
pub fn kind(protocol: Protocol) -> EndpointKind {
    match protocol {
        Protocol::Anthropic => EndpointKind::Anthropic,
        Protocol::OpenaiChat => EndpointKind::OpenaiChat,
        Protocol::OpenaiResponses => EndpointKind::OpenaiResponses,
        Protocol::Gemini => EndpointKind::Gemini,
    }
}
