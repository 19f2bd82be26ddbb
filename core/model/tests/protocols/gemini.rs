//! Gemini as it is really sent.

use lodger_model::{ModelRequest, Reply};
use lodger_protocol::{Content, Effort, EndpointKind, Error, ErrorCode, Role, StopReason};
use serde_json::{Value, json};

use crate::common::{
    by_another, call, failure_of, frame, image, message, reply_of, request, result, thinking, user, written,
};

const KIND: EndpointKind = EndpointKind::Gemini;

async fn reply(body: &str) -> Reply {
    reply_of(KIND, body).await
}

async fn failure(body: &str) -> (Error, Reply) {
    failure_of(KIND, body).await
}

fn parts(parts: Value) -> String {
    frame(&json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }] }))
}

fn finish(reason: &str) -> String {
    frame(&json!({ "candidates": [{ "content": {}, "finishReason": reason }] }))
}

#[tokio::test]
async fn calls_come_whole_with_or_without_ids_and_input() {
    let body = parts(json!([
        { "functionCall": { "name": "read", "args": { "x": 1 } } },
        { "functionCall": { "id": "f9", "name": "list" } },
        { "functionCall": { "name": "list", "args": null } },
    ]));
    let said = reply(&(body + &finish("STOP"))).await;
    assert_eq!(
        said.content,
        [call("made_0", "read", json!({ "x": 1 })), call("f9", "list", json!({})), call("made_1", "list", json!({}))]
    );
    assert_eq!(said.stop_reason, StopReason::ToolUse);
}

#[tokio::test]
async fn a_signature_goes_back_on_the_part_that_it_came_on() {
    for (came, sent) in [
        (
            json!([{ "functionCall": { "name": "a", "args": {} }, "thoughtSignature": "s1" }, { "functionCall": { "name": "b", "args": {} } }]),
            json!(["a:s1", "b:"]),
        ),
        (json!([{ "text": "Hi", "thoughtSignature": "s1" }]), json!(["Hi:s1"])),
        (json!([{ "text": "Hi" }, { "text": "", "thoughtSignature": "s1" }]), json!(["Hi:s1"])),
        (json!([{ "text": "Hi", "thoughtSignature": "s1" }, { "text": " you" }]), json!(["Hi:s1", " you:"])),
        (
            json!([{ "text": "Hm", "thought": true }, { "text": "Hi", "thoughtSignature": "s1" }, { "functionCall": { "name": "a" }, "thoughtSignature": "s2" }]),
            json!(["Hi:s1", "a:s2"]),
        ),
        (
            json!([{ "functionCall": { "name": "a" }, "thoughtSignature": "s1" }, { "text": "", "thoughtSignature": "s2" }]),
            json!(["a:s1", ":s2"]),
        ),
    ] {
        let said = reply(&(parts(came.clone()) + &finish("STOP"))).await.content;
        let body = written(KIND, "gemini-2.5-pro", &request(vec![user("Go"), message(Role::Assistant, said)]));
        let got: Vec<_> = body["contents"][1]["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| {
                let what = part["functionCall"]["name"].as_str().or(part["text"].as_str()).unwrap();
                format!("{what}:{}", part["thoughtSignature"].as_str().unwrap_or_default())
            })
            .collect();
        assert_eq!(json!(got), sent, "{came}");
    }
}

#[tokio::test]
async fn each_reason_has_its_meaning() {
    for (word, reason) in [
        ("STOP", StopReason::EndTurn),
        ("MAX_TOKENS", StopReason::MaxOutputTokens),
        ("SAFETY", StopReason::Refused),
        ("RECITATION", StopReason::Refused),
        ("PROHIBITED_CONTENT", StopReason::Refused),
        ("SOME_NEW_FILTER", StopReason::Refused),
        ("OTHER", StopReason::EndTurn),
    ] {
        assert_eq!(reply(&(parts(json!([{ "text": "Hi" }])) + &finish(word))).await.stop_reason, reason, "{word}");
    }
    let blocked = frame(&json!({ "promptFeedback": { "blockReason": "SAFETY" } }));
    let said = reply(&blocked).await;
    assert_eq!((said.stop_reason, said.content), (StopReason::Refused, vec![]));
}

#[tokio::test]
async fn a_call_that_the_model_wrote_wrong_is_a_failure_that_may_be_tried_again() {
    let (error, _) = failure(&frame(&json!({ "candidates": [{ "finishReason": "MALFORMED_FUNCTION_CALL",
        "finishMessage": "Malformed function call: print(default_api" }] })))
    .await;
    assert_eq!((error.code, error.retryable), (ErrorCode::ProviderMalformed, true));
    assert!(error.message.contains("print(default_api"), "{}", error.message);
}

#[tokio::test]
async fn without_a_reason_the_reply_is_cut() {
    let (error, partial) = failure(&parts(json!([{ "text": "Hi" }]))).await;
    assert_eq!((error.code, partial.content), (ErrorCode::ProviderStreamCut, vec![Content::text("Hi")]));
    assert_eq!(failure("").await.0.code, ErrorCode::ProviderStreamCut);
}

#[tokio::test]
async fn an_error_within_the_stream_is_judged_like_a_status() {
    for (body, code) in [
        (
            json!({ "error": { "code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE" } }),
            ErrorCode::ProviderOverloaded,
        ),
        (
            json!({ "error": { "code": 429, "message": "x", "status": "RESOURCE_EXHAUSTED" } }),
            ErrorCode::ProviderRateLimited,
        ),
        (json!({ "error": { "code": 500, "message": "x", "status": "INTERNAL" } }), ErrorCode::ProviderUnavailable),
        (
            json!({ "error": { "code": 400, "status": "INVALID_ARGUMENT",
                "message": "The input token count (9) exceeds the maximum number of tokens allowed (8)." } }),
            ErrorCode::ContextOverflow,
        ),
    ] {
        let (error, partial) = failure(&(parts(json!([{ "text": "So far" }])) + &frame(&body))).await;
        assert_eq!(error.code, code, "{body}");
        assert_eq!(partial.content, [Content::text("So far")]);
    }
}

#[tokio::test]
async fn what_is_not_known_is_passed_over_and_what_is_no_frame_is_malformed() {
    let odd = parts(json!([{ "executableCode": {} }, { "inlineData": {} }, {}]))
        + &frame(&json!({ "candidates": [{ "index": 1, "content": { "parts": [{ "text": "another" }] } }] }))
        + &frame(&json!({ "candidates": null, "newField": 1 }));
    let said = reply(&(odd + &parts(json!([{ "text": "Hi" }])) + &finish("STOP"))).await;
    assert_eq!(said.content, [Content::text("Hi")]);
    for bad in ["data: {half\n\n".to_owned(), "data: []\n\n".to_owned(), parts(json!([{ "functionCall": {} }]))] {
        let (error, _) = failure(&(parts(json!([{ "text": "Hi" }])) + &bad)).await;
        assert_eq!(error.code, ErrorCode::ProviderMalformed, "{bad}");
    }
}

#[test]
fn a_request_is_written_in_full() {
    assert_eq!(
        written(KIND, "gemini-2.0-flash", &request(vec![user("Hi")])),
        json!({
            "systemInstruction": { "parts": [{ "text": "Be brief." }] },
            "contents": [{ "role": "user", "parts": [{ "text": "Hi" }] }],
            "tools": [{ "functionDeclarations": [
                { "name": "bash", "description": "bash it" },
                { "name": "read", "description": "read it",
                    "parametersJsonSchema": { "type": "object", "properties": { "path": { "type": "string" } } } },
            ] }],
            "generationConfig": { "maxOutputTokens": 100 },
        })
    );
}

#[test]
fn effort_is_told_as_each_model_takes_it() {
    let told = |model: &str, effort| {
        written(KIND, model, &ModelRequest { effort, ..request(vec![user("Hi")]) })["generationConfig"]["thinkingConfig"]
            .take()
    };
    assert_eq!(told("gemini-2.0-flash", Effort::High), Value::Null);
    assert_eq!(told("gemini-2.5-flash", Effort::Auto), json!({ "includeThoughts": true }));
    assert_eq!(told("gemini-2.5-flash", Effort::None), json!({ "includeThoughts": false, "thinkingBudget": 0 }));
    assert_eq!(told("gemini-2.5-pro", Effort::None), json!({ "includeThoughts": true, "thinkingBudget": 128 }));
    assert_eq!(told("gemini-2.5-pro", Effort::Medium), json!({ "includeThoughts": true, "thinkingBudget": 8192 }));
    assert_eq!(
        told("gemini-3-pro-preview", Effort::Medium),
        json!({ "includeThoughts": true, "thinkingLevel": "low" })
    );
}

#[test]
fn a_call_of_another_model_in_the_running_turn_has_the_word_in_place_of_its_signature() {
    let round = |prompt_follows: bool| {
        let mut messages = vec![
            user("Go"),
            by_another(message(Role::Assistant, vec![call("a", "x", json!({})), call("b", "x", json!({}))])),
            message(Role::User, vec![result("a", vec![], false), result("b", vec![], false)]),
        ];
        if prompt_follows {
            messages.push(user("And?"));
        }
        messages
    };
    let signatures = |model: &str, prompt_follows: bool| {
        let body = written(KIND, model, &request(round(prompt_follows)));
        [0, 1].map(|part| body["contents"][1]["parts"][part]["thoughtSignature"].clone())
    };
    let word = json!("skip_thought_signature_validator");
    assert_eq!(signatures("gemini-3-pro", false), [word, Value::Null]);
    assert_eq!(signatures("gemini-3-pro", true), [Value::Null, Value::Null]);
    assert_eq!(signatures("gemini-2.5-pro", false), [Value::Null, Value::Null]);
}

#[test]
fn an_image_of_a_result_follows_it_where_it_cannot_stand_inside() {
    let messages = vec![
        user("Go"),
        message(Role::Assistant, vec![thinking("Hm", None), call("a", "read", json!({}))]),
        message(Role::User, vec![result("a", vec![image()], false)]),
    ];
    let body = written(KIND, "gemini-2.5-pro", &request(messages));
    let sent = &body["contents"][2]["parts"];
    assert!(sent[0]["functionResponse"].get("parts").is_none(), "{sent}");
    assert_eq!(sent[2]["inlineData"], json!({ "mimeType": "image/png", "data": "aGk=" }));
}
