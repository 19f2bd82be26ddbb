//! The script file, as types. Unknown names are errors.

use std::path::Path;

use lodger_protocol::{Error, ErrorCode, StopReason, ToolCallId, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::Price;

/// Largest script file, in bytes.
const MAX_SCRIPT_BYTES: u64 = 16 * 1024 * 1024;

/// What a scripted model says, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Script {
    /// One reply each. A request is answered by the step whose index is the number of assistant messages in it.
    pub steps: Vec<Step>,
    /// What answers when the steps have run out. Default `fail`.
    #[serde(default)]
    pub after: After,
    /// What its tokens cost, in US dollars for a million. Default: nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// What answers when the steps have run out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// An error that names the number of steps.
    #[default]
    Fail,
    /// The steps again, from the first.
    Loop,
    /// The last step, again and again.
    Last,
}

/// One reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Step {
    /// What the request must look like; otherwise it fails with `provider_rejected` and both sides in the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// The reply, part by part.
    pub reply: Vec<Part>,
    /// Why the model stopped: `end_turn`, `tool_use`, `max_output_tokens` or `refused`. Default: `tool_use` when
    /// there is a tool call, else `end_turn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// What it used. Default: not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What goes wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// What a request must look like. What is absent is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Expect {
    /// The text of the last user message that has text contains this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_user_text: Option<String>,
    /// The system prompt contains this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// All of these tools are on offer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// None of these tools is on offer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent_tools: Vec<String>,
    /// The results that came with the request, in order: as many as here, each as said here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_results: Option<Vec<ExpectedResult>>,
}

/// What one tool result must look like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ExpectedResult {
    /// Its text contains this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// The tool failed or was refused, or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

/// A piece of a reply. Text parts that stand next to each other, or with only `delay` and `wait` between them,
/// are one block of the reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Part {
    /// Text of the answer.
    Text {
        /// A text, or the list of its deltas.
        text: Pieces,
        /// A text is sent in so many deltas of about the same length. Default 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chunks: Option<u32>,
    },
    /// The same text again and again, a delta each: long streams.
    Repeat {
        /// One delta.
        text: String,
        /// How many.
        count: u64,
    },
    /// Thought.
    Thinking {
        /// A text, or the list of its deltas.
        text: Pieces,
        /// A text is sent in so many deltas of about the same length. Default 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chunks: Option<u32>,
        /// The provider's signature.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// Thought that the provider encrypted.
    RedactedThinking {
        /// Opaque data.
        data: String,
    },
    /// A call of a tool.
    ToolCall {
        /// Default `call_<step>_<n>`: the step's index, and which call of the step it is, both from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_call_id: Option<ToolCallId>,
        /// Name of the tool.
        tool_name: String,
        /// The input. Default `{}`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
        /// The input as raw text in place of `input`, for input that is not JSON.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw_input: Option<String>,
        /// The input is sent in so many deltas of about the same length. Default 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chunks: Option<u32>,
    },
    /// Silence.
    Delay {
        /// Milliseconds.
        ms: u64,
    },
    /// Silence until a file exists: how a test says "go on".
    Wait {
        /// Absolute, or relative to the folder of the script.
        file: String,
    },
}

/// A text, or the deltas that make it up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Pieces {
    /// One text.
    Text(String),
    /// Its deltas.
    Deltas(Vec<String>),
}

/// What goes wrong in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fault {
    /// What happens.
    #[serde(rename = "type")]
    pub kind: FaultKind,
    /// After so many parts of the reply. Default 0: before anything is said.
    #[serde(default)]
    pub after_parts: usize,
    /// With `error`: the code. Any `provider_*` code, `timeout`, `context_overflow` or `model_not_found`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// With `error`: the provider's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// With `error`: how long the provider asks to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// The kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The provider reports an error.
    Error,
    /// The stream ends too early: `provider_stream_cut`.
    Cut,
    /// The model's code panics, to see that the host survives it.
    Panic,
    /// Nothing more comes, ever.
    Stall,
}

impl Script {
    /// Reads a script from its JSON text and checks it.
    ///
    /// # Errors
    /// `invalid_options` saying what was expected.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let script: Self = serde_json::from_str(text)
            .map_err(|error| Error::invalid_options(format!("the script cannot be read: {error}")))?;
        script.check()?;
        Ok(script)
    }

    /// Reads a script from a file of at most 16 MiB.
    ///
    /// # Errors
    /// `invalid_options` naming the file.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let about = |what: String| Error::invalid_options(format!("script {}: {what}", path.display()));
        let size = std::fs::metadata(path).map_err(|error| about(error.to_string()))?.len();
        if size > MAX_SCRIPT_BYTES {
            return Err(about(format!("{size} bytes are more than the {MAX_SCRIPT_BYTES} that a script may have")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| about(error.to_string()))?;
        Self::parse(&text).map_err(|error| about(error.message))
    }

    /// The index of the step that answers a request with so many assistant messages.
    ///
    /// # Errors
    /// `provider_rejected` when the steps have run out.
    pub fn step_for(&self, assistant_messages: usize) -> Result<usize, Error> {
        let count = self.steps.len();
        match self.after {
            _ if assistant_messages < count => Ok(assistant_messages),
            After::Loop => Ok(assistant_messages % count),
            After::Last => Ok(count - 1),
            After::Fail => Err(Error::new(
                ErrorCode::ProviderRejected,
                format!(
                    "the script has {count} steps and the request holds {assistant_messages} assistant messages, which asks for one more; add a step or set `after`"
                ),
            )),
        }
    }

    /// What the types cannot say.
    fn check(&self) -> Result<(), Error> {
        if self.steps.is_empty() {
            return Err(Error::invalid_options("`steps` must hold at least one step"));
        }
        for (index, step) in self.steps.iter().enumerate() {
            step.check().map_err(|error| Error::invalid_options(format!("steps[{index}]: {}", error.message)))?;
        }
        Ok(())
    }
}

impl Step {
    /// Why the model stops, said or derived.
    #[must_use]
    pub fn stop_reason(&self) -> StopReason {
        self.stop_reason.unwrap_or_else(|| match self.reply.iter().any(|part| matches!(part, Part::ToolCall { .. })) {
            true => StopReason::ToolUse,
            false => StopReason::EndTurn,
        })
    }

    fn check(&self) -> Result<(), Error> {
        if matches!(self.stop_reason, Some(StopReason::Cancelled | StopReason::MaxBudget | StopReason::Error)) {
            return Err(Error::invalid_options(
                "`stopReason` must be end_turn, tool_use, max_output_tokens or refused; use `fault` for what goes wrong",
            ));
        }
        for part in &self.reply {
            match part {
                Part::ToolCall { input: Some(_), raw_input: Some(_), .. } => {
                    return Err(Error::invalid_options("`input` and `rawInput` exclude each other"));
                }
                Part::Text { text: Pieces::Deltas(_), chunks: Some(_) }
                | Part::Thinking { text: Pieces::Deltas(_), chunks: Some(_), .. } => {
                    return Err(Error::invalid_options("`chunks` splits a text; a list of deltas is split already"));
                }
                _ => {}
            }
        }
        self.fault.as_ref().map_or(Ok(()), |fault| fault.check(self.reply.len()))
    }
}

impl Fault {
    fn check(&self, parts: usize) -> Result<(), Error> {
        if self.after_parts > parts {
            return Err(Error::invalid_options(format!(
                "`fault.afterParts` is {} and the reply has {parts} parts",
                self.after_parts
            )));
        }
        let is_error = self.kind == FaultKind::Error;
        if is_error != self.code.is_some() || (!is_error && (self.message.is_some() || self.retry_after_ms.is_some())) {
            return Err(Error::invalid_options(
                "`fault` of type `error` needs `code`, the other types take none of `code`, `message`, `retryAfterMs`",
            ));
        }
        match self.code {
            Some(code) if !is_providers(code) => Err(Error::invalid_options(format!(
                "`fault.code` must be a `provider_*` code, `timeout`, `context_overflow` or `model_not_found`; found `{code}`"
            ))),
            _ => Ok(()),
        }
    }
}

fn is_providers(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::Timeout | ErrorCode::ContextOverflow | ErrorCode::ModelNotFound)
        || code.as_str().starts_with("provider_")
}
