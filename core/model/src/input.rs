//! The input of a tool call, out of the text that a model wrote.

use serde_json::{Map, Value};

/// Reads a call's input, which has arrived in full. No text at all is `{}`: so a tool without arguments is called.
///
/// Text that is not JSON stays what it is, as a JSON string. The input of a tool is an object, so a call whose input
/// is a string can be told apart, answered with an error that quotes it, and is never run.
#[must_use]
pub fn parse_input(text: String) -> Value {
    match text.trim().is_empty() {
        true => Value::Object(Map::new()),
        false => serde_json::from_str(&text).unwrap_or(Value::String(text)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_text_is_an_empty_object() {
        assert_eq!(parse_input(String::new()), json!({}));
    }

    #[test]
    fn text_that_is_not_json_stays_as_a_string() {
        assert_eq!(parse_input(r#"{"path": "a"#.to_owned()), json!(r#"{"path": "a"#));
        assert_eq!(parse_input(r#"{"a":1}{"b":2}"#.to_owned()), json!(r#"{"a":1}{"b":2}"#));
    }
}
