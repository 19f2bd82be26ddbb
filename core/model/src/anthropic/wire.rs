//! The frames of the protocol, as loosely as they may be read: one flat shape, since a tagged one would be read
//! twice. What only few frames have is boxed: most are deltas, and need not carry the room for it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) index: Option<u64>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    pub(super) content_block: Option<Box<Block>>,
    pub(super) message: Option<Box<Message>>,
    pub(super) usage: Option<Box<Usage>>,
    pub(super) error: Option<Box<Failure>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Option<Cow<'a, str>>,
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) partial_json: Option<String>,
    pub(super) stop_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Block {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) input: Option<Value>,
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) data: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) usage: Option<Usage>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Usage {
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) output_tokens_details: Option<OutputDetails>,
    pub(super) cache_read_input_tokens: Option<u64>,
    pub(super) cache_creation_input_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct OutputDetails {
    pub(super) thinking_tokens: Option<u64>,
}

impl Usage {
    /// Takes over each count that is larger.
    pub(super) fn grow(&mut self, said: Self) {
        self.input_tokens = self.input_tokens.max(said.input_tokens);
        self.output_tokens = self.output_tokens.max(said.output_tokens);
        self.cache_read_input_tokens = self.cache_read_input_tokens.max(said.cache_read_input_tokens);
        self.cache_creation_input_tokens = self.cache_creation_input_tokens.max(said.cache_creation_input_tokens);
        let thought = |usage: &Self| usage.output_tokens_details.and_then(|details| details.thinking_tokens);
        if let thinking_tokens @ Some(_) = thought(self).max(thought(&said)) {
            self.output_tokens_details = Some(OutputDetails { thinking_tokens });
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Failure {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) message: Option<String>,
}
