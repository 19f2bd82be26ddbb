//! What does not fit in JSON of the host, in words that mean something in every language: no name of a Rust type, and
//! no place in a text that the host may never have seen.

use serde_json::{Error, Value};

/// A longer text is not repeated.
const MAX_SHOWN: usize = 80;

/// What was expected and what was found, in text that is JSON; the latter not where it `may_be_secret`.
pub(super) fn in_words(error: &Error, may_be_secret: bool) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&place).unwrap_or(&text);
    let kind_and_rest =
        ["invalid type: ", "invalid value: ", "invalid length "].iter().find_map(|kind| text.strip_prefix(kind));
    let (expected, found) =
        if let Some((found, expected)) = kind_and_rest.and_then(|rest| rest.rsplit_once(", expected ")) {
            (kind_of(expected), thing(found))
        } else if let Some((found, expected)) =
            text.strip_prefix("unknown variant ").and_then(|rest| rest.rsplit_once(", expected "))
        {
            (expected.to_owned(), found.to_owned())
        } else if text.starts_with("data did not match any variant of untagged enum TextOrList") {
            return "expected a text or a list of texts".to_owned();
        } else if text == "expected value" {
            // What there is to say of anything but a word where one of several is needed.
            return "expected a text".to_owned();
        } else if text.starts_with("data did not match any variant") {
            return "it has none of the forms that it may have".to_owned();
        } else if may_be_secret && !["missing field", "expected {"].iter().any(|ours| text.starts_with(ours)) {
            return "it cannot be read".to_owned();
        } else {
            return text.to_owned();
        };
    if may_be_secret { format!("expected {expected}") } else { format!("expected {expected}, found {found}") }
}

/// What kind of value it is.
pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn kind_of(expected: &str) -> String {
    match expected {
        "a sequence" => "a list",
        "a map" | "map" => "an object",
        "a string" | "string or map" => "a text",
        "a boolean" => "true or false",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0 on",
        "f64" => "a number",
        _ if expected.starts_with("struct ") || expected.contains("tagged enum ") => "an object",
        _ if expected.starts_with("enum ") || expected.starts_with("variant ") => "a text",
        other => other,
    }
    .to_owned()
}

fn thing(found: &str) -> String {
    match found.split_once(' ') {
        Some(("string", text)) if text.len() <= MAX_SHOWN => format!("the text {text}"),
        Some(("string", _)) => "a text".to_owned(),
        Some(("integer", number)) => format!("the number {}", number.trim_matches('`')),
        Some(("floating", _)) => {
            format!("the number {}", found.trim_start_matches("floating point ").trim_matches('`'))
        }
        Some(("boolean", truth)) => truth.trim_matches('`').to_owned(),
        _ => match found {
            "map" => "an object",
            "sequence" => "a list",
            other => other,
        }
        .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::AgentOptions;

    use super::*;

    fn said(json: &str, may_be_secret: bool) -> String {
        in_words(&serde_json::from_str::<AgentOptions>(json).unwrap_err(), may_be_secret)
    }

    #[test]
    fn what_was_expected_and_found_is_told_in_the_words_of_json() {
        for (json, wanted) in [
            (
                r#"{"limits": {"maxSteps": "many"}}"#,
                "expected a whole number from 0 to 4294967295, found the text \"many\"",
            ),
            (r#"{"limits": {"maxSteps": -1}}"#, "expected a whole number from 0 to 4294967295, found the number -1"),
            (r#"{"limits": {"gapTimeoutMs": 1.5}}"#, "expected a whole number from 0 on, found the number 1.5"),
            (r#"{"limits": true}"#, "expected an object, found true"),
            (r#"{"cwd": null, "model": 7}"#, "expected a text, found the number 7"),
            (r#"{"tools": {}}"#, "expected a list, found an object"),
            (r#"{"roots": null}"#, "expected a list, found null"),
            (
                r#"{"tools": [{"name": "x", "description": "x", "inputSchema": {}, "readOnly": "yes"}]}"#,
                "expected true or false, found the text \"yes\"",
            ),
            (r#"{"mode": "yolo"}"#, "expected one of `ask`, `auto-edit`, `full-auto`, `plan`, found `yolo`"),
            (r#"{"mode": 3}"#, "expected a text"),
            (r#"{"requests": "x"}"#, "expected one of `callback`, `events`, `none`, found `x`"),
            (r#"{"instructions": 7}"#, "expected a text or a list of texts"),
            (r#"{"endpoint": {}}"#, "missing field `kind`"),
            (r#"{"env": {"set": 3}}"#, "expected an object, found the number 3"),
        ] {
            assert_eq!(said(json, false), wanted, "{json}");
        }
    }

    #[test]
    fn what_may_be_a_secret_is_not_repeated() {
        for (json, wanted) in [
            (r#"{"auth": "sk-x"}"#, "expected an object"),
            (r#"{"auth": {"apiKey": ["sk-x"]}}"#, "expected a text"),
            (
                r#"{"endpoint": {"kind": "sk-x"}}"#,
                "expected one of `anthropic`, `openai-responses`, `openai-chat`, `gemini`",
            ),
            (r#"{"auth": {}}"#, "expected { apiKey }, { provider, token } or { provider }"),
        ] {
            assert_eq!(said(json, true), wanted, "{json}");
        }
    }
}
