//! A conversation is shown so that its server accepts it, whatever stands in it.

use lodger_model::ModelMessage;
use lodger_protocol::{Content, EndpointKind, Role};
use serde_json::{Value, json};

use crate::common::{KINDS, assistant, by_another, call, image, message, request, result, user, written};

fn chat(model: &str, messages: Vec<ModelMessage>) -> Vec<Value> {
    let mut body = written(EndpointKind::OpenaiChat, model, &request(messages));
    let messages = body["messages"].as_array_mut().unwrap();
    messages.remove(0);
    std::mem::take(messages)
}

#[test]
fn a_call_without_a_result_is_closed_wherever_the_conversation_stops() {
    let calls = || message(Role::Assistant, vec![call("a", "read", json!({})), call("b", "read", json!({}))]);
    let answer = || message(Role::User, vec![result("b", vec![Content::text("out")], false)]);
    for messages in [
        vec![user("Go"), calls()],
        vec![user("Go"), calls(), assistant("On")],
        vec![user("Go"), calls(), user("And?")],
        vec![user("Go"), calls(), answer()],
    ] {
        for kind in KINDS {
            let text = written(kind, "m", &request(messages.clone())).to_string();
            assert!(text.contains("its effects are unknown"), "{kind:?}: {text}");
        }
        let sent = chat("m", messages);
        let tools: Vec<_> = sent.iter().filter(|message| message["role"] == "tool").collect();
        assert_eq!(tools.len(), 2, "{sent:?}");
        assert!(["a", "b"].iter().all(|id| tools.iter().any(|tool| tool["tool_call_id"] == *id)), "{sent:?}");
        assert!(sent[2]["role"] == "tool" && sent[3]["role"] == "tool", "{sent:?}");
    }
}

#[test]
fn a_result_without_a_call_is_left_out() {
    let lone = message(Role::User, vec![result("nobody", vec![Content::text("lost")], false), Content::text("Go")]);
    for kind in KINDS {
        let text = written(kind, "m", &request(vec![lone.clone()])).to_string();
        assert!(!text.contains("lost") && text.contains("Go"), "{kind:?}: {text}");
    }
}

#[test]
fn ids_that_a_server_does_not_take_are_changed_alike_in_call_and_result() {
    let odd = format!("chatcmpl-tool/{}", "x".repeat(100));
    let round = vec![
        user("Go"),
        by_another(message(Role::Assistant, vec![call(&odd, "read", json!({})), call("fine", "read", json!({}))])),
        message(Role::User, vec![result("fine", vec![], false), result(&odd, vec![Content::text("out")], false)]),
    ];
    let sent = chat("m", round.clone());
    let id = sent[1]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() <= 40 && !id.contains('/'), "{id}");
    assert_eq!(sent[1]["tool_calls"][1]["id"], "fine");
    assert_eq!((&sent[2]["tool_call_id"], &sent[3]["tool_call_id"]), (&json!("fine"), &json!(id)));
    assert_eq!(chat("m", round.clone()), sent, "the same in every request");
    let nine = chat("mistral-large", round);
    for call in nine[1]["tool_calls"].as_array().unwrap() {
        assert_eq!(call["id"].as_str().unwrap().len(), 9, "{call}");
    }
}

#[test]
fn ids_that_come_again_are_told_apart() {
    let round = |text: &str| {
        [
            message(Role::Assistant, vec![call("call_0", "read", json!({}))]),
            message(Role::User, vec![result("call_0", vec![Content::text(text)], false)]),
        ]
    };
    let messages = [vec![user("Go")], round("one").into(), round("two").into()].concat();
    let sent = chat("m", messages);
    assert_ne!(sent[1]["tool_calls"][0]["id"], sent[3]["tool_calls"][0]["id"]);
    for (said, answer) in [(1, 2), (3, 4)] {
        assert_eq!(sent[said]["tool_calls"][0]["id"], sent[answer]["tool_call_id"]);
    }
}

#[test]
fn an_image_that_the_model_cannot_see_is_a_sentence() {
    let sent = chat("deepseek-chat", vec![message(Role::User, vec![Content::text("Look:"), image()])]);
    let text = sent[0]["content"].as_str().unwrap();
    assert!(text.contains("image/png") && text.contains("cannot see") && !text.contains("aGk="), "{text}");
}

#[test]
fn blank_text_is_never_sent_and_nothing_is_left_of_a_message_that_was_blank() {
    let blank = || vec![user("Go"), assistant("\n\n"), message(Role::Assistant, vec![Content::text("")]), user("On")];
    for kind in KINDS {
        let body = written(kind, "m", &request(blank()));
        let messages = [&body["messages"], &body["input"], &body["contents"]];
        let messages = messages.into_iter().find_map(Value::as_array).unwrap();
        assert!(
            messages.iter().all(|message| !matches!(message["role"].as_str(), Some("assistant" | "model"))),
            "{body}"
        );
    }
}
