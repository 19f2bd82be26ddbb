//! The words of script files.

use serde_json::{Value, json};

/// A step that says a text and ends the turn.
pub fn says(text: &str) -> Value {
    step(&[said(text)])
}

/// A step of parts.
pub fn step(parts: &[Value]) -> Value {
    json!({ "reply": parts })
}

/// A step that calls one tool.
pub fn calls(tool: &str, input: Value) -> Value {
    step(&[call(tool, input)])
}

/// A part: text.
pub fn said(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// A part: a call.
pub fn call(tool: &str, input: Value) -> Value {
    json!({ "type": "tool_call", "toolName": tool, "input": input })
}

/// A part: silence until a file exists.
pub fn wait(file: &std::path::Path) -> Value {
    json!({ "type": "wait", "file": file })
}

/// A part: a long silence.
pub fn silence() -> Value {
    json!({ "type": "delay", "ms": 600_000 })
}

/// A part: that many deltas of one text.
pub fn repeat(text: &str, count: u64) -> Value {
    json!({ "type": "repeat", "text": text, "count": count })
}

/// A step that calls `run_shell`.
pub fn shell(line: &str) -> Value {
    calls("run_shell", json!({ "command": line }))
}

/// A step that calls `write_file`.
pub fn write(path: &str, content: &str) -> Value {
    calls("write_file", json!({ "path": path, "content": content }))
}
