//! The schema that the answer of a turn must fit: judged once when the agent is made, then held against answers.
//!
//! Nothing here reads a file or a network: a schema is whole in itself, or refused.

use std::sync::Arc;

use jsonschema::Validator;
use lodger_protocol::{Error, Result, ToolSpec};
use serde_json::{Map, Value};

use crate::answer;

/// At most so many bytes of a schema, as JSON.
const MAX_SCHEMA_BYTES: usize = 64 * 1024;
/// At most so many objects and lists inside of one another.
const MAX_SCHEMA_LEVELS: usize = 64;
/// So many of the places where an answer does not fit are told; the rest show when these are mended.
const MAX_MISFITS: usize = 5;
/// Longest description of one, in bytes.
const MAX_MISFIT_BYTES: usize = 300;

/// Keywords that hold data, not schemas.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];
/// Keywords that hold schemas by name.
const NAMED: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];
/// Keywords that point to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The schema that the answer of each turn must fit.
pub struct OutputSchema {
    schema: Arc<Value>,
    validator: Validator,
    /// How a model that its provider does not hold to the schema gives its answer.
    tool: ToolSpec,
}

/// A place where an answer does not fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Misfit {
    /// JSON pointer into the answer; empty: the whole of it.
    pub(crate) path: String,
    pub(crate) message: String,
}

impl OutputSchema {
    /// Takes option `outputSchema`. Formats are checked, and without `$schema` it is of draft 2020-12.
    ///
    /// # Errors
    /// `invalid_options` that says where and what, for a schema that is none, is not of type `object`, leads out of
    /// itself, has more than 64 KiB or more than 64 levels.
    pub fn new(schema: Value) -> Result<Self> {
        let Value::Object(root) = &schema else {
            return Err(wrong("", "expected a JSON Schema, which is an object"));
        };
        if is_deeper_than(&schema, MAX_SCHEMA_LEVELS) {
            return Err(wrong("", &format!("it has more than {MAX_SCHEMA_LEVELS} levels, and none may have")));
        }
        let bytes = schema.to_string().len();
        if bytes > MAX_SCHEMA_BYTES {
            return Err(wrong("", &format!("it has {bytes} bytes; at most {MAX_SCHEMA_BYTES} are taken")));
        }
        match root.get("type") {
            Some(kind) if kind == "object" => {}
            Some(other) => {
                return Err(wrong("/type", &format!("expected \"object\", since answers are objects; found {other}")));
            }
            None => return Err(wrong("", "\"type\" is missing; expected \"object\", since answers are objects")),
        }
        check_references(root, &mut String::new())?;
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .offline()
            .build(&schema)
            .map_err(|error| wrong(error.instance_path().as_str(), &error.to_string()))?;
        let schema = Arc::new(schema);
        let tool = answer::tool(&schema);
        Ok(Self { schema, validator, tool })
    }

    /// The schema, as the host gave it.
    pub(crate) const fn schema(&self) -> &Arc<Value> {
        &self.schema
    }

    /// The tool whose input is the answer.
    pub(crate) const fn tool(&self) -> &ToolSpec {
        &self.tool
    }

    /// Where an answer does not fit; nowhere: it does.
    pub(crate) fn misfits(&self, answer: &Value) -> Vec<Misfit> {
        self.validator
            .iter_errors(answer)
            .take(MAX_MISFITS)
            .map(|error| Misfit { path: error.instance_path().as_str().to_owned(), message: short(error.to_string()) })
            .collect()
    }
}

fn wrong(path: &str, what: &str) -> Error {
    let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
    Error::invalid_options(format!("option outputSchema{place}: {}", short(what.to_owned())))
}

fn short(mut text: String) -> String {
    if text.len() > MAX_MISFIT_BYTES {
        text.truncate(text.floor_char_boundary(MAX_MISFIT_BYTES));
        text.push_str("...");
    }
    text
}

fn is_deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Object(_) | Value::Array(_) if levels == 0 => true,
        Value::Object(object) => object.values().any(|inner| is_deeper_than(inner, levels - 1)),
        Value::Array(list) => list.iter().any(|inner| is_deeper_than(inner, levels - 1)),
        _ => false,
    }
}

/// Refuses what leads out of the schema. `path` is where `schema` stands.
fn check_references(schema: &Map<String, Value>, path: &mut String) -> Result<()> {
    for (key, value) in schema {
        let end = path.len();
        path.push('/');
        path.push_str(&key.replace('~', "~0").replace('/', "~1"));
        match value {
            Value::String(to) if REFERENCES.contains(&key.as_str()) && !to.starts_with('#') => {
                return Err(wrong(path, &format!("{to:?} leads out of the schema; put what is meant under \"$defs\"")));
            }
            Value::Object(named) if NAMED.contains(&key.as_str()) => {
                for (name, inner) in named {
                    check_inside(inner, name, path)?;
                }
            }
            _ if DATA.contains(&key.as_str()) => {}
            Value::Object(inner) => check_references(inner, path)?,
            Value::Array(list) => {
                for (place, inner) in list.iter().enumerate() {
                    check_inside(inner, &place.to_string(), path)?;
                }
            }
            _ => {}
        }
        path.truncate(end);
    }
    Ok(())
}

fn check_inside(schema: &Value, name: &str, path: &mut String) -> Result<()> {
    let Value::Object(schema) = schema else { return Ok(()) };
    let end = path.len();
    path.push('/');
    path.push_str(&name.replace('~', "~0").replace('/', "~1"));
    check_references(schema, path)?;
    path.truncate(end);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(schema: Value) -> String {
        OutputSchema::new(schema).err().unwrap().message
    }

    #[test]
    fn a_schema_that_is_none_is_refused_with_its_place() {
        let message = refused(json!({ "type": "object", "properties": { "a": { "type": "strng" } } }));
        assert!(message.starts_with("option outputSchema at /properties/a/type: "), "{message}");
        assert!(message.contains("strng"), "{message}");
        let message = refused(json!({ "type": "object", "properties": { "a": { "pattern": "(" } } }));
        assert!(message.starts_with("option outputSchema at /properties/a/pattern: "), "{message}");
    }

    #[test]
    fn an_answer_is_an_object() {
        assert!(refused(json!(true)).contains("expected a JSON Schema, which is an object"));
        assert!(refused(json!({})).contains("\"type\" is missing"));
        assert!(refused(json!({ "type": "array" })).starts_with("option outputSchema at /type: expected \"object\""));
        assert!(refused(json!({ "type": ["object", "null"] })).contains("expected \"object\""));
    }

    #[test]
    fn nothing_may_lead_out_of_a_schema() {
        for (schema, place) in [
            (
                json!({ "type": "object", "properties": { "a": { "$ref": "https://acme.test/a" } } }),
                "/properties/a/$ref",
            ),
            (json!({ "type": "object", "allOf": [{ "$ref": "other.json" }] }), "/allOf/0/$ref"),
            (json!({ "type": "object", "$defs": { "a/b": { "$dynamicRef": "x#y" } } }), "/$defs/a~1b/$dynamicRef"),
        ] {
            let message = refused(schema);
            assert!(message.starts_with(&format!("option outputSchema at {place}: ")), "{message}");
            assert!(message.contains("leads out of the schema"), "{message}");
        }
    }

    #[test]
    fn what_looks_like_a_reference_and_is_data_is_none() {
        let schema = json!({
            "type": "object",
            "properties": { "$ref": { "const": { "$ref": "https://acme.test" } } },
            "$defs": { "a": { "type": "string" } },
            "additionalProperties": { "$ref": "#/$defs/a" },
        });
        assert!(OutputSchema::new(schema).is_ok());
    }

    #[test]
    fn a_schema_that_is_too_large_or_too_deep_is_refused() {
        let long = "x".repeat(MAX_SCHEMA_BYTES);
        assert!(refused(json!({ "type": "object", "description": long })).contains("at most 65536 are taken"));
        let mut deep = json!({ "type": "object" });
        for _ in 0..200 {
            deep = json!({ "type": "object", "properties": { "a": deep } });
        }
        assert!(refused(deep).contains("more than 64 levels"));
    }

    #[test]
    fn an_answer_that_does_not_fit_is_told_where() {
        let schema = OutputSchema::new(json!({
            "type": "object",
            "properties": { "when": { "format": "date" }, "many": { "items": { "type": "integer" } } },
            "required": ["who"],
        }))
        .unwrap();
        assert_eq!(schema.misfits(&json!({ "who": 1, "when": "2026-11-30" })), []);
        let misfits = schema.misfits(&json!({ "when": "soon", "many": [1, "x".repeat(1000)] }));
        let paths: Vec<_> = misfits.iter().map(|misfit| misfit.path.as_str()).collect();
        assert!(paths.contains(&"") && paths.contains(&"/when") && paths.contains(&"/many/1"), "{misfits:?}");
        assert!(misfits.iter().all(|misfit| misfit.message.len() <= MAX_MISFIT_BYTES + 3));
    }
}
