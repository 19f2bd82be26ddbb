//! A reply in Gemini: a stream of whole little replies, each of which adds its parts; calls come whole.

use lodger_model::scripted::BlockStart;
use lodger_protocol::StopReason;
use serde_json::{Value, json};

use super::told::{Block, input_value};
use super::{More, Told, Topic, Voice, quoted};
use crate::errors::Failure;
use crate::frame::Frame;
use crate::quirk::Quirk;

pub(super) struct Gemini {
    topic: Topic,
    /// What each frame ends with.
    tail: String,
    call: Option<BlockStart>,
    input: String,
    /// A signature stands on the first call after its thought, else on the last part.
    signature: Option<String>,
    /// A call whose input is no object: the provider's own code gives up on it.
    malformed: bool,
}

impl Gemini {
    pub(super) fn new(topic: Topic) -> Self {
        let usage = usage(&topic).map(|usage| format!(r#","usageMetadata":{usage}"#)).unwrap_or_default();
        let (model, id) = (quoted(&topic.model), quoted(id(&topic)));
        let tail = format!(r#"{usage},"modelVersion":{model},"responseId":{id}}}"#);
        Self { topic, tail, call: None, input: String::new(), signature: None, malformed: false }
    }

    /// A frame with that part, a JSON text.
    fn part(&self, part: &str, finish: Option<&str>) -> Frame {
        let finish = finish.map(|reason| format!(r#""finishReason":"{reason}","#)).unwrap_or_default();
        let tail = &self.tail;
        Frame::plain(format!(
            r#"{{"candidates":[{{"content":{{"parts":[{part}],"role":"model"}},{finish}"index":0}}]{tail}"#
        ))
    }
}

impl Voice for Gemini {
    fn begin(&mut self, _: &mut Vec<Frame>) {}

    fn start(&mut self, block: BlockStart, out: &mut Vec<Frame>) {
        match block {
            BlockStart::Text | BlockStart::Thinking => {}
            BlockStart::RedactedThinking(data) => self.signature = Some(data),
            call @ BlockStart::ToolCall { .. } => {
                if self.topic.quirks.has(Quirk::BlankText) {
                    out.push(self.part(r#"{"text":""}"#, None));
                }
                self.call = Some(call);
            }
        }
    }

    fn more(&mut self, more: More, out: &mut Vec<Frame>) {
        match more {
            More::Text(text) => out.push(self.part(&format!(r#"{{"text":{}}}"#, quoted(text)), None)),
            More::Thinking(text) => {
                out.push(self.part(&format!(r#"{{"text":{},"thought":true}}"#, quoted(text)), None));
            }
            More::Signature(text) => self.signature = Some(text),
            More::Input(text) => self.input.push_str(&text),
        }
    }

    fn stop(&mut self, out: &mut Vec<Frame>) {
        let Some(BlockStart::ToolCall { id, name }) = self.call.take() else { return };
        let input = input_value(&std::mem::take(&mut self.input));
        if !input.is_object() {
            self.malformed = true;
            return;
        }
        let part = signed(call(&self.topic, id.as_str(), &name, &input), self.signature.take().as_deref());
        out.push(self.part(&part.to_string(), None));
    }

    fn end(&mut self, out: &mut Vec<Frame>) {
        let finish = if self.malformed { "MALFORMED_FUNCTION_CALL" } else { finish(self.topic.stop_reason) };
        let silent = self.topic.quirks.has(Quirk::NoFinish) || self.topic.quirks.has(Quirk::NoTerminator);
        let part = signed(json!({ "text": "" }), self.signature.take().as_deref());
        out.push(self.part(&part.to_string(), Some(finish).filter(|_| !silent)));
        if self.topic.quirks.has(Quirk::DoneMarker) {
            out.push(Frame::plain("[DONE]"));
        }
    }

    /// The error stands bare between the frames, over several lines: so the provider sends it.
    fn fail(&mut self, failure: &Failure, out: &mut Vec<Frame>) {
        let body = failure.body(self.topic.protocol);
        out.push(Frame::Raw(format!("{body:#}\n")));
    }

    fn unknown(&mut self) -> Frame {
        Frame::plain(format!(r#"{{"rating":{{"stars":5}}{}"#, self.tail))
    }
}

pub(super) fn whole(topic: &Topic, told: &Told) -> Value {
    let mut parts = Vec::new();
    let mut waiting: Option<&str> = None;
    for block in &told.0 {
        match block {
            Block::Thinking { text, signature } => {
                waiting = Some(signature.as_str()).filter(|signature| !signature.is_empty());
                parts.push(json!({ "text": text, "thought": true }));
            }
            Block::Redacted(data) => waiting = Some(data),
            Block::Text(text) => parts.push(json!({ "text": text })),
            Block::Call { id, name, input } => {
                parts.push(signed(call(topic, id, name, &input_value(input)), waiting.take()));
            }
        }
    }
    if waiting.is_some() {
        parts.push(signed(json!({ "text": "" }), waiting));
    }
    let mut reply = json!({
        "candidates": [{
            "content": { "parts": parts, "role": "model" },
            "finishReason": finish(topic.stop_reason),
            "index": 0,
        }],
        "modelVersion": topic.model,
        "responseId": id(topic),
    });
    if let Some(usage) = usage(topic) {
        reply["usageMetadata"] = usage;
    }
    reply
}

fn signed(mut part: Value, signature: Option<&str>) -> Value {
    if let Some(signature) = signature {
        part["thoughtSignature"] = signature.into();
    }
    part
}

fn id(topic: &Topic) -> String {
    format!("mock-{}", topic.number)
}

fn call(topic: &Topic, id: &str, name: &str, input: &Value) -> Value {
    let mut call = json!({ "name": name, "args": input });
    if !topic.quirks.has(Quirk::NoCallIds) {
        call["id"] = id.into();
    }
    json!({ "functionCall": call })
}

fn finish(reason: StopReason) -> &'static str {
    match reason {
        StopReason::MaxOutputTokens => "MAX_TOKENS",
        StopReason::Refused => "SAFETY",
        StopReason::EndTurn
        | StopReason::ToolUse
        | StopReason::Cancelled
        | StopReason::MaxBudget
        | StopReason::Error => "STOP",
    }
}

/// Cached tokens are part of the prompt; thought is not part of the candidates.
fn usage(topic: &Topic) -> Option<Value> {
    let usage = topic.usage.filter(|_| !topic.quirks.has(Quirk::NoUsage))?;
    let prompt = usage.context_tokens().unwrap_or(0);
    let total = prompt + usage.output_tokens.unwrap_or(0) + usage.reasoning_tokens.unwrap_or(0);
    let mut said = json!({ "promptTokenCount": prompt, "totalTokenCount": total });
    for (name, count) in [
        ("candidatesTokenCount", usage.output_tokens),
        ("cachedContentTokenCount", usage.cache_read_tokens),
        ("thoughtsTokenCount", usage.reasoning_tokens),
    ] {
        if let Some(count) = count {
            said[name] = count.into();
        }
    }
    Some(said)
}
