//! Frames to events: what a reply has come to so far, and the step that takes it further.

use lodger_net::Frame;
use lodger_protocol::{Error, ErrorCode, Usage};

use super::wire;
use crate::draft::{Body, Draft, Ending};
use crate::failure::{Complaint, cut, malformed, unread};
use crate::{FreshIds, ModelEvent, ReplyState};

const PROTOCOL: &str = "Anthropic Messages";

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
#[derive(Debug)]
pub(super) struct State {
    ids: FreshIds,
    draft: Draft,
    /// The index of each block of the draft.
    indexes: Vec<u64>,
    counted: wire::Usage,
    stop: Option<String>,
}

type Events = Vec<ModelEvent>;

impl ReplyState for State {
    fn step(&mut self, frame: &Frame, out: &mut Events) {
        let data = frame.data.trim();
        // Some servers end every stream in the way of Chat Completions.
        if self.draft.is_ended() || data.is_empty() || data == "[DONE]" {
            return;
        }
        let taken = match serde_json::from_str::<wire::Event<'_>>(data) {
            Ok(event) => self.take(event, out),
            Err(error) => unread(PROTOCOL, KNOWN, data, &error),
        };
        if let Err(error) = taken {
            self.fail(error, out);
        }
    }

    fn end(&mut self, out: &mut Events) {
        self.fail(cut("`message_stop`"), out);
    }

    fn fail(&mut self, error: Error, out: &mut Events) {
        if !self.draft.is_ended() {
            out.push(self.draft.fail(error));
        }
    }
}

impl State {
    pub(super) fn new(ids: FreshIds) -> Self {
        let (draft, indexes, counted) = (Draft::default(), Vec::new(), wire::Usage::default());
        Self { ids, draft, indexes, counted, stop: None }
    }

    fn take(&mut self, event: wire::Event<'_>, out: &mut Events) -> Result<(), Error> {
        match event.kind.as_ref() {
            "message_start" => self.count(event.message.and_then(|message| message.usage), out),
            "content_block_start" => {
                let index = event.index.ok_or_else(|| malformed(PROTOCOL, "a block starts without an index"))?;
                let block = event.content_block.ok_or_else(|| malformed(PROTOCOL, "a block starts without a kind"))?;
                self.start(index, *block, out)?;
            }
            "content_block_delta" => {
                let index = event.index.ok_or_else(|| malformed(PROTOCOL, "a delta has no index"))?;
                let delta = event.delta.ok_or_else(|| malformed(PROTOCOL, "a delta is empty"))?;
                self.delta(index, delta, out)?;
            }
            "content_block_stop" => {
                let index = event.index.ok_or_else(|| malformed(PROTOCOL, "a block ends without an index"))?;
                let place = self.place(index)?;
                if let Some(block) = self.draft.block(place) {
                    block.stopped = true;
                }
            }
            "message_delta" => {
                self.count(event.usage.map(|usage| *usage), out);
                if let Some(stop) = event.delta.and_then(|delta| delta.stop_reason) {
                    self.stop = Some(stop);
                }
            }
            "message_stop" => self.finish(out),
            "error" => {
                let error = event.error.ok_or_else(|| malformed(PROTOCOL, "an error event holds no error"))?;
                let complaint = Complaint {
                    kind: error.kind.as_deref(),
                    words: error.message.as_deref().unwrap_or_default(),
                    ..Complaint::default()
                };
                return Err(complaint.within_a_stream());
            }
            // `ping`, and what the protocol may add.
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, index: u64, block: wire::Block, out: &mut Events) -> Result<(), Error> {
        let (body, said) = match block.kind.as_str() {
            "text" => (Body::Text(String::new()), block.text),
            "thinking" => {
                let signature = block.signature.filter(|signature| !signature.is_empty());
                (Body::Thinking { text: String::new(), signature }, block.thinking)
            }
            "redacted_thinking" => (Body::Redacted(block.data.unwrap_or_default()), None),
            "tool_use" => {
                let named = |text: Option<String>, what: &str| {
                    text.filter(|text| !text.is_empty())
                        .ok_or_else(|| malformed(PROTOCOL, &format!("a tool call has no {what}")))
                };
                let (id, name) = (named(block.id, "id")?, named(block.name, "name")?);
                let id = self.ids.take(Some(&id));
                (Body::Call { id, name, given: block.input, text: String::new() }, None)
            }
            _ => (Body::Other, None),
        };
        let place = self.draft.push(body);
        self.indexes.push(index);
        self.draft.append(place, said.unwrap_or_default(), out);
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: wire::Delta<'_>, out: &mut Events) -> Result<(), Error> {
        let place = self.place(index)?;
        let Some(block) = self.draft.block(place) else { return Ok(()) };
        if block.stopped {
            return Err(malformed(PROTOCOL, &format!("block {index} goes on after its end")));
        }
        let more = match (delta.kind.as_deref().unwrap_or_default(), &mut block.body) {
            (_, Body::Other) => None,
            ("text_delta", Body::Text(_)) => delta.text,
            ("thinking_delta", Body::Thinking { .. }) => delta.thinking,
            ("input_json_delta", Body::Call { .. }) => delta.partial_json,
            ("signature_delta", Body::Thinking { signature, .. }) => {
                signature.get_or_insert_default().push_str(&delta.signature.unwrap_or_default());
                None
            }
            (kind @ ("text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta"), _) => {
                return Err(malformed(PROTOCOL, &format!("block {index} is not of the kind that takes a {kind}")));
            }
            // Citations, and what the protocol may add.
            _ => None,
        };
        self.draft.append(place, more.unwrap_or_default(), out);
        Ok(())
    }

    /// The block that has this index: the last one, where a server gives it again.
    fn place(&self, index: u64) -> Result<usize, Error> {
        self.indexes
            .iter()
            .rposition(|known| *known == index)
            .ok_or_else(|| malformed(PROTOCOL, &format!("block {index} was never started")))
    }

    /// All counts are totals so far, and some servers say 0 where they mean nothing: the largest holds.
    fn count(&mut self, usage: Option<wire::Usage>, out: &mut Events) {
        let Some(usage) = usage else { return };
        self.counted.grow(usage);
        let counted = self.counted;
        let reasoning_tokens = counted.output_tokens_details.and_then(|details| details.thinking_tokens);
        let usage = Usage {
            input_tokens: counted.input_tokens,
            output_tokens: counted.output_tokens.map(|all| all.saturating_sub(reasoning_tokens.unwrap_or(0))),
            cache_read_tokens: counted.cache_read_input_tokens,
            cache_write_tokens: counted.cache_creation_input_tokens,
            reasoning_tokens,
        };
        self.draft.count(usage, out);
    }

    fn finish(&mut self, out: &mut Events) {
        let ending = match self.stop.as_deref() {
            Some("model_context_window_exceeded") => {
                let error = Error::new(
                    ErrorCode::ContextOverflow,
                    "the reply was cut since the model's context window is full",
                );
                return self.fail(error, out);
            }
            Some("max_tokens") => Ending::Limit,
            Some("refusal") => Ending::Refused,
            // `pause_turn` belongs to tools that the provider runs, which are never offered.
            _ => Ending::Said,
        };
        out.push(self.draft.finish(ending));
    }
}
