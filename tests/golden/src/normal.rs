//! A trace without what differs from run to run.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value, json};

/// What names a model.
const MODELS: [&str; 3] = ["model", "fromModel", "toModel"];
/// Keys whose values are ids, and what each is called.
const IDS: &[(&str, &str)] = &[
    ("sessionId", "session"),
    ("turnId", "turn"),
    ("promptId", "prompt"),
    ("messageId", "message"),
    ("requestId", "request"),
];
/// Keys whose values are times.
const TIMES: &[&str] = &["ts", "expiresAt", "durationMs"];

/// The trace, one line an event.
pub(crate) fn normalised(events: &[Value], cwd: &Path) -> Vec<String> {
    let mut ids = HashMap::new();
    joined(events)
        .into_iter()
        .map(|mut event| {
            if let Some(event) = event.as_object_mut() {
                event.remove("seq");
            }
            replace(&mut event, &mut ids, &cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned()).display().to_string());
            event.to_string()
        })
        .collect()
}

/// Neighbouring deltas of one thing as one.
fn joined(events: &[Value]) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for event in events {
        if let Some(last) = out.last_mut()
            && let Some(key) = grows(event)
            && same_source(last, event)
        {
            let text = format!("{}{}", last[key].as_str().unwrap_or_default(), event[key].as_str().unwrap_or_default());
            last[key] = json!(text);
        } else {
            out.push(event.clone());
        }
    }
    out
}

fn grows(event: &Value) -> Option<&'static str> {
    match event["type"].as_str()? {
        "text_delta" | "thinking_delta" | "tool_input_delta" => Some("text"),
        "tool_progress" if event["stream"] != "progress" => Some("chunk"),
        _ => None,
    }
}

fn same_source(one: &Value, other: &Value) -> bool {
    ["type", "messageId", "toolCallId", "stream"].iter().all(|key| one[*key] == other[*key])
}

fn replace(value: &mut Value, ids: &mut HashMap<String, String>, cwd: &str) {
    match value {
        Value::Object(object) => replace_in(object, ids, cwd),
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, ids, cwd)),
        Value::String(text) => *text = text.replace(cwd, "$CWD"),
        _ => {}
    }
}

fn replace_in(object: &mut Map<String, Value>, ids: &mut HashMap<String, String>, cwd: &str) {
    for (key, value) in object {
        if TIMES.contains(&key.as_str()) {
            *value = json!("$TIME");
        } else if let Some((_, kind)) = IDS.iter().find(|(id, _)| id == key) {
            let count = ids.values().filter(|name| name.starts_with(&format!("${kind}"))).count();
            let name = ids.entry(value.to_string()).or_insert_with(|| format!("${kind}{}", count + 1));
            *value = json!(name);
        } else if MODELS.contains(&key.as_str()) {
            // The script of the case lies elsewhere each time; others lie in the working folder.
            if value.as_str().is_some_and(|model| model.starts_with("scripted//")) {
                *value = json!("$MODEL");
            }
        } else {
            replace(value, ids, cwd);
        }
    }
}
