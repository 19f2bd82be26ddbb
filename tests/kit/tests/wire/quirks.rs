//! Each quirk, in the protocols that have it.

use lodger_kit::{MockOptions, Protocol, Quirk};
use serde_json::Value;

use super::{ask, frames, quirky, server};

fn sent(quirk: Quirk, protocol: Protocol) -> (String, Vec<Value>) {
    let body = ask(&quirky(quirk), protocol).body;
    let frames = frames(&body);
    (body, frames)
}

/// The pieces of calls in a stream of Chat Completions.
fn pieces(frames: &[Value]) -> Vec<&Value> {
    frames
        .iter()
        .map(|frame| &frame["choices"][0]["delta"]["tool_calls"][0])
        .filter(|piece| piece.is_object())
        .collect()
}

#[test]
fn pieces_of_calls_in_chat_completions() {
    let chat = |quirk| sent(quirk, Protocol::OpenaiChat).1;
    let plain = frames(&ask(&server(MockOptions::default()), Protocol::OpenaiChat).body);
    let indices = |frames: &[Value]| pieces(frames).iter().map(|piece| piece["index"].as_u64()).collect::<Vec<_>>();
    let ids = |frames: &[Value]| pieces(frames).iter().filter(|piece| piece["id"].is_string()).count();
    assert_eq!((ids(&plain), indices(&plain)), (2, [0, 0, 0, 1, 1, 1].map(Some).to_vec()));
    assert_eq!(ids(&chat(Quirk::IdInEveryPiece)), 6);
    assert_eq!(ids(&chat(Quirk::NoCallIds)), 0);
    assert_eq!(indices(&chat(Quirk::NoIndex)), [None; 6]);
    assert_eq!(indices(&chat(Quirk::SharedIndex)), [Some(0); 6]);
    let whole = chat(Quirk::WholeInput);
    let inputs: Vec<_> = pieces(&whole).iter().map(|piece| piece["function"]["arguments"].as_str().unwrap()).collect();
    assert_eq!(inputs, [r#"{"at":"one"}"#, r#"{"at":"two"}"#]);
}

#[test]
fn indices_and_inputs_elsewhere() {
    let (body, _) = sent(Quirk::SharedIndex, Protocol::Anthropic);
    assert!(!body.contains(r#""index":1"#) && body.contains(r#""index":0"#));
    let (body, _) = sent(Quirk::WholeInput, Protocol::Anthropic);
    assert!(!body.contains("input_json_delta") && body.contains(r#""input":{"at":"one"}"#));
    let (body, _) = sent(Quirk::NoIndex, Protocol::OpenaiResponses);
    assert!(!body.contains("output_index"));
    let (body, _) = sent(Quirk::WholeInput, Protocol::OpenaiResponses);
    assert!(!body.contains("function_call_arguments.delta") && body.contains("function_call_arguments.done"));
    let (body, _) = sent(Quirk::NoCallIds, Protocol::Gemini);
    assert!(!body.contains("call_0_0") && body.contains("functionCall"));
}

#[test]
fn usage_never_or_everywhere() {
    for protocol in Protocol::ALL {
        let (body, _) = sent(Quirk::NoUsage, protocol);
        assert!(
            !["\"output_tokens\"", "\"usage\":{\"c", "usageMetadata"].iter().any(|sign| body.contains(sign)),
            "{body}"
        );
    }
    let (_, frames) = sent(Quirk::UsageEverywhere, Protocol::OpenaiChat);
    assert!(frames.iter().all(|frame| frame["usage"]["prompt_tokens"] == 5));
    let (body, _) = sent(Quirk::UsageEverywhere, Protocol::Anthropic);
    assert!(body.matches("event: message_delta").count() > 5);
}

#[test]
fn ends_that_are_missing_or_plain() {
    for (protocol, sign) in [
        (Protocol::Anthropic, r#""stop_reason":"tool_use""#),
        (Protocol::OpenaiChat, r#""finish_reason":"tool_calls""#),
        (Protocol::Gemini, r#""finishReason":"STOP""#),
    ] {
        let plain = ask(&server(MockOptions::default()), protocol).body;
        assert!(plain.contains(sign), "{plain}");
        assert!(!sent(Quirk::NoFinish, protocol).0.contains(sign), "{protocol:?}");
    }
    for (protocol, sign) in [
        (Protocol::Anthropic, "message_stop"),
        (Protocol::OpenaiChat, "[DONE]"),
        (Protocol::OpenaiResponses, "response.completed"),
        (Protocol::Gemini, "finishReason"),
    ] {
        assert!(!sent(Quirk::NoTerminator, protocol).0.contains(sign), "{protocol:?}");
        assert!(sent(Quirk::DoneMarker, protocol).0.ends_with("data: [DONE]\n\n"), "{protocol:?}");
    }
    assert!(sent(Quirk::PlainFinish, Protocol::OpenaiChat).0.contains(r#""finish_reason":"stop""#));
    assert!(sent(Quirk::PlainFinish, Protocol::Anthropic).0.contains(r#""stop_reason":"end_turn""#));
}

#[test]
fn blank_text_comes_before_each_call() {
    for (protocol, sign) in [
        (Protocol::Anthropic, r#""content_block":{"text":"","type":"text"}"#),
        (Protocol::OpenaiChat, r#"{"content":"\n\n"}"#),
        (Protocol::OpenaiResponses, r#""text":"","type":"response.output_text.done""#),
        (Protocol::Gemini, r#""parts":[{"text":""}],"role":"model"},"index""#),
    ] {
        assert!(sent(Quirk::BlankText, protocol).0.matches(sign).count() >= 2, "{protocol:?}");
    }
}

#[test]
fn words_of_chat_completions() {
    let (body, _) = sent(Quirk::ReasoningWord, Protocol::OpenaiChat);
    assert!(body.contains(r#"{"reasoning":"hm"}"#) && !body.contains("reasoning_content"));
    assert!(sent(Quirk::Nulls, Protocol::OpenaiChat).0.contains(r#""tool_calls":null,"refusal":null"#));
}

#[test]
fn every_way_to_write_a_frame_says_the_same() {
    for protocol in Protocol::ALL {
        let plain = frames(&ask(&server(MockOptions::default()), protocol).body);
        for (quirk, sign) in [
            (Quirk::KeepAlive, ": keep-alive\n\n"),
            (Quirk::Cr, "\r\r"),
            (Quirk::Crlf, "\r\n\r\n"),
            (Quirk::ByteOrderMark, "\u{feff}"),
            (Quirk::NoSpace, "data:{"),
            (Quirk::NoNames, "data: {"),
        ] {
            let (body, frames) = sent(quirk, protocol);
            assert!(body.contains(sign), "{protocol:?} {quirk:?}");
            let missing = usize::from(quirk == Quirk::ByteOrderMark && !plain[0]["type"].is_string());
            assert_eq!(frames[..], plain[missing..], "{protocol:?} {quirk:?}");
        }
        assert!(sent(Quirk::SplitData, protocol).0.contains("data: {\ndata: "), "{protocol:?}");
        assert!(!sent(Quirk::NoNames, protocol).0.contains("event:"), "{protocol:?}");
    }
}
