//! How a turn ended and what it used.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Tokens in disjoint buckets: their sum is all that was used. What the provider did not say stays absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Prompt tokens that no cache served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, without reasoning where that is counted apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Prompt tokens read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Prompt tokens written to the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Tokens of thought, where counted apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl Usage {
    /// Prompt tokens of all three kinds: how full the context was.
    #[must_use]
    pub fn context_tokens(&self) -> Option<u64> {
        [self.input_tokens, self.cache_read_tokens, self.cache_write_tokens]
            .into_iter()
            .flatten()
            .reduce(u64::saturating_add)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        fn add(to: &mut Option<u64>, more: Option<u64>) {
            if let Some(more) = more {
                *to = Some(to.unwrap_or(0).saturating_add(more));
            }
        }
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.cache_read_tokens, other.cache_read_tokens);
        add(&mut self.cache_write_tokens, other.cache_write_tokens);
        add(&mut self.reasoning_tokens, other.reasoning_tokens);
    }
}

/// Why the model stopped writing one reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had said all it wanted.
    EndTurn,
    /// It waits for the results of its tool calls.
    ToolUse,
    /// It reached the limit of output tokens.
    MaxOutputTokens,
    /// It, or its provider, declined to answer.
    Refused,
    /// The turn was cancelled; the reply holds what had arrived.
    Cancelled,
    /// The budget was used up; the reply holds what had arrived.
    MaxBudget,
    /// The stream broke; the reply holds what had arrived.
    Error,
}

/// Why a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoneReason {
    /// The model finished.
    EndTurn,
    /// The model reached its output limit.
    MaxOutputTokens,
    /// `limits.maxSteps` model calls were made.
    MaxSteps,
    /// The budget was used up.
    MaxBudget,
    /// The model, or its provider, declined.
    Refused,
    /// The host cancelled, interrupted, or stopped reading.
    Cancelled,
    /// Something failed; see `error`.
    Error,
}

/// How whole the last reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// The turn ended after a complete reply.
    Complete,
    /// The turn was cut in the middle of a reply or of a tool call.
    Interrupted,
}

/// What a turn came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnResult {
    /// Why it ended.
    pub reason: DoneReason,
    /// Tokens of this turn only.
    pub usage: Usage,
    /// US dollars of this turn; absent when a price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Text of the last assistant message; empty when there was none.
    pub text: String,
    /// The answer, which fits `outputSchema`. With that option it is there whenever `reason` is `end_turn`, and never
    /// else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// What failed, when `reason` is `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<crate::Error>,
}
