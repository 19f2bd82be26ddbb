//! A conversation whose stored thought is refused goes on without it.

use std::collections::BTreeMap;

use lodger::protocol::{Content, DoneReason, Endpoint, ToolOptions};
use lodger::{Agent, ErrorCode};
use lodger_kit::{FaultRule, MockOptions, MockServer, Protocol, WireFault};
use serde_json::{Value, json};

use crate::support::script::{call, said};
use crate::support::*;
use crate::wire::kind;

fn refused(body: Value) -> WireFault {
    WireFault::Status { status: 400, headers: BTreeMap::new(), body: Some(body.to_string()) }
}

/// An agent with one tool. Only of models of that name does Responses give thought away.
fn speaker(server: &MockServer, protocol: Protocol) -> Agent {
    let look = ToolOptions {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: true,
        approval: Default::default(),
    };
    let endpoint = Endpoint::new(kind(protocol), server.base_url());
    let agent = Agent::builder().model("any/gpt-5").endpoint(endpoint);
    agent.tool(look, |_| async { vec![Content::text("out")] }).create().unwrap()
}

fn thought(signature: &str) -> Value {
    json!({ "type": "thinking", "text": "hm", "signature": signature })
}

/// A call with thought, an answer with other thought, and one more.
fn server_that(fault: WireFault) -> MockServer {
    server_with(
        &[
            json!({ "reply": [thought("c2lnLW9sZA=="), call("look", json!({}))] }),
            json!({ "reply": [thought("c2lnLW5ldw=="), said("seen")] }),
            json!({ "reply": [said("and again")] }),
        ],
        MockOptions { faults: vec![FaultRule::on(2, fault)], ..MockOptions::default() },
    )
}

/// Whether each request held the old and the new thought.
fn thoughts(server: &MockServer) -> Vec<(bool, bool)> {
    let bodies = server.stats().bodies;
    let texts = bodies.iter().map(ToString::to_string);
    texts.map(|text| (text.contains("c2lnLW9sZA=="), text.contains("c2lnLW5ldw=="))).collect()
}

#[tokio::test]
async fn thought_that_is_refused_is_left_out_once_and_for_all() {
    for (protocol, body) in [
        (
            Protocol::Anthropic,
            json!({ "type": "error", "error": { "type": "invalid_request_error",
                "message": "messages.1.content.0: Invalid `signature` in `thinking` block" } }),
        ),
        (
            Protocol::OpenaiResponses,
            json!({ "error": { "message": "The encrypted content could not be verified.",
                "type": "invalid_request_error", "param": null, "code": "invalid_encrypted_content" } }),
        ),
        (
            Protocol::Gemini,
            json!({ "error": { "code": 400, "message": "Corrupted thought signature.", "status": "INVALID_ARGUMENT" } }),
        ),
    ] {
        let server = server_that(refused(body));
        let agent = speaker(&server, protocol);
        look::ended(&play(&agent, "look").await, DoneReason::EndTurn);
        look::ended(&play(&agent, "again").await, DoneReason::EndTurn);
        let expected = [(false, false), (true, false), (false, false), (false, true)];
        assert_eq!(thoughts(&server), expected, "{protocol:?}");
        assert!(server.stats().flaws.is_empty(), "{:?}", server.stats().flaws);
    }
}

#[tokio::test]
async fn any_other_refusal_is_one() {
    let body = json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "tools: too many" } });
    let server = server_that(refused(body));
    let agent = speaker(&server, Protocol::Anthropic);
    look::failed(&play(&agent, "look").await, ErrorCode::ProviderRejected);
    assert_eq!(server.stats().requests, 2);
}

#[tokio::test]
async fn a_refusal_that_stays_is_told_after_one_more_request() {
    let body =
        json!({ "error": { "code": 400, "message": "Corrupted thought signature.", "status": "INVALID_ARGUMENT" } });
    let server = server_that(refused(body.clone()));
    server.set_faults(vec![FaultRule::on(2, refused(body.clone())), FaultRule::on(3, refused(body))]);
    let agent = speaker(&server, Protocol::Gemini);
    look::failed(&play(&agent, "look").await, ErrorCode::ProviderRejected);
    assert_eq!(server.stats().requests, 3);
}
