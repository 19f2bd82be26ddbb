//! A reply in Anthropic Messages.

use lodger_model::scripted::BlockStart;
use lodger_protocol::{StopReason, Usage};
use serde_json::{Map, Value, json};

use super::told::{Block, input_value};
use super::{More, Told, Topic, Voice, quoted};
use crate::errors::Failure;
use crate::frame::Frame;
use crate::quirk::Quirk;

pub(super) struct Anthropic {
    topic: Topic,
    /// How many blocks were started.
    blocks: u64,
    /// A call whose input is sent with its start, when it is whole.
    held: Option<(BlockStart, String)>,
}

impl Anthropic {
    pub(super) fn new(topic: Topic) -> Self {
        Self { topic, blocks: 0, held: None }
    }

    fn index(&self) -> u64 {
        if self.topic.quirks.has(Quirk::SharedIndex) { 0 } else { self.blocks.saturating_sub(1) }
    }

    fn open(&mut self, block: Value, out: &mut Vec<Frame>) {
        self.blocks += 1;
        out.push(event(&json!({ "type": "content_block_start", "index": self.index(), "content_block": block })));
    }

    fn close(&mut self, out: &mut Vec<Frame>) {
        out.push(event(&json!({ "type": "content_block_stop", "index": self.index() })));
    }

    fn ending(&self, stop_reason: Option<&str>) -> Frame {
        event(&json!({
            "type": "message_delta",
            "delta": { "stop_reason": stop_reason, "stop_sequence": null },
            "usage": output_counts(&self.topic),
        }))
    }
}

impl Voice for Anthropic {
    fn begin(&mut self, out: &mut Vec<Frame>) {
        let mut message = head(&self.topic);
        message["usage"] = input_counts(&self.topic);
        out.push(event(&json!({ "type": "message_start", "message": message })));
        out.push(event(&json!({ "type": "ping" })));
    }

    fn start(&mut self, block: BlockStart, out: &mut Vec<Frame>) {
        let call = matches!(block, BlockStart::ToolCall { .. });
        if call && self.topic.quirks.has(Quirk::BlankText) {
            self.open(json!({ "type": "text", "text": "" }), out);
            self.close(out);
        }
        if call && self.topic.quirks.has(Quirk::WholeInput) {
            self.held = Some((block, String::new()));
        } else {
            self.open(opening(block, json!({})), out);
        }
    }

    fn more(&mut self, more: More, out: &mut Vec<Frame>) {
        if let (Some((_, input)), More::Input(more)) = (&mut self.held, &more) {
            input.push_str(more);
            return;
        }
        let (kind, field, text) = match more {
            More::Text(text) => ("text_delta", "text", text),
            More::Thinking(text) => ("thinking_delta", "thinking", text),
            More::Signature(text) => ("signature_delta", "signature", text),
            More::Input(text) => ("input_json_delta", "partial_json", text),
        };
        // Deltas are many: written without a tree.
        let (index, text) = (self.index(), quoted(text));
        out.push(Frame::named(
            "content_block_delta",
            format!(r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"{kind}","{field}":{text}}}}}"#),
        ));
        if self.topic.quirks.has(Quirk::UsageEverywhere) {
            out.push(self.ending(None));
        }
    }

    fn stop(&mut self, out: &mut Vec<Frame>) {
        if let Some((block, input)) = self.held.take() {
            self.open(opening(block, input_value(&input)), out);
        }
        self.close(out);
    }

    fn end(&mut self, out: &mut Vec<Frame>) {
        let quirks = &self.topic.quirks;
        let reason = match self.topic.stop_reason {
            StopReason::ToolUse if quirks.has(Quirk::PlainFinish) => "end_turn",
            reason => stop_word(reason),
        };
        out.push(self.ending(Some(reason).filter(|_| !quirks.has(Quirk::NoFinish))));
        if !quirks.has(Quirk::NoTerminator) {
            out.push(event(&json!({ "type": "message_stop" })));
        }
        if quirks.has(Quirk::DoneMarker) {
            out.push(Frame::plain("[DONE]"));
        }
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<Frame>) {
        out.push(event(&failure.body(self.topic.protocol)));
    }

    fn unknown(&mut self) -> Frame {
        event(&json!({ "type": "content_block_rating", "index": 99, "rating": { "type": "stars", "stars": 5 } }))
    }
}

pub(super) fn whole(topic: &Topic, told: &Told) -> Value {
    let mut message = head(topic);
    message["content"] = told.0.iter().map(block).collect();
    message["stop_reason"] = stop_word(topic.stop_reason).into();
    message["usage"] = input_counts(topic);
    if let (Some(usage), Value::Object(output)) = (message["usage"].as_object_mut(), output_counts(topic)) {
        usage.extend(output);
    }
    message
}

fn head(topic: &Topic) -> Value {
    json!({
        "id": format!("msg_mock_{}", topic.number),
        "type": "message",
        "role": "assistant",
        "model": topic.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
    })
}

fn event(data: &Value) -> Frame {
    let name = match data["type"].as_str().unwrap_or_default() {
        "message_start" => "message_start",
        "ping" => "ping",
        "content_block_start" => "content_block_start",
        "content_block_stop" => "content_block_stop",
        "message_delta" => "message_delta",
        "message_stop" => "message_stop",
        "error" => "error",
        _ => "content_block_rating",
    };
    Frame::named(name, data)
}

fn opening(block: BlockStart, input: Value) -> Value {
    match block {
        BlockStart::Text => json!({ "type": "text", "text": "" }),
        BlockStart::Thinking => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        BlockStart::RedactedThinking(data) => json!({ "type": "redacted_thinking", "data": data }),
        BlockStart::ToolCall { id, name } => json!({ "type": "tool_use", "id": id, "name": name, "input": input }),
    }
}

fn block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({ "type": "text", "text": text }),
        Block::Thinking { text, signature } => json!({ "type": "thinking", "thinking": text, "signature": signature }),
        Block::Redacted(data) => json!({ "type": "redacted_thinking", "data": data }),
        Block::Call { id, name, input } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": input_value(input) })
        }
    }
}

fn stop_word(reason: StopReason) -> &'static str {
    match reason {
        StopReason::ToolUse => "tool_use",
        StopReason::MaxOutputTokens => "max_tokens",
        StopReason::Refused => "refusal",
        StopReason::EndTurn | StopReason::Cancelled | StopReason::MaxBudget | StopReason::Error => "end_turn",
    }
}

fn usage(topic: &Topic) -> Usage {
    topic.usage.filter(|_| !topic.quirks.has(Quirk::NoUsage)).unwrap_or_default()
}

fn input_counts(topic: &Topic) -> Value {
    let usage = usage(topic);
    counts(&[
        ("input_tokens", usage.input_tokens),
        ("cache_read_input_tokens", usage.cache_read_tokens),
        ("cache_creation_input_tokens", usage.cache_write_tokens),
    ])
}

/// Thought is part of the output, and said apart besides.
fn output_counts(topic: &Topic) -> Value {
    let usage = usage(topic);
    let output = usage.output_tokens.map(|count| count + usage.reasoning_tokens.unwrap_or(0));
    let mut counts = counts(&[("output_tokens", output)]);
    if let Some(count) = usage.reasoning_tokens {
        counts["output_tokens_details"] = json!({ "thinking_tokens": count });
    }
    counts
}

/// What is not known is not said.
fn counts(pairs: &[(&str, Option<u64>)]) -> Value {
    let known = pairs.iter().filter_map(|(name, count)| Some(((*name).to_owned(), Value::from((*count)?))));
    Value::Object(known.collect::<Map<_, _>>())
}
