//! A request in OpenAI Chat Completions.

use lodger_model::scripted::{Seen, SeenResult};
use serde_json::Value;

use super::{check_file, check_image_url, check_tool_name, list, require, text, text_of};

pub(super) fn replies(body: &Value) -> usize {
    list(&body["messages"]).iter().filter(|message| message["role"] == "assistant").count()
}

pub(super) fn seen(body: &Value) -> Seen {
    let messages = list(&body["messages"]);
    let after_reply = messages.iter().rposition(|message| message["role"] == "assistant").map_or(0, |i| i + 1);
    let of_role =
        |roles: &'static [&str]| messages.iter().filter(move |message| roles.contains(&text(&message["role"])));
    Seen {
        system: of_role(&["system", "developer"]).map(|message| text_of(&message["content"])).collect(),
        last_user_text: of_role(&["user"])
            .map(|message| text_of(&message["content"]))
            .rfind(|text| !text.is_empty())
            .unwrap_or_default(),
        tools: list(&body["tools"]).iter().map(|tool| text(&tool["function"]["name"]).to_owned()).collect(),
        tool_results: messages[after_reply..]
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| SeenResult { text: text_of(&message["content"]), is_error: None })
            .collect(),
    }
}

pub(super) fn check(body: &Value) -> Result<(), String> {
    for tool in list(&body["tools"]) {
        require(tool["type"] == "function", || "tools: type must be function".to_owned())?;
        check_tool_name(&tool["function"]["name"])?;
    }
    let messages = list(&body["messages"]);
    require(!messages.is_empty(), || "messages: at least one is required".to_owned())?;
    let mut open: Vec<&str> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let role = text(&message["role"]);
        let say = |words: String| format!("messages.[{place}]: {words}");
        if role == "tool" {
            let id = text(&message["tool_call_id"]);
            let found = open.iter().position(|open| *open == id).ok_or_else(|| {
                say("messages with role 'tool' must be a response to a preceding message with 'tool_calls'".to_owned())
            })?;
            open.remove(found);
        } else {
            require(open.is_empty(), || say(unanswered(&open)))?;
        }
        check_message(role, message).map_err(say)?;
        if role == "assistant" {
            open = list(&message["tool_calls"]).iter().map(|call| text(&call["id"])).collect();
        }
    }
    require(open.is_empty(), || unanswered(&open))?;
    require(messages.last().is_some_and(|message| message["role"] != "assistant"), || {
        "messages: the last must not be the assistant's".to_owned()
    })
}

fn unanswered(open: &[&str]) -> String {
    format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following had no response: {}",
        open.join(", ")
    )
}

fn check_message(role: &str, message: &Value) -> Result<(), String> {
    let content = &message["content"];
    let parts = list(content);
    let kinds: &[&str] = match role {
        "user" => &["text", "image_url", "file"],
        "system" | "developer" | "tool" => &["text"],
        "assistant" => &["text", "refusal"],
        _ => return Err(format!("'{role}' is not one of ['system', 'developer', 'assistant', 'user', 'tool']")),
    };
    let calls = list(&message["tool_calls"]);
    let has_content = content.as_str().is_some_and(|text| !text.is_empty() || role == "tool") || !parts.is_empty();
    require(has_content || !calls.is_empty(), || format!("a message of role {role} needs content"))?;
    for part in parts {
        require(kinds.contains(&text(&part["type"])), || {
            format!("content of type {} is not allowed in a message of role {role}", part["type"])
        })?;
        if part["type"] == "image_url" {
            check_image_url(&part["image_url"]["url"])?;
        }
        if part["type"] == "file" {
            check_file(&part["file"])?;
        }
    }
    require(message["tool_calls"].is_null() || !calls.is_empty(), || "tool_calls: [] is too short".to_owned())?;
    for call in calls {
        let function = &call["function"];
        let arguments = text(&function["arguments"]);
        let object = serde_json::from_str::<Value>(arguments).is_ok_and(|arguments| arguments.is_object());
        require(call["type"] == "function" && !text(&call["id"]).is_empty() && object, || {
            format!("tool_calls: a call needs id, type and arguments in JSON; found {call}")
        })?;
        check_tool_name(&function["name"])?;
    }
    Ok(())
}
