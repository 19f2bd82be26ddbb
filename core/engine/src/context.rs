//! What one step sees, frozen when its model is called: what was advertised is what runs.

use std::sync::Arc;
use std::time::Duration;

use lodger_model::{Model, ModelMessage, ModelRequest};
use lodger_protocol::{Effort, Limits, Mode, ToolSpec};
use lodger_session::{Transcript, conversation};
use lodger_tools::Registry;
use lodger_workspace::Workspace;

use crate::OutputSchema;

/// One step's view of the world.
#[derive(Clone)]
pub(crate) struct StepContext {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) effort: Effort,
    pub(crate) mode: Mode,
    pub(crate) system: Arc<str>,
    pub(crate) tools: Arc<Registry>,
    pub(crate) specs: Arc<[ToolSpec]>,
    /// What the answer must fit.
    pub(crate) output: Option<Arc<OutputSchema>>,
    /// The model's provider holds it to that; else `specs` has the tool that takes the answer.
    pub(crate) is_held: bool,
    pub(crate) limits: Arc<Limits>,
    pub(crate) workspace: Option<Arc<dyn Workspace>>,
}

impl StepContext {
    /// The request that shows the model the conversation so far.
    pub(crate) fn request(&self, transcript: &Transcript, retry_for: Duration) -> ModelRequest {
        ModelRequest {
            system: Arc::clone(&self.system),
            messages: conversation(transcript)
                .into_iter()
                .map(|message| ModelMessage { role: message.role, content: message.content, model: message.model })
                .collect(),
            tools: Arc::clone(&self.specs),
            max_output_tokens: self.limits.max_output_tokens,
            effort: self.effort,
            retry_for,
            output_schema: self.output.as_ref().filter(|_| self.is_held).map(|output| Arc::clone(output.schema())),
        }
    }
}
