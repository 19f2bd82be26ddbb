//! The input of a tool call, out of the text that a model wrote.

use serde_json::{Map, Value};

/// Reads a call's input, which has arrived in full. Nothing at all is `{}`, however it is written: so a tool without
/// arguments is called.
///
/// Text that is not JSON stays what it is, as a JSON string. The input of a tool is an object, so a call whose input
/// is a string can be told apart, answered with an error that quotes it, and is never run.
#[must_use]
pub fn parse_input(text: String) -> Value {
    if matches!(text.trim(), "" | "null" | "\"\"") {
        return Value::Object(Map::new());
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_is_an_empty_object() {
        for nothing in ["", " \n", "{}", "null", "\"\""] {
            assert_eq!(parse_input(nothing.to_owned()), json!({}), "{nothing}");
        }
    }

    #[test]
    fn text_that_is_not_json_stays_as_a_string() {
        assert_eq!(parse_input(r#"{"path": "a"#.to_owned()), json!(r#"{"path": "a"#));
        assert_eq!(parse_input(r#"{"a":1}{"b":2}"#.to_owned()), json!(r#"{"a":1}{"b":2}"#));
    }
}
