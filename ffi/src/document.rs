//! JSON of an object, made when somebody asks for it, and its single values for hosts without a JSON library.

use std::sync::OnceLock;

use serde_json::Value;

/// The JSON text of something, and its parsed form; neither costs anything until it is asked for.
#[derive(Default)]
pub(crate) struct Document {
    text: OnceLock<String>,
    value: OnceLock<Value>,
}

impl Document {
    /// The text.
    pub(crate) fn text(&self, make: impl FnOnce() -> String) -> &str {
        self.text.get_or_init(make)
    }

    /// One value, by JSON Pointer: a text as it is, a number or truth value as JSON writes it, nothing for the rest.
    pub(crate) fn field(&self, pointer: &str, make: impl FnOnce() -> Value) -> Option<&str> {
        let value = self.value.get_or_init(|| {
            let mut value = make();
            spell_out(&mut value);
            value
        });
        value.pointer(pointer)?.as_str()
    }
}

/// Puts the text of numbers and truth values in their place, so that a view of it can be handed out.
fn spell_out(value: &mut Value) {
    match value {
        Value::Number(_) | Value::Bool(_) => *value = Value::String(value.to_string()),
        Value::Array(items) => items.iter_mut().for_each(spell_out),
        Value::Object(fields) => fields.values_mut().for_each(spell_out),
        Value::Null | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pointer_reaches_texts_numbers_and_truth_values() {
        let document = Document::default();
        let make = || json!({"a": {"b": ["x", 7, true, null]}, "c/d": "slash"});
        assert_eq!(document.field("/a/b/0", make), Some("x"));
        assert_eq!(document.field("/a/b/1", make), Some("7"));
        assert_eq!(document.field("/a/b/2", make), Some("true"));
        assert_eq!(document.field("/c~1d", make), Some("slash"));
        for nothing in ["/a/b/3", "/a/b", "/a", "", "/nope", "a"] {
            assert_eq!(document.field(nothing, make), None, "{nothing}");
        }
    }
}
