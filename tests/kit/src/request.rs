//! A request of Anthropic Messages, as a script sees it.

use lodger_model::scripted::{Seen, SeenResult};
use serde_json::Value;

/// How many assistant messages the request holds.
pub(crate) fn assistant_messages(body: &Value) -> usize {
    messages(body).iter().filter(|message| message["role"] == "assistant").count()
}

/// What a script may look at.
pub(crate) fn seen(body: &Value) -> Seen {
    let messages = messages(body);
    let after_reply = messages.iter().rposition(|message| message["role"] == "assistant").map_or(0, |i| i + 1);
    Seen {
        system: text_of(&body["system"]),
        last_user_text: messages
            .iter()
            .rev()
            .filter(|message| message["role"] == "user")
            .map(|message| text_of(&message["content"]))
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
        tools: list(&body["tools"]).iter().filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect(),
        tool_results: messages[after_reply..]
            .iter()
            .flat_map(|message| list(&message["content"]))
            .filter(|block| block["type"] == "tool_result")
            .map(|block| SeenResult {
                text: text_of(&block["content"]),
                is_error: block["is_error"].as_bool().unwrap_or(false),
            })
            .collect(),
    }
}

fn messages(body: &Value) -> &[Value] {
    list(&body["messages"])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text, or the text blocks of a list.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        blocks => list(blocks).iter().filter_map(|block| block["text"].as_str()).collect(),
    }
}
