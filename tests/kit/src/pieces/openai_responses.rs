//! A reply in OpenAI Responses: every item is told piece by piece, then whole, then all of them again at the end.

use lodger_model::scripted::BlockStart;
use lodger_protocol::StopReason;
use serde_json::{Value, json};

use super::told::{Block, input_text};
use super::{More, Told, Topic, Voice, quoted};
use crate::errors::Failure;
use crate::frame::Frame;
use crate::quirk::Quirk;

/// When every reply was created, in Unix seconds.
const CREATED: u64 = 1_700_000_000;

pub(super) struct OpenaiResponses {
    topic: Topic,
    told: Told,
    /// The number of the next event.
    sequence: u64,
    /// The place of the next item.
    items: u64,
}

impl OpenaiResponses {
    pub(super) fn new(topic: Topic) -> Self {
        Self { topic, told: Told::default(), sequence: 0, items: 0 }
    }

    fn event(&mut self, kind: &'static str, mut data: Value) -> Frame {
        data["type"] = kind.into();
        data["sequence_number"] = self.next().into();
        Frame::named(kind, data)
    }

    fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence - 1
    }

    /// An event about the open item.
    fn about(&mut self, kind: &'static str, mut data: Value) -> Frame {
        if let Some(index) = self.index() {
            data["output_index"] = index.into();
        }
        self.event(kind, data)
    }

    /// An event about the open item that names it.
    fn within(&mut self, kind: &'static str, mut data: Value) -> Frame {
        data["item_id"] = self.item_id().into();
        self.about(kind, data)
    }

    fn index(&self) -> Option<u64> {
        match () {
            () if self.topic.quirks.has(Quirk::NoIndex) => None,
            () if self.topic.quirks.has(Quirk::SharedIndex) => Some(0),
            () => Some(self.items.saturating_sub(1)),
        }
    }

    fn item_id(&self) -> String {
        self.told.0.last().map(|block| item_id(&self.topic, block, self.told.0.len() - 1)).unwrap_or_default()
    }

    /// The open item, whole.
    fn item(&self) -> Value {
        self.told.0.last().map(|block| item(&self.topic, block, self.told.0.len() - 1)).unwrap_or_default()
    }

    fn blank_message(&mut self, out: &mut Vec<Frame>) {
        self.start(BlockStart::Text, out);
        self.stop(out);
    }

    fn deltas_held(&self) -> bool {
        self.topic.quirks.has(Quirk::WholeInput)
    }
}

impl Voice for OpenaiResponses {
    fn begin(&mut self, out: &mut Vec<Frame>) {
        let response = response(&self.topic, "in_progress", &Told::default());
        out.push(self.event("response.created", json!({ "response": response })));
        out.push(self.event("response.in_progress", json!({ "response": response })));
    }

    fn start(&mut self, block: BlockStart, out: &mut Vec<Frame>) {
        if matches!(block, BlockStart::ToolCall { .. }) && self.topic.quirks.has(Quirk::BlankText) {
            self.blank_message(out);
        }
        self.told.start(block);
        self.items += 1;
        let mut added = self.item();
        added["status"] = "in_progress".into();
        let part = match self.told.0.last() {
            Some(Block::Text(_)) => {
                added["content"] = json!([]);
                Some(("response.content_part.added", json!({ "content_index": 0, "part": text_part(&self.topic, "") })))
            }
            Some(Block::Thinking { .. }) => {
                added["summary"] = json!([]);
                let part = json!({ "type": "summary_text", "text": "" });
                Some(("response.reasoning_summary_part.added", json!({ "summary_index": 0, "part": part })))
            }
            Some(Block::Call { .. }) => {
                added["arguments"] = "".into();
                None
            }
            Some(Block::Redacted(_)) | None => None,
        };
        out.push(self.about("response.output_item.added", json!({ "item": added })));
        if let Some((kind, data)) = part {
            out.push(self.within(kind, data));
        }
    }

    fn more(&mut self, more: More, out: &mut Vec<Frame>) {
        self.told.more(&more);
        let (kind, extra, text) = match more {
            More::Text(text) if self.topic.refuses_in_words() => {
                ("response.refusal.delta", r#""content_index":0,"#, text)
            }
            More::Text(text) => ("response.output_text.delta", r#""content_index":0,"logprobs":[],"#, text),
            More::Thinking(text) => ("response.reasoning_summary_text.delta", r#""summary_index":0,"#, text),
            More::Input(text) if !self.deltas_held() => ("response.function_call_arguments.delta", "", text),
            More::Input(_) | More::Signature(_) => return,
        };
        // Deltas are many: written without a tree.
        let (item, sequence, text) = (self.item_id(), self.next(), quoted(text));
        let index = self.index().map(|index| format!(r#""output_index":{index},"#)).unwrap_or_default();
        out.push(Frame::named(
            kind,
            format!(
                r#"{{"type":"{kind}","sequence_number":{sequence},"item_id":"{item}",{index}{extra}"delta":{text}}}"#
            ),
        ));
    }

    fn stop(&mut self, out: &mut Vec<Frame>) {
        let said = match self.told.0.last() {
            Some(Block::Text(text)) => {
                let (kind, word) = match self.topic.refuses_in_words() {
                    true => ("response.refusal.done", "refusal"),
                    false => ("response.output_text.done", "text"),
                };
                let part = text_part(&self.topic, text);
                vec![
                    (kind, json!({ "content_index": 0, word: text, "logprobs": [] })),
                    ("response.content_part.done", json!({ "content_index": 0, "part": part })),
                ]
            }
            Some(Block::Thinking { text, .. }) => {
                let part = json!({ "type": "summary_text", "text": text });
                vec![
                    ("response.reasoning_summary_text.done", json!({ "summary_index": 0, "text": text })),
                    ("response.reasoning_summary_part.done", json!({ "summary_index": 0, "part": part })),
                ]
            }
            Some(Block::Call { name, input, .. }) => {
                let data = json!({ "name": name, "arguments": input_text(input) });
                vec![("response.function_call_arguments.done", data)]
            }
            Some(Block::Redacted(_)) | None => Vec::new(),
        };
        for (kind, data) in said {
            out.push(self.within(kind, data));
        }
        let item = self.item();
        out.push(self.about("response.output_item.done", json!({ "item": item })));
    }

    fn end(&mut self, out: &mut Vec<Frame>) {
        let quirks = self.topic.quirks.clone();
        if !quirks.has(Quirk::NoTerminator) {
            let response = whole(&self.topic, &self.told);
            let kind = match response["status"] == "incomplete" {
                true => "response.incomplete",
                false => "response.completed",
            };
            out.push(self.event(kind, json!({ "response": response })));
        }
        if quirks.has(Quirk::DoneMarker) {
            out.push(Frame::plain("[DONE]"));
        }
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<Frame>) {
        let mut response = response(&self.topic, "failed", &self.told);
        let code = failure.code.unwrap_or(if failure.status >= 500 { "server_error" } else { "invalid_prompt" });
        response["error"] = json!({ "code": code, "message": failure.message });
        out.push(self.event("response.failed", json!({ "response": response })));
    }

    fn unknown(&mut self) -> Frame {
        self.event("response.rating", json!({ "rating": { "stars": 5 } }))
    }
}

pub(super) fn whole(topic: &Topic, told: &Told) -> Value {
    let reason = match topic.stop_reason {
        StopReason::MaxOutputTokens => Some("max_output_tokens"),
        StopReason::Refused if !topic.refuses_in_words() => Some("content_filter"),
        _ => None,
    };
    let mut response = response(topic, if reason.is_some() { "incomplete" } else { "completed" }, told);
    if let Some(reason) = reason {
        response["incomplete_details"] = json!({ "reason": reason });
    }
    response["usage"] = usage(topic);
    response
}

fn response(topic: &Topic, status: &str, told: &Told) -> Value {
    let output: Vec<_> = told.0.iter().enumerate().map(|(place, block)| item(topic, block, place)).collect();
    json!({
        "id": format!("resp_mock_{}", topic.number),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "metadata": {},
        "model": topic.model,
        "output": output,
        "parallel_tool_calls": true,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": null,
    })
}

fn item_id(topic: &Topic, block: &Block, place: usize) -> String {
    let prefix = match block {
        Block::Text(_) => "msg",
        Block::Thinking { .. } | Block::Redacted(_) => "rs",
        Block::Call { .. } => "fc",
    };
    format!("{prefix}_mock_{}_{place}", topic.number)
}

fn item(topic: &Topic, block: &Block, place: usize) -> Value {
    let id = item_id(topic, block, place);
    let reasoning = |summary: Value, encrypted: &str| {
        let mut item = json!({ "id": id, "type": "reasoning", "summary": summary });
        if topic.wants_encrypted && !encrypted.is_empty() {
            item["encrypted_content"] = encrypted.into();
        }
        item
    };
    match block {
        Block::Text(text) => json!({
            "id": id, "type": "message", "status": "completed", "role": "assistant", "content": [text_part(topic, text)],
        }),
        Block::Thinking { text, signature } => reasoning(json!([{ "type": "summary_text", "text": text }]), signature),
        Block::Redacted(data) => reasoning(json!([]), data),
        Block::Call { id: call_id, name, input } => json!({
            "id": id, "type": "function_call", "status": "completed", "call_id": call_id, "name": name,
            "arguments": input_text(input),
        }),
    }
}

fn text_part(topic: &Topic, text: &str) -> Value {
    match topic.refuses_in_words() {
        true => json!({ "type": "refusal", "refusal": text }),
        false => json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] }),
    }
}

/// Cached tokens are part of the input and reasoning is part of the output, and said apart besides.
fn usage(topic: &Topic) -> Value {
    let Some(usage) = topic.usage.filter(|_| !topic.quirks.has(Quirk::NoUsage)) else { return Value::Null };
    let input = usage.context_tokens().unwrap_or(0);
    let output = usage.output_tokens.unwrap_or(0) + usage.reasoning_tokens.unwrap_or(0);
    let mut said = json!({
        "input_tokens": input,
        "input_tokens_details": { "cached_tokens": usage.cache_read_tokens.unwrap_or(0) },
        "output_tokens": output,
        "output_tokens_details": { "reasoning_tokens": usage.reasoning_tokens.unwrap_or(0) },
        "total_tokens": input + output,
    });
    // Older models do not count them.
    if let Some(count) = usage.cache_write_tokens {
        said["input_tokens_details"]["cache_write_tokens"] = count.into();
    }
    said
}
