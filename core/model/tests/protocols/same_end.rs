//! What must mean the same in every protocol, though each says it in its own way: a call without arguments, and a reply
//! that is refused in its middle.

use lodger_protocol::{Content, EndpointKind, StopReason};
use serde_json::{Value, json};

use crate::common::{KINDS, frame, reply_of};

/// The frames of an Anthropic reply of one block.
fn block(block: Value, delta: Option<Value>, stop_reason: &str) -> String {
    let mut body = frame(&json!({ "type": "content_block_start", "index": 0, "content_block": block }));
    if let Some(delta) = delta {
        body += &frame(&json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
    }
    body + &frame(&json!({ "type": "content_block_stop", "index": 0 }))
        + &frame(&json!({ "type": "message_delta", "delta": { "stop_reason": stop_reason } }))
        + &frame(&json!({ "type": "message_stop" }))
}

fn chunk(delta: Value, finish: &str) -> String {
    frame(&json!({ "choices": [{ "index": 0, "delta": delta }] }))
        + &frame(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] }))
        + "data: [DONE]\n\n"
}

fn candidate(parts: Value, finish: &str) -> String {
    frame(&json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": finish }] }))
}

/// A reply that calls `look` without arguments, in each way in which that is written.
fn calls_of_nothing(kind: EndpointKind) -> Vec<String> {
    let said = |values: Vec<Value>, write: &dyn Fn(Value) -> String| values.into_iter().map(write).collect();
    match kind {
        EndpointKind::Anthropic => {
            let call = |input: Value| json!({ "type": "tool_use", "id": "a", "name": "look", "input": input });
            let delta = |text: Value| {
                block(call(json!({})), Some(json!({ "type": "input_json_delta", "partial_json": text })), "tool_use")
            };
            let given = [json!({}), Value::Null, json!("")].map(|input| block(call(input), None, "tool_use"));
            [said(vec![json!(""), json!("{}"), json!("null")], &delta), given.into()].concat()
        }
        EndpointKind::OpenaiChat => {
            let written = vec![json!(""), json!("{}"), json!("null"), json!("\"\""), Value::Null, json!({})];
            said(written, &|arguments| {
                let function = json!({ "name": "look", "arguments": arguments });
                chunk(json!({ "tool_calls": [{ "index": 0, "id": "a", "function": function }] }), "tool_calls")
            })
        }
        EndpointKind::OpenaiResponses => said(vec![json!(""), json!("{}"), json!("null"), Value::Null], &|arguments| {
            let item = |arguments: &Value| json!({ "type": "function_call", "id": "f", "call_id": "a", "name": "look", "arguments": arguments });
            let start = json!({ "type": "response.output_item.added", "output_index": 0, "item": item(&json!("")) });
            let end = json!({ "type": "response.output_item.done", "output_index": 0, "item": item(&arguments) });
            frame(&start) + &frame(&end) + &frame(&json!({ "type": "response.completed", "response": {} }))
        }),
        EndpointKind::Gemini => {
            let calls = vec![json!({}), json!({ "args": {} }), json!({ "args": null })];
            said(calls, &|mut call| {
                call["name"] = "look".into();
                call["id"] = "a".into();
                candidate(json!([{ "functionCall": call }]), "STOP")
            })
        }
    }
}

#[tokio::test]
async fn a_call_without_arguments_has_an_empty_object_however_it_is_written() {
    for kind in KINDS {
        for body in calls_of_nothing(kind) {
            let reply = reply_of(kind, &body).await;
            let [Content::ToolCall { tool_name, input, .. }] = &reply.content[..] else { panic!("{body}: {reply:?}") };
            assert_eq!((tool_name.as_str(), input), ("look", &json!({})), "{kind:?}: {body}");
            assert_eq!(reply.stop_reason, StopReason::ToolUse, "{kind:?}: {body}");
        }
    }
}

/// Replies that are refused after "Well".
fn refused(kind: EndpointKind) -> Vec<String> {
    match kind {
        EndpointKind::Anthropic => {
            let text = json!({ "type": "text", "text": "" });
            vec![block(text, Some(json!({ "type": "text_delta", "text": "Well" })), "refusal")]
        }
        EndpointKind::OpenaiChat => {
            let said = frame(&json!({ "choices": [{ "index": 0, "delta": { "content": "We" } }] }));
            vec![
                said.clone() + &chunk(json!({ "refusal": "ll" }), "stop"),
                said + &chunk(json!({ "content": "ll" }), "content_filter"),
            ]
        }
        EndpointKind::OpenaiResponses => {
            let event = |kind: &str, more: Value| {
                let mut event = json!({ "type": kind, "output_index": 0, "item_id": "m" });
                event.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
                frame(&event)
            };
            let start = event("response.output_item.added", json!({ "item": { "type": "message", "id": "m" } }))
                + &event("response.output_text.delta", json!({ "delta": "We" }));
            let parts = json!([{ "type": "output_text", "text": "We" }, { "type": "refusal", "refusal": "ll" }]);
            let whole = event(
                "response.output_item.done",
                json!({ "item": { "type": "message", "id": "m", "content": parts } }),
            );
            let completed = event("response.completed", json!({ "response": { "status": "completed" } }));
            let filtered = json!({ "response": { "incomplete_details": { "reason": "content_filter" } } });
            let refusal = event("response.refusal.delta", json!({ "delta": "ll" }));
            let more = event("response.output_text.delta", json!({ "delta": "ll" }));
            vec![
                start.clone() + &refusal + &whole + &completed,
                whole + &completed,
                start + &more + &event("response.incomplete", filtered),
            ]
        }
        EndpointKind::Gemini => {
            let said = frame(&json!({ "candidates": [{ "content": { "parts": [{ "text": "Well" }] } }] }));
            let ended = ["SAFETY", "PROHIBITED_CONTENT", "RECITATION", "BLOCKLIST", "SPII"]
                .map(|reason| said.clone() + &frame(&json!({ "candidates": [{ "finishReason": reason }] })));
            let blocked = frame(&json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" } }));
            [ended.into(), vec![said + &blocked]].concat()
        }
    }
}

#[tokio::test]
async fn a_reply_refused_in_its_middle_keeps_what_was_said_and_says_that_it_was_refused() {
    for kind in KINDS {
        for body in refused(kind) {
            let reply = reply_of(kind, &body).await;
            assert_eq!(reply.stop_reason, StopReason::Refused, "{kind:?}: {body}");
            assert_eq!(Content::joined_text(&reply.content), "Well", "{kind:?}: {body}");
        }
    }
}
