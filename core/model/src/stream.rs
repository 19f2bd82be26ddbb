//! One request to a model and the reply as it comes.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;
use lodger_protocol::{Content, Effort, Error, Role, StopReason, ToolCallId, ToolSpec, Usage};
use serde_json::Value;

/// One message of the conversation, as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelMessage {
    /// Who said it.
    pub role: Role,
    /// Its blocks. Tool calls stand in assistant messages, their results in the user message right after.
    pub content: Vec<Content>,
    /// `provider/model` that wrote it; absent where no model did. What only its writer can read is shown to no other.
    pub model: Option<String>,
}

/// All that a model is told for one reply.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The system prompt; empty: none.
    pub system: Arc<str>,
    /// The conversation; the last message is the user's.
    pub messages: Vec<ModelMessage>,
    /// The tools on offer.
    pub tools: Arc<[ToolSpec]>,
    /// Bound of the reply.
    pub max_output_tokens: u32,
    /// How much to think first.
    pub effort: Effort,
    /// No attempt begins later than so long after the first; see [`RETRY_TIME`].
    pub retry_for: Duration,
    /// The JSON Schema that the provider is to hold the answer to. Only for a model that [`Model::holds_to`] it.
    pub output_schema: Option<Arc<Value>>,
}

/// For so long attempts may begin for one reply, whichever models are asked for it.
pub const RETRY_TIME: Duration = Duration::from_secs(600);

/// A reply, whole or as far as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Its blocks, in order. A tool call whose input had not fully arrived is not among them.
    pub content: Vec<Content>,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// What it used.
    pub usage: Usage,
}

/// What a stream says. The last one is `Finished` or `Failed`, then the stream ends.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    /// More text of the answer.
    TextDelta(String),
    /// More thought.
    ThinkingDelta(String),
    /// More of a call's input, as raw JSON text.
    ToolInputDelta {
        /// The call.
        tool_call_id: ToolCallId,
        /// Name of the tool.
        tool_name: String,
        /// Append this.
        text: String,
    },
    /// What the reply used so far, where the provider says it before the end: all of it, not what was added.
    Usage(Usage),
    /// The request failed before any text, thought or input came, and is sent again after a wait.
    Retry {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// How many there may be.
        max_attempts: u32,
        /// How long it waits.
        delay: Duration,
        /// What failed.
        error: Error,
    },
    /// The whole reply.
    Finished(Reply),
    /// What failed, and the reply as far as it came.
    Failed {
        /// Why.
        error: Error,
        /// What had arrived.
        partial: Reply,
    },
}

impl ModelEvent {
    /// Whether it is a piece of the reply that somebody may have seen.
    #[must_use]
    pub const fn is_output(&self) -> bool {
        matches!(self, Self::TextDelta(_) | Self::ThinkingDelta(_) | Self::ToolInputDelta { .. })
    }
}

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// `provider/model`.
    fn name(&self) -> &str;

    /// How many tokens a conversation may have, where known.
    fn context_window(&self) -> Option<u64>;

    /// What one reply costs in US dollars; `None` when the price is not known.
    fn cost(&self, usage: &Usage) -> Option<f64>;

    /// Whether the model's provider can hold its answer to that JSON Schema, as it stands. `with_tools`: tools are on
    /// offer beside.
    fn holds_to(&self, schema: &Value, with_tools: bool) -> bool;

    /// Asks. Nothing is sent before the stream is polled; the body is read only as far as it is polled;
    /// dropping the stream closes the connection.
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent>;
}
