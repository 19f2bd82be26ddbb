//! A step of a script as the pieces of an Anthropic stream, each made when it is asked for.

use std::time::Duration;

use lodger_model::scripted::{Beat, Beats, BlockStart, Fault, FaultKind, Step};
use lodger_protocol::{ErrorCode, StopReason, Usage};
use serde_json::{Map, Value, json};

/// What is to be done next.
pub(crate) enum Piece {
    /// Write one event.
    Event(String),
    /// Write nothing for a while.
    Pause(Duration),
    /// Write nothing until this file exists.
    Wait(String),
    /// Break the connection.
    Cut,
    /// Write nothing more.
    Stall,
}

/// The pieces of one stream.
pub(crate) struct Pieces {
    beats: Beats,
    stop_reason: StopReason,
    usage: Usage,
    model: String,
    number: u64,
    begun: bool,
    index: Option<u64>,
    /// The last events of a stream come together.
    last: Vec<Piece>,
}

impl Pieces {
    pub(crate) fn new(beats: Beats, step: &Step, model: String, number: u64) -> Self {
        Self {
            beats,
            stop_reason: step.stop_reason(),
            usage: step.usage.unwrap_or_default(),
            model,
            number,
            begun: false,
            index: None,
            last: Vec::new(),
        }
    }

    fn start(&self) -> String {
        let message = json!({
            "id": format!("msg_mock_{}", self.number),
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": counts(&[
                ("input_tokens", self.usage.input_tokens),
                ("cache_read_input_tokens", self.usage.cache_read_tokens),
                ("cache_creation_input_tokens", self.usage.cache_write_tokens),
            ]),
        });
        let ping = event(&json!({ "type": "ping" }));
        format!("{}{ping}", event(&json!({ "type": "message_start", "message": message })))
    }

    fn piece(&mut self, beat: Beat) -> Piece {
        let index = self.index.unwrap_or_default();
        Piece::Event(match beat {
            Beat::Start(block) => {
                let index = *self.index.insert(self.index.map_or(0, |index| index + 1));
                event(&json!({ "type": "content_block_start", "index": index, "content_block": opening(block) }))
            }
            Beat::Text(text) => delta(index, "text_delta", "text", text),
            Beat::Thinking(text) => delta(index, "thinking_delta", "thinking", text),
            Beat::Signature(text) => delta(index, "signature_delta", "signature", text),
            Beat::Input(text) => delta(index, "input_json_delta", "partial_json", text),
            Beat::Stop => event(&json!({ "type": "content_block_stop", "index": index })),
            Beat::Delay(time) => return Piece::Pause(time),
            Beat::Wait(file) => return Piece::Wait(file),
            Beat::Fault(fault) => return broken(&fault),
            Beat::End => {
                self.last.push(Piece::Event(event(&json!({ "type": "message_stop" }))));
                event(&json!({
                    "type": "message_delta",
                    "delta": { "stop_reason": stop_word(self.stop_reason), "stop_sequence": null },
                    "usage": counts(&[("output_tokens", self.usage.output_tokens)]),
                }))
            }
        })
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if !self.begun {
            self.begun = true;
            return Some(Piece::Event(self.start()));
        }
        if let Some(piece) = self.last.pop() {
            return Some(piece);
        }
        let beat = self.beats.next()?;
        Some(self.piece(beat))
    }
}

/// The type and status by which the provider says an error.
pub(crate) fn words_of(code: ErrorCode) -> (&'static str, u16) {
    match code {
        ErrorCode::ProviderAuth => ("authentication_error", 401),
        ErrorCode::ProviderRateLimited => ("rate_limit_error", 429),
        ErrorCode::ProviderOverloaded => ("overloaded_error", 529),
        ErrorCode::ProviderUnavailable => ("api_error", 500),
        _ => ("invalid_request_error", 400),
    }
}

/// The words of a fault of type `error`.
pub(crate) fn message_of(fault: &Fault) -> String {
    match (&fault.message, fault.code) {
        (Some(message), _) => message.clone(),
        (None, Some(ErrorCode::ContextOverflow)) => "prompt is too long: the script says so".to_owned(),
        (None, _) => "the script reports an error here".to_owned(),
    }
}

fn broken(fault: &Fault) -> Piece {
    match (fault.kind, fault.code) {
        // A server whose code panics is a server that breaks the connection.
        (FaultKind::Cut | FaultKind::Panic, _) | (FaultKind::Error, Some(ErrorCode::ProviderStreamCut)) => Piece::Cut,
        (FaultKind::Stall, _) | (FaultKind::Error, Some(ErrorCode::Timeout)) => Piece::Stall,
        (FaultKind::Error, Some(ErrorCode::ProviderMalformed)) => Piece::Event("data: {not json\n\n".to_owned()),
        (FaultKind::Error, code) => {
            let (kind, _) = words_of(code.unwrap_or(ErrorCode::ProviderUnavailable));
            Piece::Event(event(&json!({ "type": "error", "error": { "type": kind, "message": message_of(fault) } })))
        }
    }
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}

/// Deltas are many: written without a tree.
fn delta(index: u64, kind: &str, field: &str, text: String) -> String {
    let text = Value::String(text);
    format!(
        "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"{kind}\",\"{field}\":{text}}}}}\n\n"
    )
}

fn opening(block: BlockStart) -> Value {
    match block {
        BlockStart::Text => json!({ "type": "text", "text": "" }),
        BlockStart::Thinking => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        BlockStart::RedactedThinking(data) => json!({ "type": "redacted_thinking", "data": data }),
        BlockStart::ToolCall { id, name } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": {} })
        }
    }
}

fn stop_word(reason: StopReason) -> &'static str {
    match reason {
        StopReason::ToolUse => "tool_use",
        StopReason::MaxOutputTokens => "max_tokens",
        StopReason::Refused => "refusal",
        StopReason::EndTurn | StopReason::Cancelled | StopReason::Error => "end_turn",
    }
}

/// What is not known is not said.
fn counts(pairs: &[(&str, Option<u64>)]) -> Value {
    let known = pairs.iter().filter_map(|(name, count)| Some(((*name).to_owned(), Value::from((*count)?))));
    Value::Object(known.collect::<Map<_, _>>())
}
