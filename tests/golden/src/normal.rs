//! A trace without what differs from run to run, after the checks that hold for every trace.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::{Map, Value, json};

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
///
/// # Panics
/// When the trace breaks a rule that holds for every trace.
pub fn normalised(events: &[Value], cwd: &Path) -> Vec<String> {
    check_rules(events);
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

fn check_rules(events: &[Value]) {
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event["v"], 1, "{event}");
        assert_eq!(event["seq"], json!(index + 1), "seq is dense from 1: {event}");
    }
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(types.iter().filter(|kind| **kind == "done").count(), 1, "one done: {types:?}");
    assert_eq!(types.last(), Some(&"done"), "done is last");
    assert_pairs(events, "tool_call", "tool_result", "toolCallId");
    assert_pairs(events, "request_opened", "request_resolved", "requestId");
}

/// Each beginning has one end, and it comes later.
fn assert_pairs(events: &[Value], begins: &str, ends: &str, key: &str) {
    let mut open: BTreeMap<String, bool> = BTreeMap::new();
    for event in events {
        let id = event[key].as_str().unwrap_or_default().to_owned();
        if event["type"] == begins {
            assert!(open.insert(id, true).is_none(), "{begins} twice: {event}");
        } else if event["type"] == ends {
            assert_eq!(open.insert(id, false), Some(true), "{ends} without an open {begins}: {event}");
        }
    }
    assert!(open.values().all(|open| !open), "every {begins} has its {ends}: {open:?}");
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
        } else if key == "model" {
            *value = json!("$MODEL");
        } else {
            replace(value, ids, cwd);
        }
    }
}
