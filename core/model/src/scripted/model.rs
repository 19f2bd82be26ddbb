//! The scripted model itself: a script played as a stream.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use lodger_protocol::{Content, Error, ErrorCode, Role, StopReason, ToolCallId, Usage};

use serde_json::Value;

use super::beat::{Beat, Beats, BlockStart};
use super::script::{Fault, FaultKind, Script};
use super::seen::Seen;
use crate::{Model, ModelEvent, ModelRequest, Reply};

/// How often a `wait` looks for its file.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A model that plays a script. Cheap to share; keeps nothing of what it is asked.
#[derive(Clone, Debug)]
pub struct ScriptedModel {
    name: String,
    script: Arc<Script>,
    /// The folder of the script: where relative `wait` files are.
    folder: Option<PathBuf>,
}

impl ScriptedModel {
    /// A model with that name, `scripted/...`, that plays a script.
    #[must_use]
    pub fn new(name: impl Into<String>, script: Script) -> Self {
        Self { name: name.into(), script: Arc::new(script), folder: None }
    }

    /// A model that plays the script in `file`: absolute, or relative to `cwd`.
    ///
    /// # Errors
    /// `invalid_options` when the file cannot be found, read or understood.
    pub fn open(file: &str, cwd: Option<&Path>) -> Result<Self, Error> {
        let path = match (Path::new(file), cwd) {
            (path, _) if path.is_absolute() => path.to_owned(),
            (path, Some(cwd)) => cwd.join(path),
            (_, None) => {
                return Err(Error::invalid_options(format!(
                    "`model`: the script `{file}` is relative and there is no `cwd`; give its absolute path"
                )));
            }
        };
        let script = Script::load(&path)?;
        Ok(Self {
            name: format!("scripted/{file}"),
            script: Arc::new(script),
            folder: path.parent().map(Path::to_owned),
        })
    }

    /// The beats that answer a request, or why there are none.
    fn begin(&self, request: &ModelRequest) -> Result<Playing, Error> {
        let assistant = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let index = self.script.step_for(assistant)?;
        let step = self.script.steps.get(index);
        if let Some(expect) = step.and_then(|step| step.expect.as_ref()) {
            expect.check(index, &Seen::of(request))?;
        }
        Ok(Playing {
            beats: Beats::new(self.script.clone(), index),
            reply: Reply {
                content: Vec::new(),
                stop_reason: step.map_or(StopReason::EndTurn, super::Step::stop_reason),
                usage: step.and_then(|step| step.usage).unwrap_or_default(),
            },
            call: None,
            folder: self.folder.clone(),
        })
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn context_window(&self) -> Option<u64> {
        None
    }

    fn cost(&self, usage: &Usage) -> Option<f64> {
        self.script.price.map(|price| price.of(usage))
    }

    fn holds_to(&self, _: &Value, _: bool) -> bool {
        false
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent> {
        match self.begin(&request) {
            Ok(playing) => stream::unfold(Some(playing), |playing| async {
                let mut playing = playing?;
                let event = playing.next().await;
                let ended = matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed { .. });
                Some((event, (!ended).then_some(playing)))
            })
            .boxed(),
            Err(error) => stream::iter([failed(error, empty())]).boxed(),
        }
    }
}

/// A step while it is played.
struct Playing {
    beats: Beats,
    reply: Reply,
    call: Option<(ToolCallId, String, String)>,
    folder: Option<PathBuf>,
}

impl Playing {
    async fn next(&mut self) -> ModelEvent {
        while let Some(beat) = self.beats.next() {
            match beat {
                Beat::Start(block) => self.start(block),
                Beat::Text(more) => {
                    if let Some(Content::Text { text }) = self.reply.content.last_mut() {
                        text.push_str(&more);
                    }
                    return ModelEvent::TextDelta(more);
                }
                Beat::Thinking(more) => {
                    if let Some(Content::Thinking { text, .. }) = self.reply.content.last_mut() {
                        text.push_str(&more);
                    }
                    return ModelEvent::ThinkingDelta(more);
                }
                Beat::Signature(sign) => {
                    if let Some(Content::Thinking { signature, .. }) = self.reply.content.last_mut() {
                        *signature = Some(sign);
                    }
                }
                Beat::Input(text) => {
                    if let Some((id, name, input)) = &mut self.call {
                        input.push_str(&text);
                        return ModelEvent::ToolInputDelta { tool_call_id: id.clone(), tool_name: name.clone(), text };
                    }
                }
                Beat::Stop => {
                    if let Some((tool_call_id, tool_name, input)) = self.call.take() {
                        let input = crate::parse_input(input);
                        self.reply.content.push(Content::ToolCall { tool_call_id, tool_name, input });
                    }
                }
                Beat::Delay(time) => tokio::time::sleep(time).await,
                Beat::Wait(file) => self.wait(&file).await,
                Beat::Fault(fault) => return self.fault(fault).await,
                Beat::End => break,
            }
        }
        ModelEvent::Finished(self.said())
    }

    fn start(&mut self, block: BlockStart) {
        match block {
            BlockStart::Text => self.reply.content.push(Content::text("")),
            BlockStart::Thinking => {
                self.reply.content.push(Content::Thinking { text: String::new(), signature: None });
            }
            BlockStart::RedactedThinking(data) => self.reply.content.push(Content::RedactedThinking { data }),
            BlockStart::ToolCall { id, name } => self.call = Some((id, name, String::new())),
        }
    }

    /// The reply so far, without texts that say nothing.
    fn said(&mut self) -> Reply {
        let mut reply = std::mem::replace(&mut self.reply, empty());
        reply.content.retain(|block| !matches!(block, Content::Text { text } if text.is_empty()));
        reply
    }

    async fn wait(&self, file: &str) {
        let path = self.folder.as_deref().map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
        while !path.exists() {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    async fn fault(&mut self, fault: Fault) -> ModelEvent {
        let mut partial = self.said();
        partial.stop_reason = StopReason::Error;
        // As over the wire: what the prompt took is said first, what the answer took last.
        partial.usage = Usage { output_tokens: None, reasoning_tokens: None, ..partial.usage };
        let error = match fault.kind {
            FaultKind::Stall => std::future::pending().await,
            FaultKind::Panic => panic_as_told(),
            FaultKind::Cut => Error::new(ErrorCode::ProviderStreamCut, "the script cuts the stream here"),
            FaultKind::Error => Error::new(
                fault.code.unwrap_or(ErrorCode::ProviderUnavailable),
                fault.message.unwrap_or_else(|| "the script reports an error here".to_owned()),
            )
            .with_retry_after_ms(fault.retry_after_ms),
        };
        failed(error, partial)
    }
}

/// The one place that panics on purpose.
#[allow(clippy::panic)]
fn panic_as_told() -> Error {
    panic!("the script asks for this panic")
}

fn failed(error: Error, partial: Reply) -> ModelEvent {
    ModelEvent::Failed { error, partial }
}

fn empty() -> Reply {
    Reply { content: Vec::new(), stop_reason: StopReason::Error, usage: Usage::default() }
}
