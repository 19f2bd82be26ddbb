//! Looks at streams of events and at what a provider was sent.

use std::sync::Arc;

use lodger::ErrorCode;
use lodger::protocol::{Content, DoneReason, Entry, Error, Event, EventBody, Outcome, Passing, ToolCallId};
use serde_json::Value;

/// The `type` of an event.
pub fn kind(event: &Event) -> String {
    serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned()
}

pub fn kinds(events: &[Arc<Event>]) -> Vec<String> {
    events.iter().map(|event| kind(event)).collect()
}

pub fn entries(events: &[Arc<Event>]) -> impl Iterator<Item = &Entry> {
    events.iter().filter_map(|event| match &event.body {
        EventBody::Entry(entry) => Some(entry),
        EventBody::Passing(_) => None,
    })
}

/// All text deltas, one after the other.
pub fn text(events: &[Arc<Event>]) -> String {
    deltas(events).concat()
}

pub fn deltas(events: &[Arc<Event>]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Passing(Passing::TextDelta { text, .. }) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// Every tool result: text, and whether it is an error.
pub fn results(events: &[Arc<Event>]) -> Vec<(String, bool)> {
    entries(events)
        .filter_map(|entry| match entry {
            Entry::ToolResult { content, is_error, .. } => Some((Content::joined_text(content), *is_error)),
            _ => None,
        })
        .collect()
}

/// The one tool result.
#[track_caller]
pub fn result(events: &[Arc<Event>]) -> (String, bool) {
    let results = results(events);
    assert_eq!(results.len(), 1, "{results:?}");
    results[0].clone()
}

/// How each request ended, in order.
pub fn outcomes(events: &[Arc<Event>]) -> Vec<Outcome> {
    entries(events)
        .filter_map(|entry| match entry {
            Entry::RequestResolved { outcome, .. } => Some(*outcome),
            _ => None,
        })
        .collect()
}

/// The events are whole: dense numbers, one `done` and that last, one result for each call, one outcome for each
/// request. Returns how the turn ended.
#[track_caller]
pub fn whole(events: &[Arc<Event>]) -> (DoneReason, Option<Error>) {
    let kinds = kinds(events);
    let seqs: Vec<u64> = events.iter().map(|event| event.seq).collect();
    assert!(seqs.windows(2).all(|two| two[0] + 1 == two[1]), "numbers are not dense: {seqs:?}");
    let times = |kind: &str| kinds.iter().filter(|other| *other == kind).count();
    assert_eq!((times("done"), kinds.last().map(String::as_str)), (1, Some("done")), "{kinds:?}");
    assert_eq!(times("turn_start"), 1, "{kinds:?}");

    let called: Vec<&ToolCallId> = entries(events)
        .filter_map(|entry| match entry {
            Entry::ToolCall { tool_call_id, .. } => Some(tool_call_id),
            _ => None,
        })
        .collect();
    let answered: Vec<&ToolCallId> = entries(events)
        .filter_map(|entry| match entry {
            Entry::ToolResult { tool_call_id, .. } => Some(tool_call_id),
            _ => None,
        })
        .collect();
    assert_eq!(called, answered, "every call has one result, in call order");

    let ids = |opened: bool| {
        let mut ids: Vec<String> = entries(events)
            .filter_map(|entry| match entry {
                Entry::RequestOpened { request } if opened => Some(request.request_id.to_string()),
                Entry::RequestResolved { request_id, .. } if !opened => Some(request_id.to_string()),
                _ => None,
            })
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(true), ids(false), "every request has one outcome");

    match entries(events).last() {
        Some(Entry::Done { reason, error, .. }) => (*reason, error.clone()),
        other => panic!("expected done, found {other:?}"),
    }
}

#[track_caller]
pub fn ended(events: &[Arc<Event>], reason: DoneReason) {
    let (found, error) = whole(events);
    assert_eq!(found, reason, "{error:?}");
}

#[track_caller]
pub fn failed(events: &[Arc<Event>], code: ErrorCode) -> Error {
    let (reason, error) = whole(events);
    let error = error.unwrap_or_else(|| panic!("ended as {reason:?} without an error"));
    assert_eq!((reason, error.code), (DoneReason::Error, code), "{error}");
    error
}

/// The names of the tools that a provider is told of.
pub fn offered(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// A request that a provider accepts: user and assistant take turns, the user begins and ends, no message is
/// empty, and the results of a message's calls stand first in the message after it, each once.
#[track_caller]
pub fn valid(body: &Value) {
    let messages = body["messages"].as_array().unwrap();
    assert!(!messages.is_empty(), "{body}");
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let expected = if index % 2 == 0 { "user" } else { "assistant" };
        assert_eq!(message["role"], expected, "message {index} of {body:#}");
        let blocks = message["content"].as_array().unwrap();
        assert!(!blocks.is_empty(), "message {index} of {body:#}");
        let of_kind = |kind: &str, id: &str| -> Vec<&str> {
            blocks.iter().filter(|block| block["type"] == kind).map(|block| block[id].as_str().unwrap()).collect()
        };
        assert_eq!(of_kind("tool_result", "tool_use_id"), open, "results of message {index} of {body:#}");
        assert!(blocks.iter().take(open.len()).all(|block| block["type"] == "tool_result"), "{body:#}");
        for block in blocks.iter().filter(|block| block["type"] == "text") {
            assert!(!block["text"].as_str().unwrap().trim().is_empty(), "blank text in {body:#}");
        }
        open = of_kind("tool_use", "id");
    }
    assert_eq!(messages.len() % 2, 1, "the last message is the user's: {body:#}");
}
