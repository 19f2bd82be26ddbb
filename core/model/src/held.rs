//! Whether a provider can hold its model to a JSON Schema as it stands.
//!
//! Each protocol takes its own part of JSON Schema; the rest it refuses, or silently passes over. A schema of which one
//! word would be lost is not sent: the model then gives its answer by a tool. Nothing here rewrites a schema.

use serde_json::{Map, Value};

/// How the provider of a model holds it to a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Also where tools are on offer.
    pub with_tools: bool,
    /// Which schemas it takes.
    pub dialect: Dialect,
}

/// The part of JSON Schema that a server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Anthropic's.
    Anthropic,
    /// OpenAI's, in strict mode.
    Openai,
    /// What all servers of Chat Completions take that hold models to schemas.
    Plain,
    /// Gemini's.
    Gemini,
}

/// Objects inside of one another.
const MAX_OBJECTS: usize = 5;
/// Schemas in one, each as often as it is referred to.
const MAX_SCHEMAS: usize = 1000;
/// Values to choose from, all lists together.
const MAX_VALUES: usize = 500;
/// Properties that may be left out, where there is a bound.
const MAX_OPTIONAL: usize = 24;
/// Values of several types, where there is a bound.
const MAX_UNIONS: usize = 16;

/// Formats of text that Anthropic and OpenAI both know.
const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/// Those that Gemini knows.
const GEMINI_FORMATS: [&str; 3] = ["date-time", "time", "date"];

/// What a dialect holds.
#[derive(Clone, Copy)]
struct Grammar {
    /// Keywords beside those that all take, whose values are plain data.
    keywords: &'static [&'static str],
    formats: &'static [&'static str],
    /// Every object says that nothing else may stand in it.
    closed: bool,
    /// Nothing may be left out.
    all_required: bool,
    /// There are bounds for what may be left out, for unions and for the least length of lists.
    counts: bool,
}

const PLAIN: Grammar = Grammar { keywords: &[], formats: &[], closed: true, all_required: true, counts: false };

impl Dialect {
    const fn grammar(self) -> Grammar {
        match self {
            Self::Plain => PLAIN,
            Self::Anthropic => Grammar {
                keywords: &["const", "default"],
                formats: &FORMATS,
                all_required: false,
                counts: true,
                ..PLAIN
            },
            Self::Openai => Grammar {
                keywords: &[
                    "const",
                    "multipleOf",
                    "minimum",
                    "maximum",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                    "minItems",
                    "maxItems",
                ],
                formats: &FORMATS,
                ..PLAIN
            },
            Self::Gemini => Grammar {
                keywords: &["minimum", "maximum", "minItems", "maxItems"],
                formats: &GEMINI_FORMATS,
                closed: false,
                all_required: false,
                ..PLAIN
            },
        }
    }

    /// Whether all of that schema is in it.
    pub(crate) fn takes(self, schema: &Value) -> bool {
        let Value::Object(root) = schema else { return false };
        let definitions = root.get("$defs").and_then(Value::as_object);
        let mut reading =
            Reading { grammar: self.grammar(), definitions, schemas: 0, values: 0, optional: 0, unions: 0 };
        !root.contains_key("anyOf")
            && reading.object(root, Place { is_root: true, objects: 0 })
            && definitions.into_iter().flat_map(Map::values).all(|schema| reading.schema(schema, 0))
            && reading.is_within()
    }
}

/// Where a schema stands.
#[derive(Clone, Copy)]
struct Place {
    is_root: bool,
    /// Objects around it.
    objects: usize,
}

struct Reading<'a> {
    grammar: Grammar,
    definitions: Option<&'a Map<String, Value>>,
    schemas: usize,
    values: usize,
    optional: usize,
    unions: usize,
}

impl Reading<'_> {
    fn is_within(&self) -> bool {
        self.values <= MAX_VALUES
            && (!self.grammar.counts || (self.optional <= MAX_OPTIONAL && self.unions <= MAX_UNIONS))
    }

    /// `objects`: how many it stands in.
    fn schema(&mut self, schema: &Value, objects: usize) -> bool {
        let Value::Object(schema) = schema else { return false };
        self.object(schema, Place { is_root: false, objects })
    }

    fn object(&mut self, schema: &Map<String, Value>, place: Place) -> bool {
        self.schemas += 1;
        // A schema that refers to itself gets here again and again.
        if self.schemas > MAX_SCHEMAS || place.objects > MAX_OBJECTS {
            return false;
        }
        if let Some(to) = schema.get("$ref") {
            return schema.len() == 1 && self.reference(to, place.objects);
        }
        let types = types(schema);
        if types.is_empty() != schema.contains_key("anyOf")
            || (types.contains(&"array") && !schema.contains_key("items"))
        {
            return false;
        }
        let is_object = types.contains(&"object");
        let speaks_of_one =
            ["properties", "required", "additionalProperties"].iter().any(|key| schema.contains_key(*key));
        let fits = if is_object { self.properties(schema) } else { !speaks_of_one };
        if !fits {
            return false;
        }
        self.unions += usize::from(types.len() > 1 || schema.contains_key("anyOf"));
        let inside = place.objects + usize::from(is_object);
        schema.iter().all(|(keyword, value)| self.keyword(keyword, value, inside, place.is_root))
    }

    fn keyword(&mut self, keyword: &str, value: &Value, inside: usize, is_root: bool) -> bool {
        match (keyword, value) {
            ("type" | "title" | "description" | "required" | "additionalProperties", _) => true,
            // Looked at by itself, or left out of what is sent.
            ("$defs" | "$schema" | "$id", _) => is_root,
            ("properties", Value::Object(named)) => named.values().all(|schema| self.schema(schema, inside)),
            ("items", schema) => self.schema(schema, inside),
            ("anyOf", Value::Array(schemas)) => schemas.iter().all(|schema| self.schema(schema, inside)),
            ("enum", Value::Array(values)) => {
                self.values += values.len();
                values.iter().all(|value| matches!(value, Value::String(_) | Value::Number(_)))
            }
            ("const" | "default", Value::Object(_) | Value::Array(_)) => false,
            ("minItems", Value::Number(least)) if self.grammar.counts => least.as_u64().is_some_and(|least| least < 2),
            ("format", Value::String(format)) => self.grammar.formats.contains(&format.as_str()),
            _ => self.grammar.keywords.contains(&keyword),
        }
    }

    /// What an object says of its properties as a whole.
    fn properties(&mut self, schema: &Map<String, Value>) -> bool {
        let Some(Value::Object(named)) = schema.get("properties") else { return false };
        let required: Vec<&Value> = schema.get("required").and_then(Value::as_array).into_iter().flatten().collect();
        let all_named = required.iter().all(|name| name.as_str().is_some_and(|name| named.contains_key(name)));
        let is_required = |name: &str| required.iter().any(|other| other.as_str() == Some(name));
        let optional = named.keys().filter(|name| !is_required(name)).count();
        self.optional += optional;
        let closing = schema.get("additionalProperties");
        let closed = closing == Some(&Value::Bool(false));
        let bounded = if self.grammar.closed { closed } else { closing.is_none_or(Value::is_boolean) };
        !named.is_empty() && all_named && bounded && (!self.grammar.all_required || optional == 0)
    }

    fn reference(&mut self, to: &Value, objects: usize) -> bool {
        let name = to.as_str().and_then(|to| to.strip_prefix("#/$defs/"));
        let plain = |name: &&str| !name.contains(['/', '~', '%']);
        let Some(schema) = name.filter(plain).and_then(|name| self.definitions?.get(name)) else { return false };
        self.schema(schema, objects)
    }
}

fn types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Who takes it: Anthropic, OpenAI, those who take the plain part, Gemini.
    fn takers(schema: &Value) -> [bool; 4] {
        [Dialect::Anthropic, Dialect::Openai, Dialect::Plain, Dialect::Gemini].map(|dialect| dialect.takes(schema))
    }

    /// A closed object with one property.
    fn with(property: Value) -> Value {
        json!({ "type": "object", "properties": { "a": property }, "required": ["a"], "additionalProperties": false })
    }

    #[test]
    fn a_plain_schema_is_taken_by_all() {
        let plain = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "title": "Report",
            "properties": {
                "name": { "type": "string", "description": "Whose." },
                "tags": { "type": "array", "items": { "type": "string", "enum": ["a", "b"] } },
                "size": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
                "note": { "type": ["string", "null"] },
                "owner": { "$ref": "#/$defs/owner" },
            },
            "required": ["name", "tags", "size", "note", "owner"],
            "additionalProperties": false,
            "$defs": { "owner": with(json!({ "type": "string" })) },
        });
        assert_eq!(takers(&plain), [true; 4]);
    }

    #[test]
    fn each_protocol_takes_its_own_part() {
        for (schema, expected) in [
            (with(json!({ "type": "string", "format": "date" })), [true, true, false, true]),
            (with(json!({ "type": "string", "format": "uuid" })), [true, true, false, false]),
            (with(json!({ "type": "string", "format": "shoe-size" })), [false; 4]),
            (with(json!({ "type": "integer", "minimum": 1 })), [false, true, false, true]),
            (with(json!({ "type": "integer", "exclusiveMinimum": 1 })), [false, true, false, false]),
            (with(json!({ "type": "string", "const": "x" })), [true, true, false, false]),
            (with(json!({ "type": "string", "default": "x" })), [true, false, false, false]),
            (with(json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 })), [true, true, false, true]),
            (
                with(json!({ "type": "array", "items": { "type": "string" }, "minItems": 2 })),
                [false, true, false, true],
            ),
        ] {
            assert_eq!(takers(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn what_may_be_left_out_is_for_those_who_can_say_so() {
        let optional =
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": false });
        assert_eq!(takers(&optional), [true, false, false, true]);
        let open = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] });
        assert_eq!(takers(&open), [false, false, false, true]);
    }

    #[test]
    fn what_would_be_lost_is_taken_by_nobody() {
        for property in [
            json!({}),
            json!(true),
            json!({ "type": "string", "pattern": "^a" }),
            json!({ "type": "string", "minLength": 3 }),
            json!({ "type": "array" }),
            json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true }),
            json!({ "oneOf": [{ "type": "string" }] }),
            json!({ "not": { "type": "string" } }),
            json!({ "type": "object", "patternProperties": { "a": { "type": "string" } } }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "enum": ["a", null] }),
            json!({ "$ref": "#/properties/a" }),
            json!({ "$ref": "#/$defs/nothing" }),
            json!({ "type": "string", "x-mine": 1 }),
            json!({ "type": "string", "required": ["b"] }),
            json!({ "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b", "c"],
                    "additionalProperties": false }),
        ] {
            assert_eq!(takers(&with(property.clone())), [false; 4], "{property}");
        }
        let choice = json!({ "type": "object", "anyOf": [with(json!({ "type": "string" }))] });
        assert_eq!(takers(&choice), [false; 4]);
    }

    #[test]
    fn a_schema_that_refers_to_itself_or_grows_without_end_is_taken_by_nobody() {
        let mut tree = with(json!({ "$ref": "#/$defs/node" }));
        tree["$defs"] = json!({ "node": with(json!({ "anyOf": [{ "$ref": "#/$defs/node" }, { "type": "null" }] })) });
        assert_eq!(takers(&tree), [false; 4]);
        let mut chain = with(json!({ "$ref": "#/$defs/one" }));
        chain["$defs"] = json!({ "one": { "$ref": "#/$defs/one" } });
        assert_eq!(takers(&chain), [false; 4]);
        let mut doubling = with(json!({ "$ref": "#/$defs/d0" }));
        for level in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
            doubling["$defs"][format!("d{level}")] = json!({ "anyOf": [next.clone(), next] });
        }
        doubling["$defs"]["d40"] = json!({ "type": "string" });
        assert_eq!(takers(&doubling), [false; 4]);
    }
}
