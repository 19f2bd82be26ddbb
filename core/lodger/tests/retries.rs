//! A request that fails before its first output is sent again, and told; one that was cut tells what it used.

use std::collections::BTreeMap;

use lodger::ErrorCode;
use lodger::protocol::{DoneReason, Entry, EventBody, Limits, Passing, StopReason, Usage};
use lodger_kit::{FaultRule, MockOptions, WireFault};
use serde_json::json;

use crate::support::script::{said, says, silence};
use crate::support::*;

fn busy() -> WireFault {
    WireFault::Status { status: 529, headers: BTreeMap::new(), body: None }
}

#[tokio::test]
async fn an_overload_is_waited_out_and_told() {
    let server = faulty_server(&[says("hello")], busy());
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hi").unwrap();
    let events = read(&mut turn).await;
    look::ended(&events, DoneReason::EndTurn);
    let retries: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Passing(Passing::Retry { attempt, max_attempts, delay_ms, reason, status }) => {
                assert!(*delay_ms > 0 && reason.starts_with("provider_overloaded: "), "{delay_ms} {reason}");
                Some((*attempt, *max_attempts, *status))
            }
            _ => None,
        })
        .collect();
    assert_eq!(retries, [(1, 5, Some(529))]);
    assert_eq!(server.stats().requests, 2);
    assert_eq!(server.stats().bodies[0], server.stats().bodies[1], "the same request");
}

#[tokio::test]
async fn a_provider_that_stays_busy_ends_the_turn_after_so_many_attempts() {
    let options = MockOptions { faults: vec![FaultRule::always(busy())], ..MockOptions::default() };
    let server = server_with(&[says("hello")], options);
    let agent = client(&server).limits(Limits { max_retries: 1, ..Limits::default() }).create().unwrap();
    let error = agent.prompt("hi").unwrap().result().await.unwrap_err();
    assert_eq!((error.code, server.stats().requests), (ErrorCode::ProviderOverloaded, 2));
}

#[tokio::test]
async fn a_wait_ends_with_the_turn() {
    let headers = BTreeMap::from([("retry-after".to_owned(), "100".to_owned())]);
    let server = faulty_server(&[says("hello")], WireFault::Status { status: 429, headers, body: None });
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hi").unwrap();
    let mut events = read_to(&mut turn, "retry").await;
    turn.cancel();
    events.extend(read(&mut turn).await);
    look::ended(&events, DoneReason::Cancelled);
    assert_eq!(server.stats().requests, 1);
    look::ended(&play(&agent, "again").await, DoneReason::EndTurn);
}

#[tokio::test]
async fn a_reply_that_is_cancelled_tells_what_it_had_used() {
    let usage = json!({ "inputTokens": 70, "outputTokens": 5, "cacheReadTokens": 30 });
    let server = server(&[json!({ "reply": [said("half a"), silence()], "usage": usage })]);
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hi").unwrap();
    let mut events = read_to(&mut turn, "text_delta").await;
    turn.cancel();
    events.extend(read(&mut turn).await);
    look::ended(&events, DoneReason::Cancelled);
    let known = |usage: &Usage| (usage.input_tokens, usage.cache_read_tokens);
    let expected = (Some(70), Some(30));
    assert!(look::entries(&events).any(|entry| matches!(
        entry,
        Entry::AssistantMessage { stop_reason: StopReason::Cancelled, usage, .. } if known(usage) == expected
    )));
    assert_eq!(known(&turn.result().await.unwrap().usage), expected);
    assert_eq!(known(&agent.usage().session), expected);
}
