//! The JSON Schema of the vocabulary, as schemars reads it from the Rust types.

use lodger_protocol as protocol;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Every type that a host meets, under `$defs`, each reachable by `#/$defs/NAME`.
///
/// Only doors are listed here; what they use comes along.
#[must_use]
pub fn document() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<protocol::AgentOptions>();
    generator.subschema_for::<protocol::ListModelsOptions>();
    generator.subschema_for::<protocol::Prompt>();
    generator.subschema_for::<protocol::Event>();
    generator.subschema_for::<protocol::Request>();
    generator.subschema_for::<protocol::PermissionAnswer>();
    generator.subschema_for::<protocol::ToolAnswer>();
    generator.subschema_for::<protocol::QuestionAnswer>();
    generator.subschema_for::<protocol::PlanAnswer>();
    generator.subschema_for::<protocol::CheckAnswer>();
    generator.subschema_for::<protocol::TurnResult>();
    generator.subschema_for::<protocol::Diagnostic>();
    generator.subschema_for::<protocol::UsageReport>();
    generator.subschema_for::<protocol::Message>();
    generator.subschema_for::<protocol::Error>();
    let definitions: Map<String, Value> = generator.take_definitions(true);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lodger",
        "description": "The vocabulary of Lodger, version 1: options, prompts, events, requests, answers, results, errors.",
        "$defs": definitions,
    })
}
