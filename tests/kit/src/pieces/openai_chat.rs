//! A reply in OpenAI Chat Completions, as OpenAI and the many that are compatible write it.

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

pub(super) struct OpenaiChat {
    topic: Topic,
    /// The start of every frame, up to the choices.
    head: String,
    /// How many calls were started.
    calls: u64,
    call: Option<Call>,
}

/// The call that is open.
struct Call {
    id: String,
    name: String,
    /// Its input, when it is to be sent whole.
    input: String,
    begun: bool,
}

impl OpenaiChat {
    pub(super) fn new(topic: Topic) -> Self {
        let (id, model) = (id(&topic), quoted(&topic.model));
        let head =
            format!(r#"{{"id":"{id}","object":"chat.completion.chunk","created":{CREATED},"model":{model},"choices":"#);
        Self { topic, head, calls: 0, call: None }
    }

    /// A frame that adds `delta`, a JSON text, to the one choice.
    fn delta(&self, delta: &str, finish: Option<&str>) -> Frame {
        let finish = finish.map_or(Value::Null, Value::from);
        let nulls = if self.topic.quirks.has(Quirk::Nulls) { r#","logprobs":null"# } else { "" };
        let usage = match usage(&self.topic) {
            Some(usage) if self.topic.quirks.has(Quirk::UsageEverywhere) => format!(r#","usage":{usage}"#),
            _ => String::new(),
        };
        let head = &self.head;
        Frame::plain(format!(r#"{head}[{{"index":0,"delta":{delta}{nulls},"finish_reason":{finish}}}]{usage}}}"#))
    }

    /// A delta of one field.
    fn field(&self, name: &str, value: &Value) -> Frame {
        let nulls = match self.topic.quirks.has(Quirk::Nulls) {
            true => r#","tool_calls":null,"refusal":null,"function_call":null"#,
            false => "",
        };
        self.delta(&format!(r#"{{"{name}":{value}{nulls}}}"#), None)
    }

    fn call_piece(&mut self, arguments: &str) -> Option<Frame> {
        let quirks = &self.topic.quirks;
        let call = self.call.as_mut()?;
        let mut function = json!({ "arguments": arguments });
        let mut piece = json!({});
        if !call.begun || quirks.has(Quirk::IdInEveryPiece) {
            function["name"] = call.name.as_str().into();
            piece["type"] = "function".into();
            if !quirks.has(Quirk::NoCallIds) {
                piece["id"] = call.id.as_str().into();
            }
        }
        piece["function"] = function;
        if !quirks.has(Quirk::NoIndex) {
            piece["index"] = if quirks.has(Quirk::SharedIndex) { 0 } else { self.calls - 1 }.into();
        }
        call.begun = true;
        let delta = match quirks.has(Quirk::Nulls) {
            true => json!({ "role": "assistant", "content": null, "tool_calls": [piece] }),
            false => json!({ "tool_calls": [piece] }),
        };
        Some(self.delta(&delta.to_string(), None))
    }
}

impl Voice for OpenaiChat {
    fn begin(&mut self, out: &mut Vec<Frame>) {
        out.push(self.delta(r#"{"role":"assistant","content":""}"#, None));
    }

    fn start(&mut self, block: BlockStart, out: &mut Vec<Frame>) {
        match block {
            BlockStart::Text | BlockStart::Thinking => {}
            BlockStart::RedactedThinking(data) => {
                out.push(self.field("reasoning_details", &json!([{ "type": "reasoning.encrypted", "data": data }])));
            }
            BlockStart::ToolCall { id, name } => {
                if self.topic.quirks.has(Quirk::BlankText) {
                    out.push(self.field("content", &quoted("")));
                    out.push(self.field("content", &quoted("\n\n")));
                }
                self.calls += 1;
                self.call = Some(Call { id: id.to_string(), name, input: String::new(), begun: false });
                if !self.topic.quirks.has(Quirk::WholeInput) {
                    out.extend(self.call_piece(""));
                }
            }
        }
    }

    fn more(&mut self, more: More, out: &mut Vec<Frame>) {
        let quirks = &self.topic.quirks;
        match more {
            More::Text(text) => {
                out.push(self.field(text_field(&self.topic), &quoted(text)));
            }
            More::Thinking(text) => {
                let word = if quirks.has(Quirk::ReasoningWord) { "reasoning" } else { "reasoning_content" };
                out.push(self.field(word, &quoted(text)));
            }
            More::Signature(text) => {
                let details = json!([{ "type": "reasoning.text", "text": "", "signature": text }]);
                out.push(self.field("reasoning_details", &details));
            }
            More::Input(text) => match &mut self.call {
                Some(call) if quirks.has(Quirk::WholeInput) => call.input.push_str(&text),
                _ => out.extend(self.call_piece(&text)),
            },
        }
    }

    fn stop(&mut self, out: &mut Vec<Frame>) {
        if let Some(call) = self.call.as_mut().filter(|call| !call.begun) {
            let input = std::mem::take(&mut call.input);
            out.extend(self.call_piece(input_text(&input)));
        }
        self.call = None;
    }

    fn end(&mut self, out: &mut Vec<Frame>) {
        let quirks = &self.topic.quirks;
        if !quirks.has(Quirk::NoFinish) {
            out.push(self.delta("{}", Some(finish(&self.topic))));
        }
        if let Some(usage) = usage(&self.topic).filter(|_| self.topic.wants_usage) {
            out.push(Frame::plain(format!(r#"{}[],"usage":{usage}}}"#, self.head)));
        }
        if !quirks.has(Quirk::NoTerminator) {
            out.push(Frame::plain("[DONE]"));
        }
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<Frame>) {
        out.push(Frame::plain(failure.body(self.topic.protocol)));
    }

    fn unknown(&mut self) -> Frame {
        Frame::plain(json!({ "id": id(&self.topic), "object": "chat.completion.rating", "rating": { "stars": 5 } }))
    }
}

pub(super) fn whole(topic: &Topic, told: &Told) -> Value {
    let text = told.text();
    let mut message = json!({ "role": "assistant", "content": null, "refusal": null });
    if !text.is_empty() {
        message[text_field(topic)] = text.into();
    }
    let thought: String = told.0.iter().filter_map(thought).collect();
    if !thought.is_empty() {
        message["reasoning_content"] = thought.into();
    }
    let calls: Vec<_> = told
        .calls()
        .map(|(id, name, input)| {
            json!({ "id": id, "type": "function", "function": { "name": name, "arguments": input_text(input) } })
        })
        .collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let mut reply = json!({
        "id": id(topic),
        "object": "chat.completion",
        "created": CREATED,
        "model": topic.model,
        "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish(topic) }],
    });
    if let Some(usage) = usage(topic) {
        reply["usage"] = usage;
    }
    reply
}

fn id(topic: &Topic) -> String {
    format!("chatcmpl-mock-{}", topic.number)
}

fn thought(block: &Block) -> Option<&str> {
    if let Block::Thinking { text, .. } = block { Some(text) } else { None }
}

fn text_field(topic: &Topic) -> &'static str {
    if topic.refuses_in_words() { "refusal" } else { "content" }
}

fn finish(topic: &Topic) -> &'static str {
    match topic.stop_reason {
        StopReason::ToolUse if topic.quirks.has(Quirk::PlainFinish) => "stop",
        StopReason::ToolUse => "tool_calls",
        StopReason::MaxOutputTokens => "length",
        StopReason::Refused if topic.refuses_in_words() => "stop",
        StopReason::Refused => "content_filter",
        StopReason::EndTurn | StopReason::Cancelled | StopReason::MaxBudget | StopReason::Error => "stop",
    }
}

/// Cached tokens are part of the prompt and reasoning is part of the completion, and said apart besides.
fn usage(topic: &Topic) -> Option<Value> {
    let usage = topic.usage.filter(|_| !topic.quirks.has(Quirk::NoUsage))?;
    let prompt = usage.context_tokens().unwrap_or(0);
    let completion = usage.output_tokens.unwrap_or(0) + usage.reasoning_tokens.unwrap_or(0);
    let mut said = json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    });
    for (place, name, count) in [
        ("prompt_tokens_details", "cached_tokens", usage.cache_read_tokens),
        ("prompt_tokens_details", "cache_write_tokens", usage.cache_write_tokens),
        ("completion_tokens_details", "reasoning_tokens", usage.reasoning_tokens),
    ] {
        if let Some(count) = count {
            said[place][name] = count.into();
        }
    }
    Some(said)
}
