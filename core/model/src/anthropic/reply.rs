//! Frames to events: what a reply has come to so far, and the step that takes it further.

use lodger_net::Frame;
use lodger_protocol::{Content, Error, ErrorCode, StopReason, ToolCallId, Usage};
use serde_json::Value;

use super::wire;
use crate::failure::error_of_kind;
use crate::input::parse_input;
use crate::{ModelEvent, Reply};

const KNOWN: &[&str] = &[
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
];

/// A reply as far as it has come.
#[derive(Debug, Default)]
pub struct State {
    blocks: Vec<Block>,
    usage: Usage,
    stop: Option<String>,
    ended: bool,
}

/// A block as far as it has come.
#[derive(Debug)]
struct Block {
    index: u64,
    body: Body,
    stopped: bool,
}

#[derive(Debug)]
enum Body {
    Text(String),
    Thinking {
        text: String,
        signature: Option<String>,
    },
    Redacted(String),
    Call {
        id: ToolCallId,
        name: String,
        /// The input that stood in the start of the block, where servers put `{}` or, rarely, all of it.
        given: Option<Value>,
        text: String,
    },
    /// Of a kind that we did not ask for; left out.
    Other,
}

impl State {
    /// Takes one frame. The reply ends with the frame that returns `Finished` or `Failed`; frames after it say nothing.
    pub fn step(&mut self, frame: &Frame) -> Option<ModelEvent> {
        if self.ended {
            return None;
        }
        let event = match serde_json::from_str::<wire::Event<'_>>(&frame.data) {
            Ok(event) => event,
            Err(error) => {
                let kind = serde_json::from_str::<wire::Kind<'_>>(&frame.data).ok().map(|kind| kind.kind);
                return match kind {
                    Some(kind) if !KNOWN.contains(&kind.as_ref()) => None,
                    _ => Some(self.fail(malformed(&format!("a frame cannot be read: {error}")))),
                };
            }
        };
        match self.take(event) {
            Ok(event) => event,
            Err(error) => Some(self.fail(error)),
        }
    }

    /// Says that no more frames come.
    pub fn end(&mut self) -> Option<ModelEvent> {
        (!self.ended).then(|| {
            self.fail(Error::new(
                ErrorCode::ProviderStreamCut,
                "the provider's stream ended before the reply was complete (no `message_stop`)",
            ))
        })
    }

    /// Ends the reply with an error from elsewhere, and hands over what had arrived.
    pub fn fail(&mut self, error: Error) -> ModelEvent {
        self.ended = true;
        let content = std::mem::take(&mut self.blocks).into_iter().filter_map(Block::arrived).collect();
        ModelEvent::Failed { error, partial: Reply { content, stop_reason: StopReason::Error, usage: self.usage } }
    }

    fn take(&mut self, event: wire::Event<'_>) -> Result<Option<ModelEvent>, Error> {
        match event.kind.as_ref() {
            "message_start" => {
                self.count(event.message.and_then(|message| message.usage));
                Ok(None)
            }
            "content_block_start" => {
                let index = event.index.ok_or_else(|| malformed("a block starts without an index"))?;
                let block = event.content_block.ok_or_else(|| malformed("a block starts without a kind"))?;
                self.start(index, block)
            }
            "content_block_delta" => {
                let index = event.index.ok_or_else(|| malformed("a delta has no index"))?;
                let delta = event.delta.ok_or_else(|| malformed("a delta is empty"))?;
                self.delta(index, delta)
            }
            "content_block_stop" => {
                let index = event.index.ok_or_else(|| malformed("a block ends without an index"))?;
                self.block(index)?.stopped = true;
                Ok(None)
            }
            "message_delta" => {
                self.count(event.usage);
                if let Some(stop) = event.delta.and_then(|delta| delta.stop_reason) {
                    self.stop = Some(stop);
                }
                Ok(None)
            }
            "message_stop" => Ok(Some(self.finish())),
            "error" => {
                let error = event.error.ok_or_else(|| malformed("an error event holds no error"))?;
                let kind = error.kind.as_deref().unwrap_or("an error");
                Err(error_of_kind(kind, error.message.as_deref().unwrap_or_default()))
            }
            // `ping`, and what the protocol may add.
            _ => Ok(None),
        }
    }

    fn start(&mut self, index: u64, block: wire::Block) -> Result<Option<ModelEvent>, Error> {
        let mut event = None;
        let body = match block.kind.as_str() {
            "text" => {
                let text = block.text.unwrap_or_default();
                if !text.is_empty() {
                    event = Some(ModelEvent::TextDelta(text.clone()));
                }
                Body::Text(text)
            }
            "thinking" => {
                let text = block.thinking.unwrap_or_default();
                if !text.is_empty() {
                    event = Some(ModelEvent::ThinkingDelta(text.clone()));
                }
                Body::Thinking { text, signature: block.signature.filter(|signature| !signature.is_empty()) }
            }
            "redacted_thinking" => Body::Redacted(block.data.unwrap_or_default()),
            "tool_use" => {
                let id = block.id.filter(|id| !id.is_empty()).ok_or_else(|| malformed("a tool call has no id"))?;
                let name =
                    block.name.filter(|name| !name.is_empty()).ok_or_else(|| malformed("a tool call has no name"))?;
                Body::Call { id: id.into(), name, given: block.input, text: String::new() }
            }
            _ => Body::Other,
        };
        self.blocks.push(Block { index, body, stopped: false });
        Ok(event)
    }

    fn delta(&mut self, index: u64, delta: wire::Delta<'_>) -> Result<Option<ModelEvent>, Error> {
        let block = self.block(index)?;
        if block.stopped {
            return Err(malformed(&format!("block {index} goes on after its end")));
        }
        match (delta.kind.as_deref().unwrap_or_default(), &mut block.body) {
            (_, Body::Other) => Ok(None),
            ("text_delta", Body::Text(text)) => {
                let more = delta.text.unwrap_or_default();
                text.push_str(&more);
                Ok((!more.is_empty()).then_some(ModelEvent::TextDelta(more)))
            }
            ("thinking_delta", Body::Thinking { text, .. }) => {
                let more = delta.thinking.unwrap_or_default();
                text.push_str(&more);
                Ok((!more.is_empty()).then_some(ModelEvent::ThinkingDelta(more)))
            }
            ("signature_delta", Body::Thinking { signature, .. }) => {
                signature.get_or_insert_default().push_str(&delta.signature.unwrap_or_default());
                Ok(None)
            }
            ("input_json_delta", Body::Call { id, name, text, .. }) => {
                let more = delta.partial_json.unwrap_or_default();
                text.push_str(&more);
                Ok((!more.is_empty()).then(|| ModelEvent::ToolInputDelta {
                    tool_call_id: id.clone(),
                    tool_name: name.clone(),
                    text: more,
                }))
            }
            (kind @ ("text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta"), _) => {
                Err(malformed(&format!("block {index} is not of the kind that takes a {kind}")))
            }
            // Citations, and what the protocol may add.
            _ => Ok(None),
        }
    }

    /// The block of that index. An index may come again for a new block: the latest is meant.
    fn block(&mut self, index: u64) -> Result<&mut Block, Error> {
        self.blocks
            .iter_mut()
            .rev()
            .find(|block| block.index == index)
            .ok_or_else(|| malformed(&format!("block {index} was never started")))
    }

    /// All counts are totals so far, and some servers say 0 where they mean nothing: the largest holds.
    fn count(&mut self, usage: Option<wire::Usage>) {
        let Some(usage) = usage else { return };
        let larger = |known: &mut Option<u64>, said: Option<u64>| *known = (*known).max(said);
        larger(&mut self.usage.input_tokens, usage.input_tokens);
        larger(&mut self.usage.output_tokens, usage.output_tokens);
        larger(&mut self.usage.cache_read_tokens, usage.cache_read_input_tokens);
        larger(&mut self.usage.cache_write_tokens, usage.cache_creation_input_tokens);
    }

    fn finish(&mut self) -> ModelEvent {
        if self.stop.as_deref() == Some("model_context_window_exceeded") {
            return self.fail(Error::new(
                ErrorCode::ContextOverflow,
                "the reply was cut since the model's context window is full",
            ));
        }
        self.ended = true;
        let limited = self.stop.as_deref() == Some("max_tokens");
        let blocks = std::mem::take(&mut self.blocks);
        let last = blocks.len().saturating_sub(1);
        let content: Vec<_> = blocks
            .into_iter()
            .enumerate()
            .filter_map(|(place, block)| block.complete(limited && place == last))
            .collect();
        let calls = content.iter().any(|block| matches!(block, Content::ToolCall { .. }));
        let stop_reason = match self.stop.as_deref() {
            Some("max_tokens") => StopReason::MaxOutputTokens,
            Some("refusal") => StopReason::Refused,
            // A reply with calls waits for their results, whatever a server calls that; one without does not.
            // `pause_turn` belongs to tools that the provider runs, which are never offered.
            _ if calls => StopReason::ToolUse,
            _ => StopReason::EndTurn,
        };
        ModelEvent::Finished(Reply { content, stop_reason, usage: self.usage })
    }
}

impl Block {
    /// The block in a whole reply. `limited`: the output limit was reached inside of this block.
    fn complete(self, limited: bool) -> Option<Content> {
        match self.body {
            // No text is `{}` only when the input came to its own end.
            Body::Call { id, name, given, text } if text.is_empty() && (limited || !self.stopped) => {
                let input = given.filter(|given| !is_blank(given)).unwrap_or(Value::String(text));
                Some(Content::ToolCall { tool_call_id: id, tool_name: name, input })
            }
            body => body.into_content(),
        }
    }

    /// The block in a reply that was cut: a call is there only if all of its input is.
    fn arrived(self) -> Option<Content> {
        match self.into_content_if_whole()? {
            Content::ToolCall { input, .. } if !input.is_object() => None,
            content => Some(content),
        }
    }

    fn into_content_if_whole(self) -> Option<Content> {
        match (&self.body, self.stopped) {
            (Body::Call { .. }, false) => None,
            _ => self.body.into_content(),
        }
    }
}

impl Body {
    fn into_content(self) -> Option<Content> {
        Some(match self {
            // Some servers open a text block and say nothing in it.
            Self::Text(text) if text.is_empty() => return None,
            Self::Text(text) => Content::Text { text },
            Self::Thinking { text, signature } => Content::Thinking { text, signature },
            Self::Redacted(data) => Content::RedactedThinking { data },
            Self::Call { id, name, given, text } => {
                let input = match given {
                    Some(given) if text.is_empty() && !is_blank(&given) => given,
                    _ => parse_input(text),
                };
                Content::ToolCall { tool_call_id: id, tool_name: name, input }
            }
            Self::Other => return None,
        })
    }
}

fn is_blank(input: &Value) -> bool {
    match input {
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        other => other.is_null(),
    }
}

fn malformed(what: &str) -> Error {
    Error::new(ErrorCode::ProviderMalformed, format!("the provider's stream is not Anthropic Messages: {what}"))
}
