//! The frames of the protocol, as loosely as they may be read: everything may be missing or null.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    pub(super) object: Option<String>,
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) usage: Option<Usage>,
    pub(super) x_groq: Option<Groq>,
    pub(super) error: Option<Value>,
}

/// Where one server says its usage.
#[derive(Debug, Deserialize)]
pub(super) struct Groq {
    pub(super) usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    pub(super) index: Option<u64>,
    pub(super) delta: Option<Delta>,
    /// Where a server answers in one piece.
    pub(super) message: Option<Delta>,
    pub(super) finish_reason: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Delta {
    pub(super) content: Option<Text>,
    pub(super) refusal: Option<String>,
    pub(super) reasoning_content: Option<String>,
    pub(super) reasoning: Option<Value>,
    pub(super) reasoning_details: Option<Vec<Value>>,
    pub(super) tool_calls: Option<Vec<Piece>>,
}

/// A text, or, from a few servers, parts of one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Text {
    Plain(String),
    Parts(Vec<Value>),
    Other(serde::de::IgnoredAny),
}

/// A piece of a call.
#[derive(Debug, Deserialize)]
pub(super) struct Piece {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) function: Option<Function>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Function {
    pub(super) name: Option<String>,
    /// JSON as text; from a few servers JSON itself.
    pub(super) arguments: Option<Value>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Usage {
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
    pub(super) total_tokens: Option<u64>,
    pub(super) prompt_tokens_details: Option<PromptDetails>,
    pub(super) completion_tokens_details: Option<CompletionDetails>,
    pub(super) prompt_cache_hit_tokens: Option<u64>,
    pub(super) cache_creation_input_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct PromptDetails {
    pub(super) cached_tokens: Option<u64>,
    pub(super) cache_write_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct CompletionDetails {
    pub(super) reasoning_tokens: Option<u64>,
}

impl Usage {
    /// The counts in disjoint buckets.
    pub(super) fn disjoint(self) -> lodger_protocol::Usage {
        let prompt = self.prompt_tokens_details.unwrap_or_default();
        let read = prompt.cached_tokens.or(self.prompt_cache_hit_tokens);
        let write = prompt.cache_write_tokens.or(self.cache_creation_input_tokens);
        let reasoning = self.completion_tokens_details.and_then(|details| details.reasoning_tokens);
        // Most count thought within the completion, a few beside it: only then does the sum come out.
        let beside = match (self.total_tokens, self.prompt_tokens, self.completion_tokens, reasoning) {
            (Some(total), Some(prompt), Some(completion), Some(reasoning)) if reasoning > 0 => {
                total == prompt.saturating_add(completion).saturating_add(reasoning)
            }
            _ => false,
        };
        let cached = read.unwrap_or(0).saturating_add(write.unwrap_or(0));
        let within = if beside { 0 } else { reasoning.unwrap_or(0) };
        lodger_protocol::Usage {
            input_tokens: self.prompt_tokens.map(|all| all.saturating_sub(cached)),
            output_tokens: self.completion_tokens.map(|all| all.saturating_sub(within)),
            cache_read_tokens: read,
            cache_write_tokens: write,
            reasoning_tokens: reasoning,
        }
    }
}
