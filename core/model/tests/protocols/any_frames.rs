//! Whatever frames come in whatever order: one end, nothing after it, no half call.

use lodger_model::ModelEvent;
use lodger_net::Frame;
use lodger_protocol::{Content, EndpointKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::reply_in;

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "type": "text", "text": "" })),
        Just(json!({ "type": "thinking", "thinking": "", "signature": "" })),
        Just(json!({ "type": "tool_use", "id": "a", "name": "t", "input": {} })),
        Just(json!({ "type": "tool_use", "id": "b", "name": "t" })),
        Just(json!({ "type": "new" })),
    ]
}

fn delta() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "type": "text_delta", "text": "x" })),
        Just(json!({ "type": "thinking_delta", "thinking": "x" })),
        Just(json!({ "type": "signature_delta", "signature": "s" })),
        Just(json!({ "type": "input_json_delta", "partial_json": "{\"a\":" })),
        Just(json!({ "type": "input_json_delta", "partial_json": "1}" })),
        Just(json!({ "type": "input_json_delta", "partial_json": "{}" })),
    ]
}

fn frame() -> impl Strategy<Value = String> {
    let index = 0..3_u64;
    prop_oneof![
        4 => (index.clone(), block())
            .prop_map(|(index, block)| json!({ "type": "content_block_start", "index": index, "content_block": block })),
        8 => (index.clone(), delta())
            .prop_map(|(index, delta)| json!({ "type": "content_block_delta", "index": index, "delta": delta })),
        4 => index.prop_map(|index| json!({ "type": "content_block_stop", "index": index })),
        1 => Just(json!({ "type": "message_start", "message": { "usage": { "input_tokens": 1 } } })),
        1 => prop_oneof![Just("end_turn"), Just("tool_use"), Just("max_tokens"), Just("refusal")]
            .prop_map(|stop| json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": null })),
        1 => Just(json!({ "type": "message_stop" })),
        1 => Just(json!({ "type": "ping" })),
    ]
    .prop_map(|value| value.to_string())
}

proptest! {
    #[test]
    fn there_is_one_end_nothing_after_it_and_no_half_call(
        frames in prop::collection::vec(prop_oneof![30 => frame(), 1 => ".{0,20}"], 0..40),
    ) {
        let mut state = reply_in(EndpointKind::Anthropic);
        let mut events = Vec::new();
        for data in frames {
            state.step(&Frame::data(data), &mut events);
        }
        state.end(&mut events);
        let ends = events.iter().filter(|event| matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed { .. }));
        prop_assert_eq!(ends.count(), 1);
        match events.last() {
            Some(ModelEvent::Finished(_)) => {}
            Some(ModelEvent::Failed { partial, .. }) => {
                for block in &partial.content {
                    if let Content::ToolCall { input, .. } = block {
                        prop_assert!(input.is_object());
                    }
                }
            }
            other => prop_assert!(false, "the end is not last: {:?}", other),
        }
    }
}
