//! The schemas of tools and answers, as servers take them.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// What the schema of the answer is called, where it must have a name.
pub(crate) const OUTPUT_NAME: &str = "structured_output";

/// The schema of an object with its `properties`, which some servers want even where there are none, and without what
/// only a validator reads.
pub(crate) fn with_properties(schema: &Value) -> Cow<'_, Value> {
    let Value::Object(object) = schema else { return Cow::Borrowed(schema) };
    let is_object = object.get("type").is_none_or(|kind| kind == "object");
    let lacks = is_object && !object.contains_key("properties");
    let superfluous = ["$schema", "$id"].iter().any(|name| object.contains_key(*name));
    if !lacks && !superfluous {
        return Cow::Borrowed(schema);
    }
    let mut object: Map<String, Value> = object
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "$schema" | "$id"))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if lacks {
        object.insert("type".to_owned(), "object".into());
        object.insert("properties".to_owned(), Value::Object(Map::new()));
    }
    Cow::Owned(Value::Object(object))
}
