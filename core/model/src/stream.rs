//! One request to a model and the reply as it comes.

use std::sync::Arc;

use futures_util::stream::BoxStream;
use lodger_protocol::{Content, Error, Role, StopReason, ToolCallId, ToolSpec, Usage};

/// One message of the conversation, as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelMessage {
    /// Who said it.
    pub role: Role,
    /// Its blocks. Tool calls stand in assistant messages, their results in the user message right after.
    pub content: Vec<Content>,
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
}

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

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// `provider/model`.
    fn name(&self) -> &str;

    /// How many tokens a conversation may have, where known.
    fn context_window(&self) -> Option<u64>;

    /// Asks. Nothing is sent before the stream is polled; the body is read only as far as it is polled;
    /// dropping the stream closes the connection.
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent>;
}
