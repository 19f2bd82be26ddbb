//! Responses as they are really sent, by their own provider and by those who are compatible with it.

use lodger_model::{ModelRequest, Reply};
use lodger_protocol::{Content, Effort, EndpointKind, Error, ErrorCode, StopReason};
use serde_json::{Value, json};

use crate::common::{by_another, call, failure_of, frame, reply_of, request, thinking, user, written};

const KIND: EndpointKind = EndpointKind::OpenaiResponses;

async fn reply(body: &str) -> Reply {
    reply_of(KIND, body).await
}

async fn failure(body: &str) -> (Error, Reply) {
    failure_of(KIND, body).await
}

fn event(kind: &str, mut more: Value) -> String {
    more["type"] = kind.into();
    frame(&more)
}

fn text(text: &str) -> String {
    event("response.output_text.delta", json!({ "output_index": 0, "item_id": "m", "delta": text }))
}

fn message() -> String {
    added(0, json!({ "type": "message", "id": "m", "role": "assistant", "content": [] }))
}

fn added(index: u64, item: Value) -> String {
    event("response.output_item.added", json!({ "output_index": index, "item": item }))
}

fn done(index: u64, item: Value) -> String {
    event("response.output_item.done", json!({ "output_index": index, "item": item }))
}

fn tool(id: &str, call_id: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": id, "call_id": call_id, "name": "read", "arguments": arguments })
}

fn completed() -> String {
    event("response.completed", json!({ "response": { "status": "completed" } }))
}

#[tokio::test]
async fn input_may_come_in_deltas_or_whole_at_any_end_and_is_said_once() {
    let start = || added(0, tool("f", "a", ""));
    let delta = |text: &str| {
        event("response.function_call_arguments.delta", json!({ "item_id": "f", "output_index": 0, "delta": text }))
    };
    let whole = || event("response.function_call_arguments.done", json!({ "item_id": "f", "arguments": "{\"x\":1}" }));
    let end = || done(0, tool("f", "a", "{\"x\":1}"));
    for body in [
        start() + &delta("{\"x\"") + &delta(":1}") + &whole() + &end(),
        start() + &delta("{\"x\":1}") + &end(),
        start() + &whole() + &end(),
        start() + &end(),
        added(0, tool("f", "a", "{\"x\":1}")) + &end(),
        end(),
        event("response.completed", json!({ "response": { "output": [tool("f", "a", "{\"x\":1}")] } })),
    ] {
        let said = reply(&(body.clone() + &completed())).await;
        assert_eq!(said.content, [call("a", "read", json!({ "x": 1 }))], "{body}");
        assert_eq!(said.stop_reason, StopReason::ToolUse);
    }
}

#[tokio::test]
async fn calls_may_share_an_index_where_they_have_ids() {
    let body = added(0, tool("f1", "a", ""))
        + &event(
            "response.function_call_arguments.delta",
            json!({ "item_id": "f1", "output_index": 0, "delta": "{\"x\":1}" }),
        )
        + &done(0, tool("f1", "a", "{\"x\":1}"))
        + &added(0, tool("f2", "b", ""))
        + &event(
            "response.function_call_arguments.delta",
            json!({ "item_id": "f2", "output_index": 0, "delta": "{\"x\":2}" }),
        )
        + &done(0, tool("f2", "b", "{\"x\":2}"));
    let said = reply(&(body + &completed())).await;
    assert_eq!(said.content, [call("a", "read", json!({ "x": 1 })), call("b", "read", json!({ "x": 2 }))]);
}

#[tokio::test]
async fn calls_may_have_neither_index_nor_item_id() {
    let bare = |kind: &str, more: Value| event(kind, more);
    let item = |id: &str, arguments: &str| json!({ "type": "function_call", "call_id": id, "name": "read", "arguments": arguments });
    let mut body = String::new();
    for (id, input) in [("a", "{\"x\":1}"), ("b", "{\"x\":2}")] {
        body += &bare("response.output_item.added", json!({ "item": item(id, "") }));
        body += &bare("response.function_call_arguments.delta", json!({ "delta": input }));
        body += &bare("response.output_item.done", json!({ "item": item(id, input) }));
    }
    let said = reply(&(body + &completed())).await;
    assert_eq!(said.content, [call("a", "read", json!({ "x": 1 })), call("b", "read", json!({ "x": 2 }))]);
}

#[tokio::test]
async fn text_may_come_without_the_start_of_its_item() {
    let said = reply(&(text("Hi ") + &text("there") + &completed())).await;
    assert_eq!(said.content, [Content::text("Hi there")]);
}

#[tokio::test]
async fn thought_is_kept_as_the_item_that_came_whole() {
    let part = |index: u64, text: &str| {
        event(
            "response.reasoning_summary_text.delta",
            json!({ "output_index": 0, "summary_index": index, "delta": text }),
        )
    };
    let item = json!({ "type": "reasoning", "id": "rs", "encrypted_content": "whole", "summary": [
        { "type": "summary_text", "text": "One" }, { "type": "summary_text", "text": "Two" } ] });
    let body = added(0, json!({ "type": "reasoning", "id": "rs", "encrypted_content": "half", "summary": [] }))
        + &part(0, "On")
        + &part(0, "e")
        + &part(1, "Two")
        + &done(0, item.clone());
    let said =
        reply(&(body + &added(1, json!({ "type": "message", "id": "m" })) + &text("Yes") + &completed())).await.content;
    let [Content::Thinking { text, signature: Some(kept) }, Content::Text { .. }] = &said[..] else {
        panic!("{said:?}")
    };
    assert_eq!(text, "One\n\nTwo");
    let kept: Value = serde_json::from_str(kept.strip_prefix("openai-responses:").unwrap()).unwrap();
    assert_eq!(kept, item);
    let sent = written(
        KIND,
        "gpt-5.2",
        &request(vec![user("Go"), crate::common::message(lodger_protocol::Role::Assistant, said)]),
    );
    assert_eq!(sent["input"][1], item);
}

#[tokio::test]
async fn each_end_has_its_meaning() {
    let start = || message() + &text("Hi");
    let incomplete = |reason: &str| {
        event(
            "response.incomplete",
            json!({ "response": { "incomplete_details": { "reason": reason }, "usage": { "output_tokens": 3 } } }),
        )
    };
    let said = reply(&(start() + &incomplete("max_output_tokens"))).await;
    assert_eq!((said.stop_reason, said.usage.output_tokens), (StopReason::MaxOutputTokens, Some(3)));
    assert_eq!(reply(&(start() + &incomplete("content_filter"))).await.stop_reason, StopReason::Refused);
    let refusal = event("response.refusal.delta", json!({ "output_index": 0, "item_id": "m", "delta": "No." }));
    let said = reply(&(message() + &refusal + &completed())).await;
    assert_eq!((said.content, said.stop_reason), (vec![Content::text("No.")], StopReason::Refused));
    let (error, partial) = failure(&start()).await;
    assert_eq!((error.code, partial.content), (ErrorCode::ProviderStreamCut, vec![Content::text("Hi")]));
}

#[tokio::test]
async fn a_call_that_is_cut_is_never_whole() {
    let half = added(0, tool("f", "a", ""))
        + &event("response.function_call_arguments.delta", json!({ "item_id": "f", "delta": "{\"x\":" }));
    let none = added(0, tool("f", "a", ""));
    let limit = event(
        "response.incomplete",
        json!({ "response": { "incomplete_details": { "reason": "max_output_tokens" } } }),
    );
    for (body, input) in [(half, json!("{\"x\":")), (none, json!(""))] {
        let said = reply(&(body.clone() + &limit)).await;
        assert_eq!(said.content, [call("a", "read", input)]);
        assert_eq!(failure(&body).await.1.content, []);
    }
}

#[tokio::test]
async fn every_way_to_fail_is_judged_like_a_status() {
    let failed = |error: Value| event("response.failed", json!({ "response": { "status": "failed", "error": error } }));
    for (body, code) in [
        (failed(json!({ "code": "rate_limit_exceeded", "message": "slow" })), ErrorCode::ProviderRateLimited),
        (failed(json!({ "code": "server_error", "message": "x" })), ErrorCode::ProviderUnavailable),
        (failed(json!({ "code": "context_length_exceeded", "message": "x" })), ErrorCode::ContextOverflow),
        (failed(json!({ "code": "invalid_image_url", "message": "x" })), ErrorCode::ProviderRejected),
        (failed(Value::Null), ErrorCode::ProviderUnavailable),
        (event("error", json!({ "code": "server_is_overloaded", "message": "x" })), ErrorCode::ProviderOverloaded),
        (
            event("error", json!({ "error": { "type": "invalid_request_error", "message": "x" } })),
            ErrorCode::ProviderRejected,
        ),
        (frame(&json!({ "error": { "code": 429, "message": "x" } })), ErrorCode::ProviderRateLimited),
    ] {
        let (error, partial) = failure(&(message() + &text("So far") + &body + &completed())).await;
        assert_eq!(error.code, code, "{body}");
        assert_eq!(partial.content, [Content::text("So far")], "{body}");
    }
}

#[tokio::test]
async fn what_is_not_known_is_passed_over_and_what_is_no_frame_is_malformed() {
    let odd = event("response.some_new_event", json!({ "delta": { "of": "another shape" }, "item": 3 }))
        + &added(7, json!({ "type": "web_search_call", "id": "w", "status": "in_progress" }))
        + &done(7, json!({ "type": "web_search_call", "id": "w", "status": "completed" }))
        + "data: [DONE]\n\n";
    let said = reply(&(odd + &message() + &text("Hi") + &completed())).await;
    assert_eq!(said.content, [Content::text("Hi")]);
    for bad in
        ["data: {half\n\n".to_owned(), frame(&json!({ "no": "type" })), added(1, json!({ "type": "function_call" }))]
    {
        let (error, _) = failure(&(message() + &text("Hi") + &bad)).await;
        assert_eq!(error.code, ErrorCode::ProviderMalformed, "{bad}");
    }
}

#[test]
fn a_request_is_written_in_full() {
    let ask = |model: &str, effort| written(KIND, model, &ModelRequest { effort, ..request(vec![user("Hi")]) });
    assert_eq!(
        ask("gpt-4.1", Effort::High),
        json!({
            "model": "gpt-4.1",
            "instructions": "Be brief.",
            "input": [{ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Hi" }] }],
            "tools": [
                { "type": "function", "name": "bash", "description": "bash it",
                    "parameters": { "type": "object", "properties": {} }, "strict": false },
                { "type": "function", "name": "read", "description": "read it",
                    "parameters": { "type": "object", "properties": { "path": { "type": "string" } } }, "strict": false },
            ],
            "max_output_tokens": 100,
            "store": false,
            "stream": true,
        })
    );
    let thinker = ask("gpt-5.2", Effort::Xhigh);
    assert_eq!(thinker["reasoning"], json!({ "effort": "xhigh", "summary": "auto" }));
    assert_eq!(thinker["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(ask("gpt-5.2", Effort::Auto)["reasoning"], json!({ "summary": "auto" }));
}

#[test]
fn thought_without_its_item_is_not_sent() {
    let said = vec![thinking("Hm", None), thinking("Hm", Some("EqQBbase64")), Content::text("Yes")];
    let sent = written(KIND, "m", &request(vec![crate::common::message(lodger_protocol::Role::Assistant, said)]));
    assert_eq!(sent["input"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_phase_of_each_message_is_kept_and_goes_back_to_its_model() {
    let message = |id: &str, phase: &str| json!({ "type": "message", "id": id, "phase": phase });
    let whole = json!({ "type": "message", "id": "b", "phase": "final_answer",
        "content": [{ "type": "output_text", "text": "Done." }] });
    let delta =
        |index: u64, text: &str| event("response.output_text.delta", json!({ "output_index": index, "delta": text }));
    let body = added(0, message("a", "commentary"))
        + &delta(0, "I look.")
        + &added(1, tool("f", "c", "{}"))
        // Said only when the message is whole.
        + &added(2, json!({ "type": "message", "id": "b" }))
        + &delta(2, "Done.")
        + &done(2, whole)
        // Of which nothing is left.
        + &added(3, message("d", "commentary"))
        + &completed();
    let said = reply(&body).await.content;
    let phase =
        |phase: &str| thinking("", Some(&format!("openai-responses:{{\"phase\":\"{phase}\",\"type\":\"message\"}}")));
    let look = call("c", "read", json!({}));
    let expected = [phase("commentary"), Content::text("I look."), look, phase("final_answer"), Content::text("Done.")];
    assert_eq!(said, expected);

    let conversation = vec![user("Go"), crate::common::message(lodger_protocol::Role::Assistant, said)];
    let items = |conversation| written(KIND, "gpt-6", &request(conversation))["input"].take();
    let sent = items(conversation.clone());
    let text = |text: &str, phase: &str| {
        json!({ "type": "message", "role": "assistant", "phase": phase,
            "content": [{ "type": "output_text", "text": text }] })
    };
    assert_eq!((&sent[1], &sent[3]), (&text("I look.", "commentary"), &text("Done.", "final_answer")));
    let [go, said] = conversation.try_into().unwrap();
    assert!(!items(vec![go, by_another(said)]).to_string().contains("phase"));
}

#[tokio::test]
async fn a_phase_without_words_is_nothing() {
    let said =
        |items: &[Value]| crate::common::message(lodger_protocol::Role::Assistant, items.iter().map(kept).collect());
    let phase = json!({ "type": "message", "phase": "commentary" });
    let thought = json!({ "type": "reasoning", "id": "r", "encrypted_content": "x", "summary": [] });
    let sent = written(KIND, "gpt-6", &request(vec![user("Go"), said(&[thought, phase])]));
    assert_eq!(sent["input"].as_array().unwrap().len(), 1, "{sent}");
}

fn kept(item: &Value) -> Content {
    thinking("", Some(&format!("openai-responses:{item}")))
}
