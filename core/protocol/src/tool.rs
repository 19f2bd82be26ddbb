//! A tool, as a model is told of it.

use std::sync::Arc;

use serde_json::Value;

/// A tool, as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its input. Shared: many agents may offer the same tool.
    pub input_schema: Arc<Value>,
}
