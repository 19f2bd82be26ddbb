//! The frames of the protocol, as loosely as they may be read: everything may be missing or null.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    pub(super) candidates: Option<Vec<Candidate>>,
    pub(super) prompt_feedback: Option<Feedback>,
    pub(super) usage_metadata: Option<Usage>,
    pub(super) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate {
    pub(super) index: Option<u64>,
    pub(super) content: Option<Content>,
    pub(super) finish_reason: Option<String>,
    pub(super) finish_message: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Content {
    pub(super) parts: Option<Vec<Part>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    pub(super) text: Option<String>,
    pub(super) thought: Option<bool>,
    pub(super) thought_signature: Option<String>,
    pub(super) function_call: Option<FunctionCall>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FunctionCall {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) args: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Feedback {
    pub(super) block_reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Usage {
    pub(super) prompt_token_count: Option<u64>,
    pub(super) cached_content_token_count: Option<u64>,
    pub(super) candidates_token_count: Option<u64>,
    pub(super) thoughts_token_count: Option<u64>,
    pub(super) tool_use_prompt_token_count: Option<u64>,
}

impl Usage {
    /// The counts in disjoint buckets. Thought is counted beside the answer.
    pub(super) fn disjoint(self) -> lodger_protocol::Usage {
        let cached = self.cached_content_token_count.unwrap_or(0);
        let beside = self.tool_use_prompt_token_count.unwrap_or(0);
        lodger_protocol::Usage {
            input_tokens: self.prompt_token_count.map(|all| all.saturating_sub(cached).saturating_add(beside)),
            output_tokens: self.candidates_token_count,
            cache_read_tokens: self.cached_content_token_count,
            cache_write_tokens: None,
            reasoning_tokens: self.thoughts_token_count,
        }
    }
}
