//! Chat Completions as it is really sent: every server has its own way.

use lodger_model::{ModelEvent, ModelRequest, Reply};
use lodger_protocol::{Content, Effort, EndpointKind, Error, ErrorCode, Role, StopReason, Usage};
use serde_json::{Value, json};

use crate::common::{
    all_events, call, end, events_in, failure_of, frame, message, reply_of, request, result, thinking, user, written,
};

const KIND: EndpointKind = EndpointKind::OpenaiChat;
const DONE: &str = "data: [DONE]\n\n";

fn delta(delta: Value) -> String {
    frame(
        &json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }),
    )
}

fn text(text: &str) -> String {
    delta(json!({ "content": text }))
}

fn piece(piece: Value) -> String {
    delta(json!({ "tool_calls": [piece] }))
}

fn finish(reason: &str) -> String {
    frame(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))
}

async fn reply(body: &str) -> Reply {
    reply_of(KIND, body).await
}

async fn failure(body: &str) -> (Error, Reply) {
    failure_of(KIND, body).await
}

async fn calls(pieces: &[Value]) -> Vec<Content> {
    let body: String = pieces.iter().cloned().map(piece).collect();
    reply(&(body + &finish("tool_calls") + DONE)).await.content
}

#[tokio::test]
async fn the_id_of_a_call_may_stand_in_its_first_piece_only() {
    let said = calls(&[
        json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "read", "arguments": "" } }),
        json!({ "index": 0, "id": null, "function": { "name": null, "arguments": "{\"x\":" } }),
        json!({ "index": 0, "id": "", "function": { "name": "", "arguments": "1}" } }),
    ])
    .await;
    assert_eq!(said, [call("a", "read", json!({ "x": 1 }))]);
}

#[tokio::test]
async fn the_id_and_name_may_stand_in_every_piece() {
    let said = calls(&[
        json!({ "index": 0, "id": "a", "function": { "name": "read", "arguments": "{\"x\":" } }),
        json!({ "index": 0, "id": "a", "function": { "name": "read", "arguments": "{}" } }),
        json!({ "index": 0, "id": "a", "function": { "name": "read", "arguments": "}" } }),
    ])
    .await;
    assert_eq!(said, [call("a", "read", json!({ "x": {} }))]);
}

#[tokio::test]
async fn two_calls_may_share_an_index_or_have_none() {
    for index in [json!(0), Value::Null] {
        let said = calls(&[
            json!({ "index": index, "id": "a", "function": { "name": "read", "arguments": "{\"x\":1}" } }),
            json!({ "index": index, "id": "b", "function": { "name": "read", "arguments": "{\"x\"" } }),
            json!({ "index": index, "function": { "arguments": ":2}" } }),
        ])
        .await;
        assert_eq!(said, [call("a", "read", json!({ "x": 1 })), call("b", "read", json!({ "x": 2 }))], "{index}");
    }
}

#[tokio::test]
async fn two_calls_without_ids_or_indexes_are_told_apart_by_their_names_and_ends() {
    let said = calls(&[
        json!({ "function": { "name": "read", "arguments": "{\"x\":1}" } }),
        json!({ "function": { "name": "read", "arguments": "{\"x\":2}" } }),
        json!({ "function": { "name": "list", "arguments": "{}" } }),
    ])
    .await;
    assert_eq!(
        said,
        [
            call("made_0", "read", json!({ "x": 1 })),
            call("made_1", "read", json!({ "x": 2 })),
            call("made_2", "list", json!({})),
        ]
    );
}

#[tokio::test]
async fn two_calls_without_ids_may_begin_without_input() {
    let said = calls(&[
        json!({ "function": { "name": "read", "arguments": "" } }),
        json!({ "function": { "arguments": "{\"x\":1}" } }),
        json!({ "function": { "name": "read", "arguments": "" } }),
        json!({ "function": { "arguments": "{\"x\":2}" } }),
    ])
    .await;
    assert_eq!(said, [call("made_0", "read", json!({ "x": 1 })), call("made_1", "read", json!({ "x": 2 }))]);
}

#[tokio::test]
async fn pieces_of_two_calls_may_come_in_turns() {
    let said = calls(&[
        json!({ "index": 0, "id": "a", "function": { "name": "read", "arguments": "{\"x\":" } }),
        json!({ "index": 1, "id": "b", "function": { "name": "read", "arguments": "{\"x\":" } }),
        json!({ "index": 0, "function": { "arguments": "1}" } }),
        json!({ "index": 1, "function": { "arguments": "2}" } }),
    ])
    .await;
    assert_eq!(said, [call("a", "read", json!({ "x": 1 })), call("b", "read", json!({ "x": 2 }))]);
}

#[tokio::test]
async fn an_id_that_changes_with_every_piece_is_that_of_the_first() {
    let said = calls(&[
        json!({ "index": 0, "id": "r1", "function": { "name": "read", "arguments": "{\"x\":" } }),
        json!({ "index": 0, "id": "r2", "function": { "arguments": "1}" } }),
    ])
    .await;
    assert_eq!(said, [call("r1", "read", json!({ "x": 1 }))]);
}

#[tokio::test]
async fn two_calls_of_one_id_have_each_their_own() {
    let said = calls(&[
        json!({ "index": 0, "id": "same", "function": { "name": "read", "arguments": "{\"x\":1}" } }),
        json!({ "index": 1, "id": "same", "function": { "name": "list", "arguments": "{}" } }),
    ])
    .await;
    assert_eq!(said, [call("same", "read", json!({ "x": 1 })), call("made_0", "list", json!({}))]);
}

#[tokio::test]
async fn input_may_be_missing_null_empty_or_not_a_text() {
    for arguments in [json!({}), json!({ "arguments": null }), json!({ "arguments": "" }), json!({ "arguments": {} })] {
        let mut function = arguments.clone();
        function["name"] = "list".into();
        let said = calls(&[json!({ "index": 0, "id": "a", "function": function })]).await;
        assert_eq!(said, [call("a", "list", json!({}))], "{arguments}");
    }
}

#[tokio::test]
async fn blank_text_before_a_call_is_no_answer() {
    let body =
        text("\n\n") + &piece(json!({ "index": 0, "id": "a", "function": { "name": "list", "arguments": "{}" } }));
    let said = reply(&(body + &finish("stop") + DONE)).await;
    assert_eq!(said.stop_reason, StopReason::ToolUse);
    assert_eq!(said.content[1], call("a", "list", json!({})));
}

#[tokio::test]
async fn a_cut_call_is_never_whole() {
    let half = piece(json!({ "index": 0, "id": "a", "function": { "name": "list", "arguments": "{\"path\": \"/t" } }));
    let none = piece(json!({ "index": 0, "id": "a", "function": { "name": "list", "arguments": "" } }));
    for (body, input) in [(&half, json!("{\"path\": \"/t")), (&none, json!(""))] {
        // The limit came in the middle: an input that is no object is never run.
        let said = reply(&(body.clone() + &finish("length") + DONE)).await;
        assert_eq!(
            (said.content, said.stop_reason),
            (vec![call("a", "list", input.clone())], StopReason::MaxOutputTokens)
        );
        // The end came without a reason.
        let said = reply(&(body.clone() + DONE)).await;
        assert_eq!(said.content, [call("a", "list", input)]);
        // It did not come at all.
        let (error, partial) = failure(&(text("Go") + body)).await;
        assert_eq!((error.code, partial.content), (ErrorCode::ProviderStreamCut, vec![Content::text("Go")]));
    }
}

#[tokio::test]
async fn a_reply_is_whole_with_a_reason_or_with_done() {
    assert_eq!(reply(&(text("Hi") + &finish("stop"))).await.stop_reason, StopReason::EndTurn);
    assert_eq!(reply(&(text("Hi") + DONE)).await.stop_reason, StopReason::EndTurn);
    assert_eq!(failure(&text("Hi")).await.0.code, ErrorCode::ProviderStreamCut);
    assert_eq!(failure("").await.0.code, ErrorCode::ProviderStreamCut);
    assert_eq!(failure(DONE).await.0.code, ErrorCode::ProviderStreamCut);
}

#[tokio::test]
async fn after_the_reason_nothing_can_break_the_reply() {
    let broken = text("Hi") + &finish("stop") + "data: \u{0}";
    assert_eq!(reply(&broken).await.content, [Content::text("Hi")]);
}

#[tokio::test]
async fn each_reason_has_its_meaning() {
    for (word, reason) in [
        ("stop", StopReason::EndTurn),
        ("tool_calls", StopReason::EndTurn),
        ("length", StopReason::MaxOutputTokens),
        ("content_filter", StopReason::Refused),
        ("some_new_word", StopReason::EndTurn),
    ] {
        assert_eq!(reply(&(text("Hi") + &finish(word) + DONE)).await.stop_reason, reason, "{word}");
    }
}

#[tokio::test]
async fn a_refusal_of_its_own_kind_is_text_and_the_reason() {
    let said = reply(&(delta(json!({ "refusal": "I will not." })) + &finish("stop") + DONE)).await;
    assert_eq!((said.content, said.stop_reason), (vec![Content::text("I will not.")], StopReason::Refused));
}

#[tokio::test]
async fn usage_comes_once_everywhere_or_nowhere_and_is_never_counted_twice() {
    let usage = |prompt: u64, completion: u64| json!({ "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion });
    let with = |frames: &[Value]| frames.iter().map(frame).collect::<String>() + DONE;
    let chunk = |usage: Value| json!({ "choices": [{ "index": 0, "delta": { "content": "x" }, "finish_reason": "stop" }], "usage": usage });
    let said = reply(&with(&[chunk(Value::Null)])).await;
    assert_eq!(said.usage, Usage::default());
    let said = reply(&with(&[chunk(usage(9, 1)), chunk(usage(9, 2)), chunk(usage(9, 3))])).await;
    assert_eq!((said.usage.input_tokens, said.usage.output_tokens), (Some(9), Some(3)));
    let said = reply(&with(&[chunk(Value::Null), json!({ "choices": [], "usage": usage(9, 3) })])).await;
    assert_eq!((said.usage.input_tokens, said.usage.output_tokens), (Some(9), Some(3)));
    let said = reply(&with(&[chunk(Value::Null), json!({ "choices": [], "x_groq": { "usage": usage(9, 3) } })])).await;
    assert_eq!(said.usage.input_tokens, Some(9));
}

#[tokio::test]
async fn usage_is_in_disjoint_buckets_whichever_way_it_is_counted() {
    let with = |usage: Value| frame(&json!({ "choices": [], "usage": usage }));
    let body = |usage: Value| text("x") + &finish("stop") + &with(usage) + DONE;
    let within = json!({ "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150,
        "prompt_tokens_details": { "cached_tokens": 60, "cache_write_tokens": 10 }, "completion_tokens_details": { "reasoning_tokens": 20 } });
    let expected = Usage {
        input_tokens: Some(30),
        output_tokens: Some(30),
        cache_read_tokens: Some(60),
        cache_write_tokens: Some(10),
        reasoning_tokens: Some(20),
    };
    assert_eq!(reply(&body(within)).await.usage, expected);
    let beside = json!({ "prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 150,
        "prompt_cache_hit_tokens": 60, "completion_tokens_details": { "reasoning_tokens": 20 } });
    let usage = reply(&body(beside)).await.usage;
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.cache_read_tokens), (Some(40), Some(30), Some(60)));
}

#[tokio::test]
async fn usage_is_told_before_the_end() {
    let usage = json!({ "prompt_tokens": 9, "completion_tokens": 1 });
    let body = frame(&json!({ "choices": [{ "index": 0, "delta": { "content": "x" } }], "usage": usage }));
    let events = all_events(KIND, vec![body.into()]).await;
    assert!(
        matches!(&events[1], ModelEvent::Usage(Usage { input_tokens: Some(9), output_tokens: Some(1), .. })),
        "{events:?}"
    );
    let (_, partial) = end(&events).unwrap_err();
    assert_eq!(partial.usage.input_tokens, Some(9));
}

#[tokio::test]
async fn thought_comes_in_several_fields_and_is_said_once() {
    for thought in [
        json!({ "reasoning_content": "Hm" }),
        json!({ "reasoning": "Hm" }),
        json!({ "reasoning": "Hm", "reasoning_details": [{ "type": "reasoning.text", "text": "Hm", "index": 0 }] }),
        json!({ "reasoning_details": [{ "type": "reasoning.summary", "summary": "Hm", "index": 0 }] }),
        json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "Hm" }] }] }),
    ] {
        let body = delta(thought.clone()) + &text("Yes") + &finish("stop") + DONE;
        let events = events_in(KIND, &body).await;
        assert_eq!(events[0], ModelEvent::ThinkingDelta("Hm".to_owned()), "{thought}");
        assert_eq!(events[1], ModelEvent::TextDelta("Yes".to_owned()), "{thought}");
        let content = end(&events).unwrap().content;
        assert!(matches!(&content[0], Content::Thinking { text, .. } if text == "Hm"), "{content:?}");
    }
}

/// What the second request says of the first reply.
async fn sent_back(body: &str, prompt_follows: bool) -> Value {
    let said = reply(body).await.content;
    let mut messages = vec![user("Go"), message(Role::Assistant, said)];
    messages.push(match prompt_follows {
        true => user("And?"),
        false => message(Role::User, vec![result("a", vec![Content::text("out")], false)]),
    });
    written(KIND, "m", &request(messages))["messages"][2].take()
}

#[tokio::test]
async fn thought_goes_back_where_it_came_from_as_long_as_the_turn_runs() {
    let tool = piece(json!({ "index": 0, "id": "a", "function": { "name": "list", "arguments": "{}" } }));
    for field in ["reasoning_content", "reasoning"] {
        let body = delta(json!({ field: "H" })) + &delta(json!({ field: "m" })) + &tool + &finish("tool_calls") + DONE;
        assert_eq!(sent_back(&body, false).await[field], "Hm");
        assert_eq!(sent_back(&body, true).await.get(field), None);
    }
}

#[tokio::test]
async fn details_of_thought_go_back_whole_always() {
    let detail = |text: &str| json!({ "reasoning_details": [{ "type": "reasoning.text", "text": text, "index": 0, "format": "f" }] });
    let encrypted = json!({ "reasoning_details": [{ "type": "reasoning.encrypted", "data": "opaque", "index": 1 }] });
    let body = delta(detail("H")) + &delta(detail("m")) + &delta(encrypted) + &text("Yes") + &finish("stop") + DONE;
    assert_eq!(
        sent_back(&body, true).await["reasoning_details"],
        json!([
            { "type": "reasoning.text", "text": "Hm", "index": 0, "format": "f" },
            { "type": "reasoning.encrypted", "data": "opaque", "index": 1 },
        ])
    );
}

#[tokio::test]
async fn an_error_within_the_stream_is_judged_like_a_status() {
    for (body, code) in [
        (json!({ "error": { "message": "Overloaded", "type": "overloaded_error" } }), ErrorCode::ProviderOverloaded),
        (json!({ "error": { "message": "x", "code": 429 } }), ErrorCode::ProviderRateLimited),
        (json!({ "error": { "message": "x", "code": "502" } }), ErrorCode::ProviderUnavailable),
        (json!({ "error": { "message": "x", "code": "context_length_exceeded" } }), ErrorCode::ContextOverflow),
        (json!({ "error": "something went wrong" }), ErrorCode::ProviderUnavailable),
        (json!({ "object": "error", "message": "bad", "code": 400 }), ErrorCode::ProviderRejected),
        (
            json!({ "choices": [{ "index": 0, "delta": { "content": "" }, "finish_reason": "error", "error": { "code": 502, "message": "x" } }] }),
            ErrorCode::ProviderUnavailable,
        ),
    ] {
        let (error, partial) = failure(&(text("So far") + &frame(&body) + DONE)).await;
        assert_eq!(error.code, code, "{body}");
        assert_eq!(partial.content, [Content::text("So far")]);
    }
}

#[tokio::test]
async fn what_is_not_known_is_passed_over_and_what_is_no_frame_is_malformed() {
    let odd = frame(&json!({ "type": "ping" }))
        + ": keep-alive\n\n"
        + &frame(&json!({ "choices": [{ "index": 1, "delta": { "content": "another" } }] }))
        + &frame(&json!({ "choices": null, "obfuscation": "x" }))
        + "data:\n\n"
        + &delta(json!({ "audio": {}, "content": null, "tool_calls": null, "annotations": [] }));
    let said = reply(&(odd + &text("Hi") + &finish("stop") + DONE)).await;
    assert_eq!(said.content, [Content::text("Hi")]);
    for bad in ["data: {half\n\n", "data: <html>\n\n", "data: {\"choices\":\"no\"}\n\n"] {
        let (error, partial) = failure(&(text("Hi") + bad)).await;
        assert_eq!((error.code, partial.content), (ErrorCode::ProviderMalformed, vec![Content::text("Hi")]), "{bad}");
    }
}

#[tokio::test]
async fn a_server_that_answers_in_one_piece_is_understood() {
    let whole = json!({ "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": { "role": "assistant", "content": "Hi",
        "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "list", "arguments": "{}" } }] } }] });
    let said = reply(&(frame(&whole) + DONE)).await;
    assert_eq!(said.content, [Content::text("Hi"), call("a", "list", json!({}))]);
}

#[test]
fn a_request_is_written_in_full() {
    assert_eq!(
        written(KIND, "some-model", &request(vec![user("Hi")])),
        json!({
            "model": "some-model",
            "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "Hi" }],
            "tools": [
                { "type": "function", "function": { "name": "bash", "description": "bash it",
                    "parameters": { "type": "object", "properties": {} } } },
                { "type": "function", "function": { "name": "read", "description": "read it",
                    "parameters": { "type": "object", "properties": { "path": { "type": "string" } } } } },
            ],
            "max_tokens": 100,
            "stream": true,
            "stream_options": { "include_usage": true },
        })
    );
}

#[test]
fn each_model_is_told_in_its_own_words() {
    let body = |model: &str, effort| written(KIND, model, &ModelRequest { effort, ..request(vec![user("Hi")]) });
    let own = body("gpt-5.2", Effort::Max);
    assert_eq!((&own["max_completion_tokens"], &own["reasoning_effort"]), (&json!(100), &json!("xhigh")));
    assert!(own.get("max_tokens").is_none());
    assert_eq!(body("llama-3.3", Effort::Minimal)["reasoning_effort"], "low");
    assert!(body("gpt-4o", Effort::High).get("reasoning_effort").is_none());
    assert!(body("gpt-5.2", Effort::Auto).get("reasoning_effort").is_none());
}

#[test]
fn thought_without_a_field_is_not_sent() {
    let said = message(Role::Assistant, vec![thinking("Hm", None), Content::text("Yes")]);
    let sent = written(KIND, "m", &request(vec![user("Go"), said]));
    assert_eq!(sent["messages"][2], json!({ "role": "assistant", "content": "Yes" }));
}
