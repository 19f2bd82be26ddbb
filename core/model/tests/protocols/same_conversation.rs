//! One conversation through all four protocols: thought, text, two calls side by side, a result that is an image, an
//! answer. What comes out is the same, and what goes in holds the same.

use lodger_model::{ModelEvent, ModelMessage, Reply};
use lodger_protocol::{Content, EndpointKind, Role, StopReason, Usage};
use serde_json::{Value, json};

use crate::common::{KINDS, call, end, events_in, image, message, request, result, thinking, user, written};

/// What each provider sent: the reply that calls, and the one that answers.
pub(crate) const fn recorded(kind: EndpointKind) -> [&'static str; 2] {
    match kind {
        EndpointKind::Anthropic => {
            [include_str!("fixtures/anthropic_same_calls.sse"), include_str!("fixtures/anthropic_same_text.sse")]
        }
        EndpointKind::OpenaiChat => {
            [include_str!("fixtures/openai_chat_calls.sse"), include_str!("fixtures/openai_chat_text.sse")]
        }
        EndpointKind::OpenaiResponses => {
            [include_str!("fixtures/openai_responses_calls.sse"), include_str!("fixtures/openai_responses_text.sse")]
        }
        EndpointKind::Gemini => [include_str!("fixtures/gemini_calls.sse"), include_str!("fixtures/gemini_text.sse")],
    }
}

/// A model that each protocol's own provider serves.
const fn model(kind: EndpointKind) -> &'static str {
    match kind {
        EndpointKind::Anthropic => "claude-opus-4-7",
        EndpointKind::OpenaiChat => "some-reasoner",
        EndpointKind::OpenaiResponses => "gpt-5.2",
        EndpointKind::Gemini => "gemini-3-pro-preview",
    }
}

/// Events with the differences that mean nothing taken out: where deltas are cut, input of nothing, ids, signatures.
fn trace(events: &[ModelEvent]) -> Vec<String> {
    let mut trace: Vec<(String, String)> = Vec::new();
    let mut add = |what: String, text: &str| match trace.last_mut() {
        Some((last, known)) if *last == what => known.push_str(text),
        _ => trace.push((what, text.to_owned())),
    };
    for event in events {
        match event {
            ModelEvent::TextDelta(text) => add("text".to_owned(), text),
            ModelEvent::ThinkingDelta(text) => add("thinking".to_owned(), text),
            ModelEvent::ToolInputDelta { tool_name, text, .. } => add(format!("input of {tool_name}"), text),
            ModelEvent::Finished(reply) => add("finished".to_owned(), &format!("{:?}", normal(reply.clone()))),
            other => panic!("{other:?}"),
        }
    }
    trace
        .into_iter()
        .map(|(what, text)| match serde_json::from_str::<Value>(&text) {
            Ok(input) => format!("{what}: {input}"),
            Err(_) => format!("{what}: {text}"),
        })
        .filter(|line| line != "input of list: {}")
        .collect()
}

fn normal(reply: Reply) -> Reply {
    let mut calls = 0;
    let content = reply.content.into_iter().filter_map(|block| match block {
        Content::Thinking { text, .. } => (!text.is_empty()).then(|| thinking(&text, None)),
        Content::ToolCall { tool_name, input, .. } => {
            calls += 1;
            Some(call(&format!("call {calls}"), &tool_name, input))
        }
        block => Some(block),
    });
    let content = content.collect();
    // Only one provider counts what it writes to its cache, and none of the rest says that it counts nothing.
    let zero_is_absent = |count: Option<u64>| count.filter(|count| *count > 0);
    let usage = Usage {
        cache_write_tokens: zero_is_absent(reply.usage.cache_write_tokens),
        reasoning_tokens: zero_is_absent(reply.usage.reasoning_tokens),
        ..reply.usage
    };
    Reply { content, usage, ..reply }
}

#[tokio::test]
async fn the_same_replies_come_out_of_every_protocol() {
    let called = Reply {
        content: vec![
            thinking("Two files to look at.", None),
            Content::text("I look at both: é."),
            call("call 1", "read", json!({ "path": "a/é.png" })),
            call("call 2", "list", json!({})),
        ],
        stop_reason: StopReason::ToolUse,
        usage: Usage {
            input_tokens: Some(20),
            output_tokens: Some(40),
            cache_read_tokens: Some(100),
            cache_write_tokens: None,
            reasoning_tokens: Some(20),
        },
    };
    let answered = Reply {
        content: vec![Content::text("A red square.")],
        stop_reason: StopReason::EndTurn,
        usage: Usage {
            input_tokens: Some(120),
            output_tokens: Some(5),
            cache_read_tokens: Some(180),
            ..Usage::default()
        },
    };
    for kind in KINDS {
        let [calls, text] = recorded(kind);
        assert_eq!(
            trace(&events_in(kind, calls).await),
            [
                "thinking: Two files to look at.".to_owned(),
                "text: I look at both: é.".to_owned(),
                "input of read: {\"path\":\"a/é.png\"}".to_owned(),
                format!("finished: {called:?}"),
            ],
            "{kind:?}"
        );
        assert_eq!(
            trace(&events_in(kind, text).await),
            ["text: A red square.".to_owned(), format!("finished: {answered:?}")],
            "{kind:?}"
        );
    }
}

/// The conversation after the first reply, with both results, one of them an image.
async fn conversation(kind: EndpointKind) -> Vec<ModelMessage> {
    let reply = end(&events_in(kind, recorded(kind)[0]).await).unwrap();
    let mut results = reply.content.iter().filter_map(|block| match block {
        Content::ToolCall { tool_call_id, .. } => Some(tool_call_id.to_string()),
        _ => None,
    });
    let (first, second) = (results.next().unwrap(), results.next().unwrap());
    vec![
        user("What is in a/é.png?"),
        message(Role::Assistant, reply.content),
        message(
            Role::User,
            vec![
                result(&first, vec![Content::text("an image"), image()], false),
                result(&second, vec![Content::text("no such folder")], true),
            ],
        ),
    ]
}

#[tokio::test]
async fn a_reply_goes_back_as_its_provider_wants_it() {
    for kind in KINDS {
        let body = written(kind, model(kind), &request(conversation(kind).await));
        match kind {
            EndpointKind::Anthropic => {
                let said = &body["messages"][1]["content"];
                assert_eq!(
                    said[0],
                    json!({ "type": "thinking", "thinking": "Two files to look at.", "signature": "EqQBCgIYAhIMfirst" })
                );
                let results = &body["messages"][2]["content"];
                assert_eq!(results[0]["tool_use_id"], said[2]["id"]);
                assert_eq!(results[0]["content"][1]["source"]["data"], "aGk=");
                assert_eq!((&results[1]["tool_use_id"], &results[1]["is_error"]), (&said[3]["id"], &json!(true)));
            }
            EndpointKind::OpenaiChat => {
                let messages = &body["messages"];
                let said = &messages[2];
                assert_eq!(said["reasoning_content"], "Two files to look at.");
                assert_eq!(said["content"], "I look at both: é.");
                assert_eq!(
                    said["tool_calls"][0],
                    json!({ "id": "call_0_a7", "type": "function", "function": { "name": "read", "arguments": "{\"path\":\"a/é.png\"}" } })
                );
                assert_eq!(said["tool_calls"][1]["function"]["arguments"], "{}");
                assert_eq!(messages[3]["tool_call_id"], "call_0_a7");
                assert_eq!(messages[3]["content"], "an image\n[Images of this result follow after the results.]");
                assert_eq!(
                    messages[4],
                    json!({ "role": "tool", "tool_call_id": "call_1_b8", "content": "Error: no such folder" })
                );
                assert_eq!(
                    messages[5],
                    json!({ "role": "user", "content": [
                        { "type": "text", "text": "[Images of the result of read:]" },
                        { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } },
                    ] })
                );
            }
            EndpointKind::OpenaiResponses => {
                let input = &body["input"];
                assert_eq!(input[1]["type"], "reasoning");
                assert_eq!(input[1]["encrypted_content"], "gAAAAABo-first");
                assert_eq!(input[2]["content"][0], json!({ "type": "output_text", "text": "I look at both: é." }));
                assert_eq!(
                    input[3],
                    json!({ "type": "function_call", "call_id": "call_Aq1", "name": "read", "arguments": "{\"path\":\"a/é.png\"}" })
                );
                assert_eq!(input[5]["call_id"], "call_Aq1");
                assert_eq!(input[5]["output"][1]["image_url"], "data:image/png;base64,aGk=");
                assert_eq!(
                    input[6],
                    json!({ "type": "function_call_output", "call_id": "call_Bq2", "output": "Error: no such folder" })
                );
            }
            EndpointKind::Gemini => {
                let said = &body["contents"][1];
                assert_eq!(said["role"], "model");
                assert_eq!(said["parts"][0], json!({ "text": "I look at both: é." }));
                assert_eq!(said["parts"][1]["thoughtSignature"], "CiQBcsjafirst");
                assert_eq!(said["parts"][1]["functionCall"]["args"], json!({ "path": "a/é.png" }));
                assert!(said["parts"][2].get("thoughtSignature").is_none(), "{said}");
                let results = &body["contents"][2]["parts"];
                let first = &results[0]["functionResponse"];
                assert_eq!((&first["name"], &first["response"]), (&json!("read"), &json!({ "output": "an image" })));
                assert_eq!(first["id"], said["parts"][1]["functionCall"]["id"]);
                assert_eq!(first["parts"][0]["inlineData"], json!({ "mimeType": "image/png", "data": "aGk=" }));
                assert_eq!(results[1]["functionResponse"]["response"], json!({ "error": "no such folder" }));
            }
        }
    }
}

#[tokio::test]
async fn a_conversation_of_one_provider_goes_on_at_every_other_and_takes_no_secret_thought_along() {
    for from in KINDS {
        let mut messages = conversation(from).await;
        messages[1].model = Some("other/model-y".to_owned());
        for to in KINDS {
            let text = written(to, model(to), &request(messages.clone())).to_string();
            for secret in ["first", "encrypted_content\":", "Two files to look at."] {
                assert!(!text.contains(secret), "{from:?} to {to:?}: {secret} in {text}");
            }
            for kept in ["I look at both: é.", "a/é.png", "no such folder", "aGk="] {
                assert!(text.contains(kept), "{from:?} to {to:?}: no {kept} in {text}");
            }
        }
    }
}

#[tokio::test]
async fn a_thought_that_came_by_another_protocol_is_not_sent_even_to_the_same_model() {
    for from in KINDS {
        let messages = conversation(from).await;
        for to in KINDS.into_iter().filter(|to| *to != from) {
            let text = written(to, model(to), &request(messages.clone())).to_string();
            for secret in ["first", "encrypted_content\":"] {
                assert!(!text.contains(secret), "{from:?} to {to:?}: {secret} in {text}");
            }
        }
    }
}
