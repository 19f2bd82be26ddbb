//! Whatever frames come in whatever order: one end, nothing after it, no half call, no panic.

use lodger_model::ModelEvent;
use lodger_net::Frame;
use lodger_protocol::{Content, EndpointKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::reply_in;

/// One of these values.
fn one_of(values: Vec<Value>) -> impl Strategy<Value = Value> {
    prop::sample::select(values)
}

/// A piece of a call's input.
fn input() -> impl Strategy<Value = Value> {
    one_of(vec![json!(""), json!("{\"a\":"), json!("1}"), json!("{}"), Value::Null])
}

fn anthropic() -> impl Strategy<Value = Value> {
    let index = 0..3_u64;
    let block = one_of(vec![
        json!({ "type": "text", "text": "" }),
        json!({ "type": "thinking", "thinking": "", "signature": "" }),
        json!({ "type": "tool_use", "id": "a", "name": "t", "input": {} }),
        json!({ "type": "tool_use", "id": "b", "name": "t" }),
        json!({ "type": "new" }),
    ]);
    let delta = one_of(vec![
        json!({ "type": "text_delta", "text": "x" }),
        json!({ "type": "thinking_delta", "thinking": "x" }),
        json!({ "type": "signature_delta", "signature": "s" }),
        json!({ "type": "input_json_delta", "partial_json": "{\"a\":" }),
        json!({ "type": "input_json_delta", "partial_json": "1}" }),
        json!({ "type": "input_json_delta", "partial_json": "{}" }),
    ]);
    let stop = one_of(vec![json!("end_turn"), json!("tool_use"), json!("max_tokens"), json!("refusal")]);
    prop_oneof![
        4 => (index.clone(), block)
            .prop_map(|(index, block)| json!({ "type": "content_block_start", "index": index, "content_block": block })),
        8 => (index.clone(), delta)
            .prop_map(|(index, delta)| json!({ "type": "content_block_delta", "index": index, "delta": delta })),
        4 => index.prop_map(|index| json!({ "type": "content_block_stop", "index": index })),
        1 => Just(json!({ "type": "message_start", "message": { "usage": { "input_tokens": 1 } } })),
        1 => stop.prop_map(|stop| json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": null })),
        1 => Just(json!({ "type": "message_stop" })),
        1 => Just(json!({ "type": "ping" })),
    ]
}

fn openai_chat() -> impl Strategy<Value = Value> {
    let id = one_of(vec![json!("a"), json!("b"), json!(""), Value::Null]);
    let index = one_of(vec![json!(0), json!(1), Value::Null]);
    let name = one_of(vec![json!("t"), json!("u"), json!(""), Value::Null]);
    let call = (id, index, name, input()).prop_map(|(id, index, name, input)| {
        json!({ "tool_calls": [{ "id": id, "index": index, "function": { "name": name, "arguments": input } }] })
    });
    let said = one_of(vec![
        json!({ "content": "x" }),
        json!({ "content": null, "reasoning_content": "x" }),
        json!({ "reasoning_details": [{ "type": "reasoning.text", "text": "x", "index": 0 }] }),
        json!({ "refusal": "x" }),
        json!({}),
    ]);
    let delta = prop_oneof![3 => call, 2 => said];
    let finish =
        one_of(vec![json!("stop"), json!("tool_calls"), json!("length"), json!("content_filter"), json!("error")]);
    prop_oneof![
        12 => delta.prop_map(|delta| json!({ "choices": [{ "index": 0, "delta": delta }] })),
        1 => finish.prop_map(|finish| json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] })),
        1 => Just(json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 2 } })),
        1 => one_of(vec![json!({ "error": { "message": "x" } }), json!({ "object": "error" }), json!({})]),
    ]
}

fn openai_responses() -> impl Strategy<Value = Value> {
    let index = || one_of(vec![json!(0), json!(1), Value::Null]);
    let item = || {
        let id = one_of(vec![json!("i"), json!("j"), Value::Null]);
        let kind = one_of(vec![json!("message"), json!("reasoning"), json!("function_call"), json!("new_call")]);
        let status = one_of(vec![json!("completed"), json!("incomplete"), Value::Null]);
        (id, kind, input(), status).prop_map(|(id, kind, input, status)| {
            json!({ "id": id, "type": kind, "call_id": id, "name": "t", "arguments": input, "status": status })
        })
    };
    let deltas = vec![
        "response.output_text.delta",
        "response.refusal.delta",
        "response.reasoning_summary_text.delta",
        "response.function_call_arguments.delta",
    ];
    let id = || one_of(vec![json!("i"), json!("j"), Value::Null]);
    prop_oneof![
        4 => (index(), item())
            .prop_map(|(index, item)| json!({ "type": "response.output_item.added", "output_index": index, "item": item })),
        3 => (index(), item())
            .prop_map(|(index, item)| json!({ "type": "response.output_item.done", "output_index": index, "item": item })),
        8 => (prop::sample::select(deltas), index(), id(), input()).prop_map(|(kind, index, id, delta)| {
            json!({ "type": kind, "output_index": index, "item_id": id, "delta": delta })
        }),
        1 => (index(), id(), input()).prop_map(|(index, id, input)| {
            json!({ "type": "response.function_call_arguments.done", "output_index": index, "item_id": id, "arguments": input })
        }),
        1 => one_of(vec![
            json!({ "type": "response.completed", "response": { "usage": { "input_tokens": 1 } } }),
            json!({ "type": "response.completed" }),
            json!({ "type": "response.incomplete", "response": { "incomplete_details": { "reason": "max_output_tokens" } } }),
            json!({ "type": "response.failed", "response": { "error": { "code": "server_error" } } }),
            json!({ "type": "error", "message": "x" }),
        ]),
    ]
}

fn gemini() -> impl Strategy<Value = Value> {
    let part = one_of(vec![
        json!({ "text": "x" }),
        json!({ "text": "x", "thought": true }),
        json!({ "text": "", "thoughtSignature": "s" }),
        json!({ "functionCall": { "name": "t", "args": { "a": 1 } } }),
        json!({ "functionCall": { "id": "a", "name": "t" }, "thoughtSignature": "s" }),
        json!({ "newPart": {} }),
    ]);
    let finish = one_of(vec![
        json!("STOP"),
        json!("MAX_TOKENS"),
        json!("SAFETY"),
        json!("MALFORMED_FUNCTION_CALL"),
        json!("OTHER"),
    ]);
    prop_oneof![
        12 => prop::collection::vec(part, 0..3).prop_map(|parts| json!({ "candidates": [{ "content": { "parts": parts } }] })),
        1 => finish.prop_map(|finish| json!({ "candidates": [{ "finishReason": finish }] })),
        1 => Just(json!({ "usageMetadata": { "promptTokenCount": 1 } })),
        1 => one_of(vec![json!({ "error": { "code": 500 } }), json!({ "promptFeedback": { "blockReason": "OTHER" } })]),
    ]
}

fn check(kind: EndpointKind, frames: Vec<String>) -> Result<(), TestCaseError> {
    let mut state = reply_in(kind);
    let mut events = Vec::new();
    for data in frames {
        state.step(&Frame::data(data), &mut events);
    }
    state.end(&mut events);
    state.end(&mut events);
    state.step(&Frame::data("{}"), &mut events);
    let ends = events.iter().filter(|event| matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed { .. }));
    prop_assert_eq!(ends.count(), 1);
    let mut ids = std::collections::HashSet::new();
    match events.last() {
        Some(ModelEvent::Finished(reply)) => {
            for block in &reply.content {
                if let Content::ToolCall { tool_call_id, .. } = block {
                    prop_assert!(ids.insert(tool_call_id.clone()), "{} comes twice", tool_call_id);
                }
            }
        }
        Some(ModelEvent::Failed { partial, .. }) => {
            for block in &partial.content {
                if let Content::ToolCall { input, .. } = block {
                    prop_assert!(input.is_object());
                }
            }
        }
        other => prop_assert!(false, "the end is not last: {:?}", other),
    }
    Ok(())
}

/// Frames of the protocol, and now and then something else.
fn mixed(frame: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<String>> {
    let frame = frame.prop_map(|value| value.to_string());
    prop::collection::vec(prop_oneof![30 => frame, 1 => ".{0,20}", 1 => Just("[DONE]".to_owned())], 0..40)
}

proptest! {
    #[test]
    fn anthropic_has_one_end(frames in mixed(anthropic())) {
        check(EndpointKind::Anthropic, frames)?;
    }

    #[test]
    fn openai_chat_has_one_end(frames in mixed(openai_chat())) {
        check(EndpointKind::OpenaiChat, frames)?;
    }

    #[test]
    fn openai_responses_has_one_end(frames in mixed(openai_responses())) {
        check(EndpointKind::OpenaiResponses, frames)?;
    }

    #[test]
    fn gemini_has_one_end(frames in mixed(gemini())) {
        check(EndpointKind::Gemini, frames)?;
    }
}
