//! A request in Gemini.

use lodger_model::scripted::{Seen, SeenResult};
use serde_json::Value;

use super::{check_image, check_pdf, check_tool_name, list, require, text, text_of};

/// The request in one spelling: the provider takes `functionCall` and `function_call` alike, and clients send both.
pub(super) fn spelled(body: &Value) -> Value {
    const NAMES: [(&str, &str); 8] = [
        ("function_call", "functionCall"),
        ("function_response", "functionResponse"),
        ("function_declarations", "functionDeclarations"),
        ("inline_data", "inlineData"),
        ("file_data", "fileData"),
        ("mime_type", "mimeType"),
        ("system_instruction", "systemInstruction"),
        ("thought_signature", "thoughtSignature"),
    ];
    match body {
        Value::Object(map) => {
            let spell = |name: &String| NAMES.iter().find(|(other, _)| other == name).map(|(_, own)| (*own).to_owned());
            let pairs = map.iter().map(|(name, value)| (spell(name).unwrap_or_else(|| name.clone()), spelled(value)));
            Value::Object(pairs.collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(spelled).collect()),
        other => other.clone(),
    }
}

pub(super) fn replies(body: &Value) -> usize {
    contents(body).iter().filter(|content| content["role"] == "model").count()
}

pub(super) fn seen(body: &Value) -> Seen {
    let contents = contents(body);
    let after_reply = contents.iter().rposition(|content| content["role"] == "model").map_or(0, |i| i + 1);
    Seen {
        system: text_of(&body["systemInstruction"]["parts"]),
        last_user_text: contents
            .iter()
            .rev()
            .filter(|content| content["role"] != "model")
            .map(|content| text_of(&content["parts"]))
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
        tools: functions(body).map(|function| text(&function["name"]).to_owned()).collect(),
        tool_results: contents[after_reply..]
            .iter()
            .flat_map(|content| list(&content["parts"]))
            .filter(|part| part["functionResponse"].is_object())
            .map(|part| result(&part["functionResponse"]["response"]))
            .collect(),
    }
}

/// A result is an object of which the provider only says that it has `output` or `error`.
fn result(response: &Value) -> SeenResult {
    let said = ["error", "output", "result"].into_iter().find_map(|name| response.get(name));
    let text =
        said.map_or_else(|| response.to_string(), |said| said.as_str().map_or_else(|| said.to_string(), str::to_owned));
    SeenResult { text, is_error: Some(response.get("error").is_some()) }
}

pub(super) fn check(body: &Value) -> Result<(), String> {
    for function in functions(body) {
        check_tool_name(&function["name"])?;
    }
    let contents = contents(body);
    require(!contents.is_empty(), || "contents are required".to_owned())?;
    let mut calls: Vec<&Value> = Vec::new();
    let mut role = "model";
    for (place, content) in contents.iter().enumerate() {
        let said = content["role"].as_str().unwrap_or("user");
        require(matches!((role, said), ("model", "user") | ("user", "model")), || {
            format!("contents[{place}]: Please ensure that multiturn requests alternate between user and model.")
        })?;
        role = said;
        let parts = list(&content["parts"]);
        require(!parts.is_empty(), || format!("contents[{place}].parts: must not be empty"))?;
        for part in parts {
            check_part(part, said).map_err(|words| format!("contents[{place}].parts: {words}"))?;
        }
        let responses: Vec<_> =
            parts.iter().map(|part| &part["functionResponse"]).filter(|part| part.is_object()).collect();
        require(responses.len() == calls.len(), || {
            format!(
                "contents[{place}]: Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn; found {} for {}.",
                responses.len(),
                calls.len()
            )
        })?;
        for (call, response) in calls.iter().zip(&responses) {
            require(call["name"] == response["name"] && call["id"] == response["id"], || {
                format!("contents[{place}]: the response {response} does not belong to the call {call}")
            })?;
        }
        calls = parts.iter().map(|part| &part["functionCall"]).filter(|part| part.is_object()).collect();
    }
    require(role == "user", || "contents: the last must be the user's".to_owned())
}

fn check_part(part: &Value, role: &str) -> Result<(), String> {
    let has = |name: &str| part.get(name).is_some();
    let kinds = ["text", "inlineData", "fileData", "functionCall", "functionResponse"];
    require(kinds.iter().filter(|kind| has(kind)).count() == 1, || {
        format!("one kind of data is required; found {part}")
    })?;
    require(has("functionCall") <= (role == "model"), || "a function call stands in a user's turn".to_owned())?;
    require(has("functionResponse") <= (role == "user"), || "a function response stands in a model's turn".to_owned())?;
    if let Some(call) = part.get("functionCall") {
        check_tool_name(&call["name"])?;
        require(call["args"].is_object() || call["args"].is_null(), || "args: must be an object".to_owned())?;
    }
    if let Some(response) = part.get("functionResponse") {
        require(response["response"].is_object(), || "functionResponse.response: must be an object".to_owned())?;
        for part in list(&response["parts"]) {
            check_blob(&part["inlineData"])?;
        }
    }
    part.get("inlineData").map_or(Ok(()), check_blob)
}

/// A picture or a PDF.
fn check_blob(blob: &Value) -> Result<(), String> {
    match (text(&blob["mimeType"]), text(&blob["data"])) {
        (pdf @ "application/pdf", data) => check_pdf(pdf, data),
        (mime_type, data) => check_image(mime_type, data),
    }
}

fn contents(body: &Value) -> &[Value] {
    list(&body["contents"])
}

fn functions(body: &Value) -> impl Iterator<Item = &Value> {
    list(&body["tools"]).iter().flat_map(|tool| list(&tool["functionDeclarations"]))
}
