//! A request in Anthropic Messages.

use lodger_model::scripted::{Seen, SeenResult};
use serde_json::Value;

use super::{blank, check_image, check_pdf, check_tool_name, list, require, text, text_of};

/// Most places of a request that may be marked for the cache.
const CACHE_MARKERS: usize = 4;

pub(super) fn replies(body: &Value) -> usize {
    list(&body["messages"]).iter().filter(|message| message["role"] == "assistant").count()
}

pub(super) fn seen(body: &Value) -> Seen {
    let messages = list(&body["messages"]);
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
                is_error: Some(block["is_error"].as_bool().unwrap_or(false)),
            })
            .collect(),
    }
}

pub(super) fn check(body: &Value) -> Result<(), String> {
    require(body["max_tokens"].as_u64().is_some_and(|n| n > 0), || "max_tokens: Field required".to_owned())?;
    for tool in list(&body["tools"]) {
        check_tool_name(&tool["name"])?;
        require(tool["input_schema"]["type"] == "object", || "tools: input_schema.type must be object".to_owned())?;
    }
    let messages = list(&body["messages"]);
    require(!messages.is_empty(), || "messages: at least one message is required".to_owned())?;
    let mut open: Vec<&str> = Vec::new();
    let mut role = "assistant";
    for (place, message) in messages.iter().enumerate() {
        let said = text(&message["role"]);
        // The provider joins neighbours of one role; we never send any, and a lost message shows as such.
        require(matches!((role, said), ("assistant", "user") | ("user", "assistant")), || {
            format!("messages.{place}: roles must alternate, and the first is user; found {said} after {role}")
        })?;
        role = said;
        check_message(place, message)?;
        let results = ids(message, "tool_result", "tool_use_id");
        require(open.iter().all(|id| results.contains(id)), || {
            format!(
                "messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {open:?}"
            )
        })?;
        require(results.len() == open.len() && results.iter().all(|id| open.contains(id)), || {
            format!("messages.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {results:?}, {open:?}")
        })?;
        open = ids(message, "tool_use", "id");
    }
    require(role == "user", || "messages: the last must be the user's".to_owned())?;
    let markers = markers(body);
    require(markers <= CACHE_MARKERS, || {
        format!("A maximum of {CACHE_MARKERS} blocks with cache_control may be provided. Found {markers}.")
    })
}

fn check_message(place: usize, message: &Value) -> Result<(), String> {
    let content = &message["content"];
    if content.is_string() {
        return require(!blank(content), || format!("messages.{place}: text content must be non-empty"));
    }
    let blocks = list(content);
    require(!blocks.is_empty(), || format!("messages.{place}: content must be non-empty"))?;
    let results = blocks.iter().take_while(|block| block["type"] == "tool_result").count();
    require(blocks[results..].iter().all(|block| block["type"] != "tool_result"), || {
        format!("messages.{place}: `tool_result` blocks must come first")
    })?;
    let assistant = message["role"] == "assistant";
    for block in blocks {
        check_block(block, assistant).map_err(|words| format!("messages.{place}: {words}"))?;
    }
    Ok(())
}

fn check_block(block: &Value, assistant: bool) -> Result<(), String> {
    match (text(&block["type"]), assistant) {
        ("text", _) => {
            require(!blank(&block["text"]), || "text content blocks must contain non-whitespace text".to_owned())
        }
        ("thinking", true) => require(!blank(&block["signature"]), || "thinking.signature: Field required".to_owned()),
        ("redacted_thinking", true) => {
            require(!blank(&block["data"]), || "redacted_thinking.data: Field required".to_owned())
        }
        ("tool_use", true) => {
            require(block["input"].is_object(), || "tool_use.input: Input should be a valid dictionary".to_owned())
        }
        ("image", false) => check_image(text(&block["source"]["media_type"]), text(&block["source"]["data"])),
        ("document", false) => check_pdf(text(&block["source"]["media_type"]), text(&block["source"]["data"])),
        ("tool_result", false) => {
            let content = list(&block["content"]);
            let is_plain = content.iter().all(|block| block["type"] == "text");
            require(block["is_error"] != true || is_plain, || {
                "all content must be type 'text' if 'is_error' is true".to_owned()
            })?;
            content.iter().try_for_each(|block| check_block(block, false))
        }
        (kind, _) => Err(format!("a block of type `{kind}` is not allowed here")),
    }
}

fn ids<'a>(message: &'a Value, kind: &str, field: &str) -> Vec<&'a str> {
    list(&message["content"]).iter().filter(|block| block["type"] == kind).map(|block| text(&block[field])).collect()
}

fn markers(value: &Value) -> usize {
    match value {
        Value::Object(map) => {
            usize::from(map.get("cache_control").is_some_and(Value::is_object))
                + map.values().map(markers).sum::<usize>()
        }
        Value::Array(values) => values.iter().map(markers).sum(),
        _ => 0,
    }
}
