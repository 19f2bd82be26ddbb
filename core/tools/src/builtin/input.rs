//! From a Rust type to a tool's schema, and from a model's JSON to that type.

use lodger_protocol::ToolSpec;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ToolFailure;

/// Describes a tool whose input is `T`.
pub(super) fn spec<T: JsonSchema>(name: &str, description: &str) -> ToolSpec {
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
    ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema }
}

/// Reads an input, which must be an object. The failure names the place and what was expected there.
pub(super) fn read<T: DeserializeOwned>(tool: &str, input: &Value) -> Result<T, ToolFailure> {
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

/// A line for people: the first line, at most 120 characters.
pub(super) fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(120).collect();
    if short.len() < text.trim_end().len() { format!("{short}...") } else { short }
}
