//! A reply as far as it was told, block by block: for protocols that say all of it again at the end, and for replies
//! that are no stream.

use lodger_model::scripted::BlockStart;
use serde_json::{Value, json};

use super::More;

/// A block that was told.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    Text(String),
    Thinking { text: String, signature: String },
    Redacted(String),
    Call { id: String, name: String, input: String },
}

/// The blocks, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(pub(crate) Vec<Block>);

impl Told {
    pub(crate) fn start(&mut self, block: BlockStart) {
        self.0.push(match block {
            BlockStart::Text => Block::Text(String::new()),
            BlockStart::Thinking => Block::Thinking { text: String::new(), signature: String::new() },
            BlockStart::RedactedThinking(data) => Block::Redacted(data),
            BlockStart::ToolCall { id, name } => Block::Call { id: id.to_string(), name, input: String::new() },
        });
    }

    pub(crate) fn more(&mut self, more: &More) {
        match (self.0.last_mut(), more) {
            (Some(Block::Text(text) | Block::Thinking { text, .. }), More::Text(more) | More::Thinking(more)) => {
                text.push_str(more);
            }
            (Some(Block::Thinking { signature, .. }), More::Signature(more)) => signature.push_str(more),
            (Some(Block::Call { input, .. }), More::Input(more)) => input.push_str(more),
            _ => {}
        }
    }

    /// All text, joined.
    pub(crate) fn text(&self) -> String {
        self.0
            .iter()
            .filter_map(|block| if let Block::Text(text) = block { Some(text.as_str()) } else { None })
            .collect()
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.0.iter().filter_map(|block| match block {
            Block::Call { id, name, input } => Some((id.as_str(), name.as_str(), input.as_str())),
            _ => None,
        })
    }
}

/// A call's input as a value. Text that is no JSON stays text: a server that must send an object has no better.
pub(crate) fn input_value(input: &str) -> Value {
    if input.is_empty() { json!({}) } else { serde_json::from_str(input).unwrap_or_else(|_| input.into()) }
}

/// A call's input as text.
pub(crate) fn input_text(input: &str) -> &str {
    if input.is_empty() { "{}" } else { input }
}
