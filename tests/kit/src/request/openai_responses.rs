//! A request in OpenAI Responses. The conversation is a flat list: neighbouring items of the model are one message.

use lodger_model::scripted::{Seen, SeenResult};
use serde_json::Value;

use super::{check_file, check_image_url, check_tool_name, list, require, text, text_of};

pub(super) fn replies(body: &Value) -> usize {
    let mut inside = false;
    items(body)
        .iter()
        .filter(|item| {
            let begins = is_models(item) && !inside;
            inside = is_models(item);
            begins
        })
        .count()
}

pub(super) fn seen(body: &Value) -> Seen {
    let items = items(body);
    let after_reply = items.iter().rposition(is_models).map_or(0, |i| i + 1);
    let mut system = text(&body["instructions"]).to_owned();
    system.extend(of_role(items, &["system", "developer"]).map(|item| text_of(&item["content"])));
    Seen {
        system,
        last_user_text: match &body["input"] {
            Value::String(text) => text.clone(),
            _ => of_role(items, &["user"])
                .map(|item| text_of(&item["content"]))
                .filter(|text| !text.is_empty())
                .last()
                .unwrap_or_default(),
        },
        tools: list(&body["tools"]).iter().map(|tool| text(&tool["name"]).to_owned()).collect(),
        tool_results: items[after_reply..]
            .iter()
            .filter(|item| item["type"] == "function_call_output")
            .map(|item| SeenResult { text: text_of(&item["output"]), is_error: None })
            .collect(),
    }
}

pub(super) fn check(body: &Value) -> Result<(), String> {
    require(body["previous_response_id"].is_null(), || {
        "previous_response_id: nothing is stored here; send the conversation".to_owned()
    })?;
    for tool in list(&body["tools"]) {
        require(tool["type"] == "function", || "tools: type must be function".to_owned())?;
        check_tool_name(&tool["name"])?;
    }
    let items = items(body);
    require(!items.is_empty() || body["input"].is_string(), || "input: at least one item is required".to_owned())?;
    for (place, item) in items.iter().enumerate() {
        check_item(item).map_err(|words| format!("input[{place}]: {words}"))?;
    }
    let (calls, outputs) = (ids(items, "function_call"), ids(items, "function_call_output"));
    for (place, id) in &calls {
        require(outputs.iter().any(|(later, output)| later > place && output == id), || {
            format!("No tool output found for function call {id}.")
        })?;
        require(calls.iter().filter(|(_, other)| other == id).count() == 1, || {
            format!("Duplicate function call {id}.")
        })?;
    }
    for (place, id) in &outputs {
        require(calls.iter().any(|(earlier, call)| earlier < place && call == id), || {
            format!("No tool call found for function call output with call_id {id}.")
        })?;
        require(outputs.iter().filter(|(_, other)| other == id).count() == 1, || {
            format!("Duplicate output of function call {id}.")
        })?;
    }
    for two in items.windows(2) {
        require(two[0]["type"] != "reasoning" || is_models(&two[1]), || {
            format!("Item {} of type 'reasoning' was provided without its required following item.", two[0]["id"])
        })?;
    }
    require(items.last().is_none_or(|item| !is_models(item)), || "input: the last item is the model's".to_owned())
}

fn check_item(item: &Value) -> Result<(), String> {
    match (item["type"].as_str().unwrap_or("message"), text(&item["role"])) {
        ("message", role @ ("user" | "system" | "developer" | "assistant")) => {
            let content = &item["content"];
            let parts = list(content);
            let full = content.as_str().is_some_and(|text| !text.is_empty()) || !parts.is_empty();
            require(full, || "content: is empty".to_owned())?;
            let kinds: &[&str] = match role {
                "assistant" => &["output_text", "refusal"],
                _ => &["input_text", "input_image", "input_file"],
            };
            parts.iter().try_for_each(|part| check_part(part, kinds))
        }
        ("function_call", _) => {
            let arguments = serde_json::from_str::<Value>(text(&item["arguments"]));
            require(arguments.is_ok_and(|arguments| arguments.is_object()), || {
                "arguments: not an object in JSON".to_owned()
            })?;
            require(!text(&item["call_id"]).is_empty(), || "call_id: is required".to_owned())?;
            check_tool_name(&item["name"])
        }
        ("function_call_output", _) => {
            let output = &item["output"];
            require(output.is_string() || output.is_array(), || "output: is required".to_owned())?;
            list(output).iter().try_for_each(|part| check_part(part, &["input_text", "input_image", "input_file"]))
        }
        ("reasoning", _) => {
            require(item["summary"].is_array(), || "summary: is required".to_owned())?;
            // Nothing is stored, so that an id alone means nothing.
            require(!text(&item["encrypted_content"]).is_empty(), || "encrypted_content: is required".to_owned())
        }
        (kind, role) => Err(format!("an item of type `{kind}` and role `{role}` is not known")),
    }
}

fn check_part(part: &Value, kinds: &[&str]) -> Result<(), String> {
    require(kinds.contains(&text(&part["type"])), || {
        format!("content of type {} is not allowed here; expected one of {kinds:?}", part["type"])
    })?;
    match text(&part["type"]) {
        "input_image" => check_image_url(&part["image_url"]),
        "input_file" => check_file(part),
        _ => Ok(()),
    }
}

fn items(body: &Value) -> &[Value] {
    list(&body["input"])
}

/// Whether the model made that item.
fn is_models(item: &Value) -> bool {
    matches!(text(&item["type"]), "function_call" | "reasoning") || item["role"] == "assistant"
}

fn of_role<'a>(items: &'a [Value], roles: &'static [&'static str]) -> impl Iterator<Item = &'a Value> {
    items.iter().filter(move |item| roles.contains(&text(&item["role"])))
}

fn ids<'a>(items: &'a [Value], kind: &str) -> Vec<(usize, &'a str)> {
    let of_kind = items.iter().enumerate().filter(|(_, item)| item["type"] == kind);
    of_kind.map(|(place, item)| (place, text(&item["call_id"]))).collect()
}
