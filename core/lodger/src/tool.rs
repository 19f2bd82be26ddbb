//! Tools of a Rust host.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use lodger_protocol::{Content, ToolAnswer};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::embed::OpenRequest;

/// One call of a tool of yours.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The input, as the model wrote it.
    pub input: Value,
    /// Cancelled when the answer no longer counts.
    pub withdrawn: CancellationToken,
    pub(crate) request: Arc<OpenRequest>,
}

impl ToolCall {
    /// Shows progress, as far as the turn's reader has room.
    pub fn progress(&self, text: &str) {
        // A call that is over has nobody left to show anything to.
        let _ = self.request.progress(text);
    }
}

pub(crate) type ToolHandler = Arc<dyn Fn(ToolCall) -> BoxFuture<'static, ToolAnswer> + Send + Sync>;

/// What a tool may return: text, JSON, blocks, or a `Result` of them whose error is told to the model.
pub trait IntoToolAnswer {
    /// The answer.
    fn into_tool_answer(self) -> ToolAnswer;
}

impl IntoToolAnswer for ToolAnswer {
    fn into_tool_answer(self) -> ToolAnswer {
        self
    }
}

impl IntoToolAnswer for Vec<Content> {
    fn into_tool_answer(self) -> ToolAnswer {
        ToolAnswer::Ran { content: self, is_error: false }
    }
}

impl IntoToolAnswer for String {
    fn into_tool_answer(self) -> ToolAnswer {
        vec![Content::text(self)].into_tool_answer()
    }
}

impl IntoToolAnswer for &str {
    fn into_tool_answer(self) -> ToolAnswer {
        self.to_owned().into_tool_answer()
    }
}

impl IntoToolAnswer for Value {
    fn into_tool_answer(self) -> ToolAnswer {
        self.to_string().into_tool_answer()
    }
}

impl<T: IntoToolAnswer, E: std::fmt::Display> IntoToolAnswer for Result<T, E> {
    fn into_tool_answer(self) -> ToolAnswer {
        match self {
            Ok(value) => value.into_tool_answer(),
            Err(error) => ToolAnswer::Failed { error: error.to_string() },
        }
    }
}
