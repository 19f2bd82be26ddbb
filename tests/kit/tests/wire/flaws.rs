//! Conversations that a provider refuses, and so does the server.

use lodger_kit::{MockOptions, Protocol};
use serde_json::{Value, json};

use super::{ask_with, body, server};

/// Sends a request; returns the words of the refusal, which are in the numbers too, or an empty text.
fn flaw(protocol: Protocol, body: &Value) -> String {
    let server = server(MockOptions::default());
    let answer = ask_with(&server, protocol, body);
    let flaws = server.stats().flaws;
    match answer.status {
        200 => assert!(flaws.is_empty(), "{flaws:?}"),
        status => assert_eq!((status, flaws.len()), (400, 1), "{}", answer.body),
    }
    flaws.into_iter().next().unwrap_or_default()
}

/// The plain request with another conversation.
fn with(protocol: Protocol, field: &str, conversation: Value) -> Value {
    let mut body = body(protocol);
    body[field] = conversation;
    body
}

fn check(protocol: Protocol, field: &str, rows: &[(Value, &str)]) {
    for (conversation, sign) in rows {
        let found = flaw(protocol, &with(protocol, field, conversation.clone()));
        assert_eq!(found.is_empty(), sign.is_empty(), "{conversation} {found}");
        assert!(found.contains(sign), "{conversation}: {found}");
    }
}

#[test]
fn anthropic_messages() {
    let user = json!({ "role": "user", "content": [{ "type": "text", "text": "Hi" }] });
    let call = json!({ "type": "tool_use", "id": "a", "name": "look", "input": {} });
    let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "text", "text": "ok" }] });
    let said = |blocks: Value| json!({ "role": "assistant", "content": blocks });
    let told = |blocks: Value| json!({ "role": "user", "content": blocks });
    check(
        Protocol::Anthropic,
        "messages",
        &[
            (json!([user, said(json!([call])), told(json!([result]))]), ""),
            (json!([]), "at least one"),
            (json!([user, user]), "alternate"),
            (json!([said(json!([call]))]), "alternate"),
            (json!([user, said(json!([call]))]), "the last"),
            (json!([user, said(json!([call])), user]), "without `tool_result`"),
            (
                json!([user, said(json!([{ "type": "text", "text": "x" }])), told(json!([result]))]),
                "unexpected `tool_use_id`",
            ),
            (json!([user, said(json!([call])), told(json!([{ "type": "text", "text": "x" }, result]))]), "come first"),
            (json!([told(json!([{ "type": "text", "text": " " }]))]), "non-whitespace"),
            (json!([told(json!([]))]), "non-empty"),
            (json!([user, said(json!([{ "type": "thinking", "thinking": "x" }])), user]), "signature"),
        ],
    );
    let mut marked = body(Protocol::Anthropic);
    let block = json!({ "type": "text", "text": "x", "cache_control": { "type": "ephemeral" } });
    marked["messages"][0]["content"] = json!([block, block, block, block, block]);
    assert!(flaw(Protocol::Anthropic, &marked).contains("maximum of 4"));
}

#[test]
fn openai_chat_completions() {
    let user = json!({ "role": "user", "content": "Hi" });
    let call = json!({ "id": "a", "type": "function", "function": { "name": "look", "arguments": "{}" } });
    let called = json!({ "role": "assistant", "tool_calls": [call] });
    let result = json!({ "role": "tool", "tool_call_id": "a", "content": "ok" });
    let mut broken = called.clone();
    broken["tool_calls"][0]["function"]["arguments"] = "{\"half".into();
    let picture =
        |url: &str| json!({ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": url } }] });
    check(
        Protocol::OpenaiChat,
        "messages",
        &[
            (json!([user, called, result]), ""),
            (json!([picture("data:image/png;base64,AAAA")]), ""),
            (json!([]), "at least one"),
            (json!([user, called]), "must be followed by tool messages"),
            (json!([user, called, user]), "must be followed by tool messages"),
            (json!([user, called, result, result]), "must be a response to a preceding message"),
            (json!([user, result]), "must be a response to a preceding message"),
            (json!([user, broken, result]), "arguments in JSON"),
            (json!([user, { "role": "assistant", "content": "" }, user]), "needs content"),
            (json!([picture("http://x/y.png")]), "data: URL"),
            (json!([picture("data:image/tiff;base64,AAAA")]), "image/tiff"),
            (
                json!([user, called, { "role": "tool", "tool_call_id": "a", "content": [{ "type": "image_url" }] }]),
                "not allowed",
            ),
        ],
    );
}

#[test]
fn openai_responses() {
    let user = json!({ "role": "user", "content": "Hi" });
    let call = json!({ "type": "function_call", "call_id": "a", "name": "look", "arguments": "{}" });
    let output = json!({ "type": "function_call_output", "call_id": "a", "output": "ok" });
    let reasoning = json!({ "type": "reasoning", "id": "r", "summary": [], "encrypted_content": "x" });
    check(
        Protocol::OpenaiResponses,
        "input",
        &[
            (json!([user, reasoning, call, output]), ""),
            (json!([]), "at least one"),
            (json!([user, call, user]), "No tool output found"),
            (json!([user, output]), "No tool call found"),
            (json!([user, call, output, output]), "Duplicate output"),
            (json!([user, call, call, output]), "Duplicate function call"),
            (json!([user, reasoning, user]), "required following item"),
            (json!([user, { "type": "reasoning", "id": "r", "summary": [] }, call, output]), "encrypted_content"),
            (
                json!([user, { "role": "assistant", "content": [{ "type": "input_text", "text": "x" }] }, user]),
                "not allowed",
            ),
            (json!([user, { "role": "assistant", "content": [] }, user]), "empty"),
            (
                json!([user, { "type": "function_call", "call_id": "a", "name": "look", "arguments": "x" }, output]),
                "in JSON",
            ),
        ],
    );
    let mut stored = body(Protocol::OpenaiResponses);
    stored["previous_response_id"] = "resp_1".into();
    assert!(flaw(Protocol::OpenaiResponses, &stored).contains("nothing is stored"));
}

#[test]
fn gemini() {
    let user = json!({ "role": "user", "parts": [{ "text": "Hi" }] });
    let call = json!({ "functionCall": { "name": "look", "args": {} } });
    let response = json!({ "functionResponse": { "name": "look", "response": { "output": "ok" } } });
    let said = |parts: Value| json!({ "role": "model", "parts": parts });
    let told = |parts: Value| json!({ "role": "user", "parts": parts });
    check(
        Protocol::Gemini,
        "contents",
        &[
            (json!([user, said(json!([call, call])), told(json!([response, response]))]), ""),
            (json!([user, said(json!([{ "function_call": { "name": "look" } }])), told(json!([response]))]), ""),
            (json!([]), "required"),
            (json!([user, user]), "alternate"),
            (json!([said(json!([call]))]), "alternate"),
            (json!([user, said(json!([call, call])), told(json!([response]))]), "number of function response parts"),
            (json!([user, said(json!([call])), user]), "number of function response parts"),
            (json!([user, said(json!([])), user]), "must not be empty"),
            (json!([told(json!([call]))]), "function call stands in a user's turn"),
            (json!([told(json!([{ "text": "x", "inlineData": {} }]))]), "one kind of data"),
            (
                json!([
                    user,
                    said(json!([{ "functionCall": { "name": "see", "args": {} } }])),
                    told(json!([response]))
                ]),
                "belong",
            ),
            (json!([told(json!([{ "inlineData": { "mimeType": "image/tiff", "data": "AAAA" } }]))]), "image/tiff"),
        ],
    );
}

#[test]
fn names_of_tools() {
    let name = "no spaces";
    for (protocol, tools) in [
        (Protocol::Anthropic, json!([{ "name": name, "input_schema": { "type": "object" } }])),
        (Protocol::OpenaiChat, json!([{ "type": "function", "function": { "name": name } }])),
        (Protocol::OpenaiResponses, json!([{ "type": "function", "name": name }])),
        (Protocol::Gemini, json!([{ "functionDeclarations": [{ "name": name }] }])),
    ] {
        assert!(flaw(protocol, &with(protocol, "tools", tools)).contains("no spaces"), "{protocol:?}");
    }
}
