//! A tool that the host runs: its calls are requests of kind `tool`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use lodger_protocol::{
    Answer, Content, Effect, Error, RequestBody, Result, Target, TargetKind, ToolAnswer, ToolApproval, ToolOptions,
    ToolRequest, ToolSpec,
};
use lodger_tools::{Patience, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun};
use serde_json::Value;

use crate::shown;

/// A tool that the host runs.
pub struct HostTool {
    spec: ToolSpec,
    patience: Patience,
    read_only: bool,
    approval: ToolApproval,
}

impl HostTool {
    /// Takes a tool as the host declared it.
    ///
    /// # Errors
    /// `invalid_options` for a name or schema that models do not accept.
    pub fn new(index: usize, options: &ToolOptions) -> Result<Self> {
        let name = &options.name;
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
            return Err(Error::invalid_options(format!(
                "tools[{index}].name is {name:?}; expected 1 to 64 of letters, digits, '_' and '-'"
            )));
        }
        if !options.input_schema.is_object() {
            return Err(Error::invalid_options(format!(
                "tools[{index}].inputSchema of {name:?} must be a JSON Schema object, such as {{\"type\":\"object\"}}"
            )));
        }
        Ok(Self {
            spec: ToolSpec {
                name: name.clone(),
                description: options.description.clone(),
                input_schema: Arc::new(options.input_schema.clone()),
            },
            patience: match options.timeout_ms {
                None | Some(0) => Patience::Endless,
                Some(ms) => Patience::For(Duration::from_millis(ms)),
            },
            read_only: options.read_only,
            approval: options.approval,
        })
    }
}

impl Tool for HostTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn host_approval(&self) -> Option<ToolApproval> {
        Some(self.approval)
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        if !input.is_object() {
            return Err(ToolFailure(format!("the input of {} must be a JSON object", self.spec.name)));
        }
        Ok(Box::new(HostCall {
            request: ToolRequest { tool_name: self.spec.name.clone(), input: input.clone() },
            patience: self.patience,
            effect: if self.read_only { Effect::Read } else { Effect::Execute },
        }))
    }
}

struct HostCall {
    request: ToolRequest,
    patience: Patience,
    effect: Effect,
}

impl ToolRun for HostCall {
    fn target(&self) -> Target {
        Target {
            summary: self.request.tool_name.clone(),
            effect: self.effect,
            kind: TargetKind::Other,
            paths: None,
            command: None,
            host: None,
        }
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(async move {
            match context.host.ask(RequestBody::Tool(self.request), self.patience).await {
                Answer::Tool(ToolAnswer::Ran { content, is_error }) => ran(content, is_error),
                Answer::Tool(ToolAnswer::Failed { error }) => ToolOutput::error(error),
                Answer::Refused { reason, .. } => ToolOutput::error(reason),
                Answer::Permission(_) | Answer::Question(_) | Answer::Plan(_) | Answer::Check(_) => {
                    ToolOutput::error("the host answered something else than was asked")
                }
            }
        })
    }
}

fn ran(content: Vec<Content>, is_error: bool) -> ToolOutput {
    match shown::check_result(&content) {
        Ok(()) => ToolOutput { content, is_error, ..ToolOutput::default() },
        Err(wrong) => ToolOutput::error(wrong),
    }
}
