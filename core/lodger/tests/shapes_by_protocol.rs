//! Whatever the protocol, and in whatever shape real servers write it, the same conversation makes the same events.

use std::sync::Arc;

use lodger::protocol::{Content, DoneReason, Event, Limits};
use lodger_kit::{FaultRule, MockOptions, MockServer, Protocol, Quirk, WireFault};
use serde_json::{Value, json};

use crate::support::*;
use crate::wire::{Answer, speaker};

/// The smallest picture.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn inputs() -> [Value; 2] {
    [json!({ "at": "Grüße" }), json!({ "at": "🌍" })]
}

/// Thought, text and two calls; then the answer to their results; then one more to see the conversation whole.
fn script() -> Value {
    let [first, second] = inputs();
    let steps = json!([
        {
            "expect": { "lastUserText": "hello", "tools": ["look"] },
            "reply": [
                { "type": "thinking", "text": ["Let me ", "see."], "signature": "c2lnbmF0dXJl" },
                { "type": "text", "text": ["I look ", "twice – ", "as told."] },
                { "type": "tool_call", "toolName": "look", "input": first, "chunks": 5 },
                { "type": "tool_call", "toolName": "look", "input": second, "chunks": 4 },
            ],
            "usage": { "inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 30, "reasoningTokens": 5 },
        },
        {
            "expect": { "toolResults": [{ "contains": "seen" }, { "contains": "seen" }] },
            "reply": [{ "type": "text", "text": ["All ", "is well."] }],
            "usage": { "inputTokens": 150, "outputTokens": 9, "cacheReadTokens": 40, "reasoningTokens": 0 },
        },
        {
            "expect": { "lastUserText": "go on" },
            "reply": [{ "type": "text", "text": "Bye." }],
            "usage": { "inputTokens": 160, "outputTokens": 2, "cacheReadTokens": 0, "reasoningTokens": 0 },
        },
    ]);
    json!({ "steps": steps })
}

/// The trace of both turns of the conversation.
async fn converse(protocol: Protocol, quirks: Vec<Quirk>, fault: Option<WireFault>) -> Vec<Value> {
    let faults = fault.map(FaultRule::always).into_iter().collect();
    let options = MockOptions { quirks, faults, ..MockOptions::default() };
    let server = MockServer::start_with(serde_json::from_value(script()).unwrap(), options).unwrap();
    let limits = Limits { max_retries: 0, ..Limits::default() };
    let (agent, runs) = speaker(&server, protocol, limits, || {
        let image = Content::Image { mime_type: "image/png".to_owned(), data: PIXEL.to_owned() };
        Answer(vec![Content::text("seen"), image])
    });
    let mut events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    let later = play(&agent, "go on").await;
    look::ended(&later, DoneReason::EndTurn);
    events.extend(later);
    let flaws = server.stats().flaws;
    assert!(flaws.is_empty(), "{protocol:?}: {flaws:?}");
    let mut runs = runs.lock().unwrap().clone();
    runs.sort_by_key(Value::to_string);
    assert_eq!(runs, inputs(), "{protocol:?}");
    trace(&events)
}

/// Events as JSON without what must differ: ids, times, signatures, how a text or an input is cut into deltas, and which of
/// two calls side by side is answered first.
fn trace(events: &[Arc<Event>]) -> Vec<Value> {
    let mut ids = Vec::new();
    let mut trace: Vec<Value> = Vec::new();
    for event in events {
        let mut event = serde_json::to_value(event).unwrap();
        normalise(&mut event, &mut ids);
        match trace.last_mut() {
            Some(last) if is_delta(last) && continues(last, &event) => {
                last["text"] = format!("{}{}", last["text"].as_str().unwrap(), event["text"].as_str().unwrap()).into();
            }
            _ => trace.push(event),
        }
    }
    for group in trace.chunk_by_mut(|one, other| is_of_a_call(one) && is_of_a_call(other)) {
        group.sort_by_key(Value::to_string);
    }
    trace
}

/// One of the events whose order is left to chance where two calls run side by side.
fn is_of_a_call(event: &Value) -> bool {
    ["request_opened", "request_resolved", "tool_result"].iter().any(|kind| event["type"] == *kind)
}

fn continues(last: &Value, event: &Value) -> bool {
    last["type"] == event["type"] && last["toolCallId"] == event["toolCallId"]
}

fn is_delta(event: &Value) -> bool {
    event["type"].as_str().is_some_and(|kind| kind.ends_with("_delta"))
}

fn normalise(value: &mut Value, ids: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for gone in ["seq", "ts", "signature", "durationMs"] {
                map.remove(gone);
            }
            for (name, value) in map {
                match value {
                    Value::String(id) if name.ends_with("Id") => {
                        let place = ids.iter().position(|known| known == id).unwrap_or_else(|| {
                            ids.push(id.clone());
                            ids.len() - 1
                        });
                        *id = format!("id {place}");
                    }
                    value => normalise(value, ids),
                }
            }
        }
        Value::Array(values) => {
            // A thought of no words holds a signature, and nothing else.
            values.retain(|value| value["type"] != "thinking" || value["text"] != "");
            values.iter_mut().for_each(|value| normalise(value, ids));
        }
        _ => {}
    }
}

/// Says where two traces part.
#[track_caller]
fn same(left: &[Value], right: &[Value], what: &str) {
    for (place, (left, right)) in left.iter().zip(right).enumerate() {
        assert_eq!(left, right, "event {place} of {what}");
    }
    assert_eq!(left.len(), right.len(), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_conversation_makes_the_same_events_in_every_protocol() {
    let first = converse(Protocol::Anthropic, Vec::new(), None).await;
    for protocol in Protocol::ALL {
        same(&first, &converse(protocol, Vec::new(), None).await, &format!("{protocol:?}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_shape_that_real_servers_send_makes_the_same_events() {
    // In these nothing is missing: only the shape differs.
    let shapes = [
        Quirk::IdInEveryPiece,
        Quirk::NoIndex,
        Quirk::SharedIndex,
        Quirk::NoCallIds,
        Quirk::WholeInput,
        Quirk::UsageEverywhere,
        Quirk::NoFinish,
        Quirk::PlainFinish,
        Quirk::DoneMarker,
        Quirk::ReasoningWord,
        Quirk::Nulls,
        Quirk::KeepAlive,
        Quirk::Cr,
        Quirk::Crlf,
        Quirk::ByteOrderMark,
        Quirk::NoSpace,
        Quirk::SplitData,
        Quirk::NoNames,
    ];
    for protocol in Protocol::ALL {
        let plain = converse(protocol, Vec::new(), None).await;
        for quirk in shapes {
            // Where a protocol has no other word for the end, one without it is not known to be whole.
            if quirk == Quirk::NoFinish && protocol == Protocol::Gemini {
                continue;
            }
            let mut odd = converse(protocol, vec![quirk], None).await;
            let mut plain = plain.clone();
            if quirk == Quirk::WholeInput {
                // What came with the start of a call was no delta.
                odd.retain(|event| event["type"] != "tool_input_delta");
                plain.retain(|event| event["type"] != "tool_input_delta");
            }
            same(&plain, &odd, &format!("{protocol:?} {quirk:?}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_or_a_line_end_may_be_cut_between_reads() {
    for protocol in Protocol::ALL {
        let plain = converse(protocol, Vec::new(), None).await;
        for quirks in [vec![], vec![Quirk::Crlf], vec![Quirk::Cr, Quirk::KeepAlive]] {
            let trickle = WireFault::Trickle { bytes: 1, pause_ms: 0 };
            let what = format!("{protocol:?} {quirks:?}");
            same(&plain, &converse(protocol, quirks, Some(trickle)).await, &what);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_usage_nothing_but_usage_is_missing() {
    for protocol in Protocol::ALL {
        let plain = converse(protocol, Vec::new(), None).await;
        let counted: Vec<_> = without_usage(plain);
        let silent = converse(protocol, vec![Quirk::NoUsage], None).await;
        assert!(!silent.iter().any(|event| event.to_string().contains("Tokens")), "{protocol:?}");
        same(&counted, &without_usage(silent), &format!("{protocol:?}"));
    }
}

fn without_usage(trace: Vec<Value>) -> Vec<Value> {
    let mut trace: Vec<_> = trace.into_iter().filter(|event| event["type"] != "usage").collect();
    for event in &mut trace {
        event.as_object_mut().unwrap().remove("usage");
    }
    trace
}

#[tokio::test(flavor = "multi_thread")]
async fn blank_text_before_calls_changes_no_call_and_makes_no_flaw() {
    for protocol in Protocol::ALL {
        let calls = |trace: Vec<Value>| -> Vec<Value> {
            trace.into_iter().filter(|event| event["type"] == "tool_call").map(|event| event["input"].clone()).collect()
        };
        let blank = converse(protocol, vec![Quirk::BlankText], None).await;
        assert_eq!(calls(blank), inputs(), "{protocol:?}");
    }
}
