//! Frames of Anthropic Messages become events and one reply.

use bytes::Bytes;
use lodger_model::ModelEvent;
use lodger_protocol::{Content, EndpointKind, ErrorCode, StopReason, Usage};
use serde_json::{Value, json};

use crate::common::{all_events, call, end, events_in, frame};

const TEXT: &str = include_str!("fixtures/anthropic_text.sse");
const CALLS: &str = include_str!("fixtures/anthropic_calls.sse");

async fn events_of(pieces: Vec<Bytes>) -> Vec<ModelEvent> {
    all_events(EndpointKind::Anthropic, pieces).await
}

async fn events(body: &str) -> Vec<ModelEvent> {
    events_in(EndpointKind::Anthropic, body).await
}

fn start(usage: Value) -> String {
    frame(&json!({ "type": "message_start", "message": { "usage": usage } }))
}

fn tool(index: u64, id: &str, pieces: &[&str]) -> String {
    let mut out = frame(&json!({ "type": "content_block_start", "index": index,
        "content_block": { "type": "tool_use", "id": id, "name": "t", "input": {} } }));
    for piece in pieces {
        out += &frame(&json!({ "type": "content_block_delta", "index": index,
            "delta": { "type": "input_json_delta", "partial_json": piece } }));
    }
    out + &frame(&json!({ "type": "content_block_stop", "index": index }))
}

fn stop(reason: &str) -> String {
    frame(&json!({ "type": "message_delta", "delta": { "stop_reason": reason } }))
        + &frame(&json!({ "type": "message_stop" }))
}

#[tokio::test]
async fn text_comes_as_deltas_and_then_whole() {
    let events = events(TEXT).await;
    assert_eq!(events[0], ModelEvent::TextDelta("Grüße, ".to_owned()));
    assert_eq!(events[1], ModelEvent::TextDelta("Welt 🌍\n".to_owned()));
    let reply = end(&events).unwrap();
    assert_eq!(reply.content, [Content::text("Grüße, Welt 🌍\n")]);
    assert_eq!(reply.stop_reason, StopReason::EndTurn);
}

#[tokio::test]
async fn usage_is_the_last_total_in_disjoint_buckets() {
    assert_eq!(
        end(&events(TEXT).await).unwrap().usage,
        Usage {
            input_tokens: Some(12),
            output_tokens: Some(31),
            cache_read_tokens: Some(18_304),
            cache_write_tokens: Some(2_051),
            reasoning_tokens: None,
        }
    );
}

#[tokio::test]
async fn usage_is_told_as_it_comes() {
    let events = events_of(vec![Bytes::from_static(TEXT.as_bytes())]).await;
    let Some(ModelEvent::Usage(first)) = events.first() else { panic!("{events:?}") };
    assert_eq!((first.input_tokens, first.cache_read_tokens), (Some(12), Some(18_304)));
    assert_eq!(events.iter().filter(|event| matches!(event, ModelEvent::Usage(_))).count(), 2);
}

#[tokio::test]
async fn thought_that_is_counted_apart_is_not_counted_twice() {
    let usage = json!({ "output_tokens": 10, "output_tokens_details": { "thinking_tokens": 7 } });
    let usage = end(&events(&(start(usage) + &stop("end_turn"))).await).unwrap().usage;
    assert_eq!((usage.output_tokens, usage.reasoning_tokens), (Some(3), Some(7)));
}

#[tokio::test]
async fn what_the_provider_does_not_count_stays_absent() {
    let usage = end(&events(&(start(Value::Null) + &stop("end_turn"))).await).unwrap().usage;
    assert_eq!(usage, Usage::default());
    let usage = end(&events(&(start(json!({ "input_tokens": 3 })) + &stop("end_turn"))).await).unwrap().usage;
    assert_eq!(usage, Usage { input_tokens: Some(3), ..Usage::default() });
}

#[tokio::test]
async fn thought_keeps_its_signature_and_parallel_calls_keep_their_own_input() {
    let reply = end(&events(CALLS).await).unwrap();
    assert_eq!(
        reply.content,
        [
            Content::Thinking {
                text: "Two files to read.".to_owned(),
                signature: Some("EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=".to_owned()),
            },
            Content::RedactedThinking { data: "EmwKAhgBEgy3va3pzix".to_owned() },
            Content::text("I read both."),
            call("toolu_01A", "read_file", json!({ "path": "a/é.txt", "limit": 10 })),
            call("toolu_01B", "list_tasks", json!({})),
        ]
    );
    assert_eq!(reply.stop_reason, StopReason::ToolUse);
}

#[tokio::test]
async fn input_deltas_name_their_call() {
    let deltas: Vec<_> = events(CALLS)
        .await
        .into_iter()
        .filter_map(|event| match event {
            ModelEvent::ToolInputDelta { tool_call_id, tool_name, text } => Some((tool_call_id, tool_name, text)),
            _ => None,
        })
        .collect();
    assert_eq!(
        deltas,
        [
            ("toolu_01A".into(), "read_file".to_owned(), "{\"path\": \"a".to_owned()),
            ("toolu_01A".into(), "read_file".to_owned(), "/é.txt\", \"limit\": 10}".to_owned()),
        ]
    );
}

#[tokio::test]
async fn a_stream_that_ends_anywhere_has_one_end_and_no_invented_call() {
    for body in [TEXT, CALLS] {
        let whole = end(&events(body).await).unwrap();
        // The stream is whole from the blank line after `message_stop` on.
        for cut in 0..body.len() {
            let (error, partial) = end(&events_of(vec![Bytes::copy_from_slice(&body.as_bytes()[..cut])]).await)
                .expect_err("a cut stream is no success");
            assert_eq!(error.code, ErrorCode::ProviderStreamCut, "cut at {cut}");
            assert_eq!(partial.stop_reason, StopReason::Error);
            for block in &partial.content {
                match block {
                    Content::ToolCall { .. } => assert!(whole.content.contains(block), "cut at {cut}: {block:?}"),
                    Content::Text { text } => {
                        let full = Content::joined_text(&whole.content);
                        assert!(full.starts_with(text), "cut at {cut}: {text}");
                    }
                    _ => {}
                }
            }
        }
    }
}

#[tokio::test]
async fn each_stop_reason_has_its_meaning() {
    for (word, reason) in [
        ("end_turn", StopReason::EndTurn),
        ("stop_sequence", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxOutputTokens),
        ("refusal", StopReason::Refused),
        ("pause_turn", StopReason::EndTurn),
        ("something_new", StopReason::EndTurn),
    ] {
        let body = TEXT.replace("\"stop_reason\":\"end_turn\"", &format!("\"stop_reason\":\"{word}\""));
        assert_eq!(end(&events(&body).await).unwrap().stop_reason, reason, "{word}");
    }
}

#[tokio::test]
async fn a_full_context_window_is_an_overflow_with_what_had_come() {
    let body = TEXT.replace("\"end_turn\"", "\"model_context_window_exceeded\"");
    let (error, partial) = end(&events(&body).await).unwrap_err();
    assert_eq!(error.code, ErrorCode::ContextOverflow);
    assert_eq!(partial.content, [Content::text("Grüße, Welt 🌍\n")]);
}

#[tokio::test]
async fn calls_decide_whether_results_are_waited_for_whatever_the_server_says() {
    let body = start(Value::Null) + &tool(0, "a", &["{}"]) + &stop("end_turn");
    assert_eq!(end(&events(&body).await).unwrap().stop_reason, StopReason::ToolUse);
    let body = start(Value::Null) + &stop("tool_use");
    assert_eq!(end(&events(&body).await).unwrap().stop_reason, StopReason::EndTurn);
}

#[tokio::test]
async fn input_that_is_not_json_stays_as_text_and_can_not_be_taken_for_an_object() {
    for pieces in [&["{\"path\": \"a"][..], &["{\"a\":1}", "{\"b\":2}"], &["nonsense"]] {
        let body = start(Value::Null) + &tool(0, "a", pieces) + &stop("tool_use");
        let reply = end(&events(&body).await).unwrap();
        assert_eq!(reply.content, [call("a", "t", Value::String(pieces.concat()))]);
    }
}

#[tokio::test]
async fn a_call_cut_by_the_output_limit_before_its_input_began_is_not_one_without_arguments() {
    let body = start(Value::Null) + &tool(0, "a", &[]) + &stop("max_tokens");
    let reply = end(&events(&body).await).unwrap();
    assert_eq!(reply.content, [call("a", "t", Value::String(String::new()))]);
    assert_eq!(reply.stop_reason, StopReason::MaxOutputTokens);
    // A call before it came to its own end.
    let body = start(Value::Null) + &tool(0, "a", &[]) + &tool(1, "b", &["{\"x"]) + &stop("max_tokens");
    let reply = end(&events(&body).await).unwrap();
    assert_eq!(reply.content, [call("a", "t", json!({})), call("b", "t", json!("{\"x"))]);
}

#[tokio::test]
async fn a_call_that_was_not_ended_is_not_one_without_arguments() {
    let unended = frame(&json!({ "type": "content_block_start", "index": 0,
        "content_block": { "type": "tool_use", "id": "a", "name": "t", "input": {} } }));
    let reply = end(&events(&(start(Value::Null) + &unended + &stop("tool_use"))).await).unwrap();
    assert_eq!(reply.content, [call("a", "t", Value::String(String::new()))]);
}

#[tokio::test]
async fn input_may_stand_whole_in_the_start_of_its_block() {
    let block = frame(&json!({ "type": "content_block_start", "index": 0,
        "content_block": { "type": "tool_use", "id": "a", "name": "t", "input": { "x": 1 } } }))
        + &frame(&json!({ "type": "content_block_stop", "index": 0 }));
    let reply = end(&events(&(start(Value::Null) + &block + &stop("tool_use"))).await).unwrap();
    assert_eq!(reply.content, [call("a", "t", json!({ "x": 1 }))]);
}

#[tokio::test]
async fn an_index_that_comes_again_starts_a_new_call() {
    let body = start(Value::Null) + &tool(0, "a", &["{\"x\":1}"]) + &tool(0, "b", &["{\"x\":2}"]) + &stop("tool_use");
    let reply = end(&events(&body).await).unwrap();
    assert_eq!(reply.content, [call("a", "t", json!({ "x": 1 })), call("b", "t", json!({ "x": 2 }))]);
}

#[tokio::test]
async fn what_the_protocol_may_add_is_passed_over() {
    let more = frame(&json!({ "type": "content_block_start", "index": 9, "content_block": { "type": "new_block" } }))
        + &frame(&json!({ "type": "content_block_delta", "index": 9, "delta": { "type": "new_delta" } }))
        + &frame(&json!({ "type": "content_block_stop", "index": 9 }))
        + &frame(&json!({ "type": "new_event", "delta": "of another shape", "index": "too" }))
        + &frame(&json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "citations_delta", "citation": {} } }));
    let body = TEXT.replacen("event: content_block_stop", &format!("{more}event: content_block_stop"), 1);
    assert_eq!(events(&body).await, events(TEXT).await);
}

#[tokio::test]
async fn an_error_within_the_stream_is_judged_like_a_status() {
    for (kind, message, code) in [
        ("overloaded_error", "Overloaded", ErrorCode::ProviderOverloaded),
        ("rate_limit_error", "Slow down", ErrorCode::ProviderRateLimited),
        ("api_error", "Internal server error", ErrorCode::ProviderUnavailable),
        ("authentication_error", "Bad key", ErrorCode::ProviderAuth),
        ("invalid_request_error", "messages: nope", ErrorCode::ProviderRejected),
        ("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", ErrorCode::ContextOverflow),
        ("new_error", "Hm", ErrorCode::ProviderUnavailable),
    ] {
        let fault = frame(&json!({ "type": "error", "error": { "type": kind, "message": message } }));
        let body = TEXT.replacen("event: content_block_stop", &format!("{fault}event: content_block_stop"), 1);
        let (error, partial) = end(&events(&body).await).unwrap_err();
        assert_eq!(error.code, code, "{kind}");
        assert_eq!(error.retryable, code.entry().retryable);
        assert!(error.message.contains(message), "{}", error.message);
        assert_eq!(partial.content, [Content::text("Grüße, Welt 🌍\n")]);
    }
}

#[tokio::test]
async fn frames_that_are_not_the_protocol_are_malformed_and_end_the_stream() {
    let delta = |index: u64, kind: &str| {
        frame(&json!({ "type": "content_block_delta", "index": index, "delta": { "type": kind, "text": "x" } }))
    };
    for bad in [
        "data: {not json\n\n".to_owned(),
        "data: []\n\n".to_owned(),
        frame(&json!({ "no": "type" })),
        frame(&json!({ "type": "content_block_delta", "index": 0, "delta": "text" })),
        frame(
            &json!({ "type": "content_block_start", "index": 5, "content_block": { "type": "tool_use", "id": "a" } }),
        ),
        frame(
            &json!({ "type": "content_block_start", "index": 5, "content_block": { "type": "tool_use", "name": "a" } }),
        ),
        frame(&json!({ "type": "content_block_stop", "index": 7 })),
        delta(7, "text_delta"),
        delta(0, "input_json_delta"),
        frame(&json!({ "type": "content_block_stop", "index": 0 })) + &delta(0, "text_delta"),
    ] {
        let body = TEXT.replacen("event: content_block_stop", &format!("{bad}event: content_block_stop"), 1);
        let (error, partial) = end(&events(&body).await).unwrap_err();
        assert_eq!(error.code, ErrorCode::ProviderMalformed, "{bad}");
        assert_eq!(partial.content, [Content::text("Grüße, Welt 🌍\n")], "{bad}");
    }
}

#[tokio::test]
async fn text_that_is_not_utf_8_is_malformed() {
    let mut body = TEXT.as_bytes().to_vec();
    let place = TEXT.find("Welt").unwrap();
    body[place] = 0xff;
    let (error, _) = end(&events_of(vec![body.into()]).await).unwrap_err();
    assert_eq!(error.code, ErrorCode::ProviderMalformed);
}
