//! From a Rust type to a tool's schema, and from a model's JSON to that type.

use std::sync::Arc;

use lodger_protocol::ToolSpec;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ToolFailure;

/// Describes a tool whose input is `T`. What it says is the same each time: a tool makes it once, for all agents.
#[must_use]
pub fn spec<T: JsonSchema>(name: &str, description: &str) -> ToolSpec {
    let generator = SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator();
    let mut input_schema = generator.into_root_schema_for::<T>().to_value();
    if let Some(object) = input_schema.as_object_mut() {
        object.remove("title");
        object.remove("description");
    }
    ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema: Arc::new(input_schema) }
}

/// Reads an input, which must be an object.
///
/// # Errors
/// Names the place and what was expected there, for the model.
pub fn read<T: DeserializeOwned>(tool: &str, input: &Value) -> Result<T, ToolFailure> {
    if !input.is_object() {
        // A list of the values alone would be taken for the fields in order.
        return Err(ToolFailure(format!("the input of {tool} must be a JSON object")));
    }
    serde_path_to_error::deserialize(input).map_err(|error| {
        let place = error.path().to_string();
        let place = if place == "." { String::new() } else { format!(" at {place}") };
        ToolFailure(format!("the input of {tool} does not fit its schema{place}: {}", error.inner()))
    })
}

/// A line for people: the first one, at most 120 characters, control characters written out, so that what a model
/// wrote never looks like something else.
#[must_use]
pub fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(120).collect();
    let short = one_line(&short);
    if line.chars().count() > 120 || text.trim_end().len() > line.len() { format!("{short}...") } else { short }
}

/// A name that must stand on one line: control characters, line ends among them, are written out.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_look_like_several_lines() {
        assert_eq!(one_line("a\n\nRead file"), "a\\n\\nRead file");
    }

    #[test]
    fn a_long_command_is_shown_by_its_first_line() {
        assert_eq!(first_line("one\ntwo"), "one...");
        assert_eq!(first_line("one\n"), "one");
        assert_eq!(first_line(&"x".repeat(130)), format!("{}...", "x".repeat(120)));
    }
}
