//! The frames of the protocol, as loosely as they may be read.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) output_index: Option<u64>,
    #[serde(borrow)]
    pub(super) item_id: Option<Cow<'a, str>>,
    pub(super) delta: Option<String>,
    pub(super) summary_index: Option<u64>,
    pub(super) arguments: Option<String>,
    pub(super) item: Option<Value>,
    pub(super) response: Option<Response>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Response {
    pub(super) output: Option<Vec<Value>>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Option<Value>,
    pub(super) incomplete_details: Option<Incomplete>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Incomplete {
    pub(super) reason: Option<String>,
}

/// What of an item is read; all of it is kept where it is thought.
#[derive(Debug, Deserialize)]
pub(super) struct Item {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) id: Option<String>,
    pub(super) call_id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) arguments: Option<String>,
    pub(super) status: Option<String>,
    pub(super) content: Option<Vec<Part>>,
    pub(super) summary: Option<Vec<Part>>,
    /// Whether a message is a comment on the way or the answer.
    pub(super) phase: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Part {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) text: Option<String>,
    pub(super) refusal: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Usage {
    pub(super) input_tokens: Option<u64>,
    pub(super) input_tokens_details: Option<InputDetails>,
    pub(super) output_tokens: Option<u64>,
    pub(super) output_tokens_details: Option<OutputDetails>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct InputDetails {
    pub(super) cached_tokens: Option<u64>,
    pub(super) cache_write_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct OutputDetails {
    pub(super) reasoning_tokens: Option<u64>,
}

impl Usage {
    /// The counts in disjoint buckets.
    pub(super) fn disjoint(self) -> lodger_protocol::Usage {
        let input = self.input_tokens_details.unwrap_or_default();
        let reasoning_tokens = self.output_tokens_details.and_then(|details| details.reasoning_tokens);
        let cached = input.cached_tokens.unwrap_or(0).saturating_add(input.cache_write_tokens.unwrap_or(0));
        lodger_protocol::Usage {
            input_tokens: self.input_tokens.map(|all| all.saturating_sub(cached)),
            output_tokens: self.output_tokens.map(|all| all.saturating_sub(reasoning_tokens.unwrap_or(0))),
            cache_read_tokens: input.cached_tokens,
            cache_write_tokens: input.cache_write_tokens,
            reasoning_tokens,
        }
    }
}
