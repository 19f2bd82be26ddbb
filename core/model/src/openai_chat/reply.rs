//! Frames to events. The protocol is spoken by many servers in many ways: whatever a frame says is taken where it can
//! have but one meaning.

use lodger_net::Frame;
use lodger_protocol::{Error, ErrorCode};
use serde_json::{Value, json};

use super::{KIND, wire};
use crate::draft::{Body, Draft, Ending};
use crate::failure::{Complaint, cut, malformed};
use crate::shown::signed;
use crate::{FreshIds, ModelEvent, ReplyState};

const PROTOCOL: &str = "OpenAI Chat Completions";

type Events = Vec<ModelEvent>;

/// A reply as far as it has come.
#[derive(Debug)]
pub(super) struct State {
    ids: FreshIds,
    draft: Draft,
    calls: Vec<Call>,
    /// Thought in the form in which some servers want it back.
    details: Vec<Value>,
    finish: Option<String>,
    refused: bool,
}

/// What a later piece may call a call.
#[derive(Debug)]
struct Call {
    place: usize,
    given_id: Option<String>,
    index: Option<u64>,
    /// A later piece came without the name: one with it would begin another call.
    is_named_once: bool,
}

impl ReplyState for State {
    fn step(&mut self, frame: &Frame, out: &mut Events) {
        let data = frame.data.trim();
        if self.draft.is_ended() || data.is_empty() {
            return;
        }
        if data == "[DONE]" {
            return self.finish(out);
        }
        let taken = match serde_json::from_str::<wire::Chunk>(data) {
            Ok(chunk) if chunk.object.as_deref() == Some("error") => Err(whole_complaint(data)),
            Ok(chunk) => self.take(chunk, out),
            Err(error) => Err(malformed(PROTOCOL, &format!("a frame cannot be read: {error}"))),
        };
        if let Err(error) = taken {
            self.fail_at_once(error, out);
        }
    }

    fn end(&mut self, out: &mut Events) {
        // Some servers leave `[DONE]` out, but a reply without a reason to end is not known to be whole.
        match self.finish {
            _ if self.draft.is_ended() => {}
            Some(_) => self.finish(out),
            None => {
                self.fail_at_once(cut("`finish_reason`, no `[DONE]`"), out);
            }
        }
    }

    fn fail(&mut self, error: Error, out: &mut Events) {
        // After the reason to end only usage can be missing.
        match self.finish {
            _ if self.draft.is_ended() => {}
            Some(_) => self.finish(out),
            None => self.fail_at_once(error, out),
        }
    }
}

impl State {
    pub(super) fn new(ids: FreshIds) -> Self {
        let (calls, details) = (Vec::new(), Vec::new());
        Self { ids, draft: Draft::default(), calls, details, finish: None, refused: false }
    }

    fn fail_at_once(&mut self, error: Error, out: &mut Events) {
        if !self.draft.is_ended() {
            out.push(self.draft.fail(error));
        }
    }

    fn take(&mut self, chunk: wire::Chunk, out: &mut Events) -> Result<(), Error> {
        let mut usage = chunk.usage.or(chunk.x_groq.and_then(|groq| groq.usage));
        let mut complaint = chunk.error;
        for choice in chunk.choices.unwrap_or_default() {
            // Only one was asked for.
            if choice.index.unwrap_or(0) != 0 {
                continue;
            }
            usage = usage.or(choice.usage);
            complaint = complaint.or(choice.error);
            for delta in [choice.delta, choice.message].into_iter().flatten() {
                self.delta(delta, out);
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.finish = Some(reason);
            }
        }
        if let Some(usage) = usage {
            self.draft.count(usage.disjoint(), out);
        }
        match complaint.filter(|complaint| !complaint.is_null()) {
            Some(complaint) => Err(Complaint::of(&json!({ "error": complaint })).within_a_stream()),
            None => Ok(()),
        }
    }

    fn delta(&mut self, delta: wire::Delta, out: &mut Events) {
        self.think(&delta, out);
        match delta.content {
            Some(wire::Text::Plain(text)) => self.draft.say(text, out),
            Some(wire::Text::Parts(parts)) => {
                for part in parts {
                    self.part(&part, out);
                }
            }
            Some(wire::Text::Other(_)) | None => {}
        }
        if let Some(refusal) = delta.refusal.filter(|refusal| !refusal.is_empty()) {
            self.refused = true;
            self.draft.say(refusal, out);
        }
        for piece in delta.tool_calls.into_iter().flatten() {
            self.piece(piece, out);
        }
    }

    /// One of several parts in place of a text.
    fn part(&mut self, part: &Value, out: &mut Events) {
        let text = |part: &Value| part.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        match part.get("type").and_then(Value::as_str) {
            Some("thinking") => {
                let thoughts = part.get("thinking").and_then(Value::as_array).into_iter().flatten();
                let thought = thoughts.map(text).collect();
                self.thought(thought, None, out);
            }
            _ => self.draft.say(text(part), out),
        }
    }

    fn think(&mut self, delta: &wire::Delta, out: &mut Events) {
        if let Some(text) = delta.reasoning_content.as_ref().filter(|text| !text.is_empty()) {
            self.thought(text.clone(), Some("reasoning_content"), out);
        } else if let Some(text) = delta.reasoning.as_ref().and_then(Value::as_str).filter(|text| !text.is_empty()) {
            self.thought(text.to_owned(), Some("reasoning"), out);
        } else if let Some(details) = &delta.reasoning_details {
            let text: String = details
                .iter()
                .filter_map(|detail| detail.get("text").or_else(|| detail.get("summary")).and_then(Value::as_str))
                .collect();
            self.thought(text, None, out);
        }
        for detail in delta.reasoning_details.iter().flatten() {
            keep_detail(&mut self.details, detail);
        }
    }

    /// `field`: where the thought stood, and stands again when it is sent back.
    fn thought(&mut self, text: String, field: Option<&str>, out: &mut Events) {
        let goes_on = matches!(self.draft.last(), Some(Body::Thinking { .. }));
        if !goes_on && !text.is_empty() {
            let signature = field.map(|field| signed(KIND, field));
            self.draft.push(Body::Thinking { text: String::new(), signature });
        }
        if goes_on || !text.is_empty() {
            let place = self.draft.len() - 1;
            self.draft.append(place, text, out);
        }
    }

    fn piece(&mut self, piece: wire::Piece, out: &mut Events) {
        let function = piece.function.unwrap_or(wire::Function { name: None, arguments: None });
        let name = function.name.unwrap_or_default();
        let arguments = match function.arguments {
            Some(Value::String(text)) => text,
            None | Some(Value::Null) => String::new(),
            Some(value) => value.to_string(),
        };
        let id = piece.id.filter(|id| !id.is_empty());
        let place = match self.call_of(id.as_deref(), piece.index, &name, &arguments) {
            Some(place) => {
                if let Some(call) = self.calls.iter_mut().find(|call| call.place == place) {
                    call.is_named_once |= name.is_empty();
                }
                place
            }
            // Without a name it is no call, and there is none that it could belong to.
            None if name.is_empty() => return,
            None => {
                let body = Body::Call { id: self.ids.take(id.as_deref()), name, given: None, text: String::new() };
                let place = self.draft.push(body);
                self.calls.push(Call { place, given_id: id, index: piece.index, is_named_once: false });
                place
            }
        };
        self.draft.append(place, arguments, out);
    }

    /// The call that a piece goes on with: the one of its id; else of its index; else the last. A new id with a name
    /// starts a new call, whatever its index, and so does another name, and a name with input where the call before
    /// is complete.
    fn call_of(&self, id: Option<&str>, index: Option<u64>, name: &str, arguments: &str) -> Option<usize> {
        let by_id = self.calls.iter().rfind(|call| id.is_some() && call.given_id.as_deref() == id);
        let call = match (by_id, index) {
            (Some(call), _) => call,
            (None, _) if id.is_some() && !name.is_empty() => return None,
            (None, Some(index)) => self.calls.iter().rfind(|call| call.index == Some(index))?,
            (None, None) => self.calls.last()?,
        };
        let Some(Body::Call { name: known, text, .. }) = self.draft.body(call.place) else { return None };
        let goes_on = match (by_id, name) {
            (_, "") => true,
            _ if name != known => false,
            (None, _) if call.is_named_once => false,
            _ => arguments.trim().is_empty() || !is_whole(text),
        };
        goes_on.then_some(call.place)
    }

    fn finish(&mut self, out: &mut Events) {
        let ending = match self.finish.as_deref() {
            Some("length" | "max_tokens") => Ending::Limit,
            Some("content_filter" | "refusal") => Ending::Refused,
            Some("error") => {
                let words = "the provider gave up within its stream (`finish_reason` is `error`)";
                return self.fail_at_once(Error::new(ErrorCode::ProviderUnavailable, words), out);
            }
            None if self.draft.is_empty() => {
                let words = "the provider's stream ended without a reply";
                return self.fail_at_once(Error::new(ErrorCode::ProviderStreamCut, words), out);
            }
            _ if self.refused => Ending::Refused,
            _ => Ending::Said,
        };
        if self.finish.is_some() {
            self.draft.stop_all();
        }
        self.sign();
        out.push(self.draft.finish(ending));
    }

    /// Keeps with the first thought what is to be sent back in its own form.
    fn sign(&mut self) {
        if self.details.is_empty() {
            return;
        }
        let kept = signed(KIND, &Value::Array(std::mem::take(&mut self.details)).to_string());
        let first = (0..self.draft.len()).find(|place| matches!(self.draft.body(*place), Some(Body::Thinking { .. })));
        let place =
            first.unwrap_or_else(|| self.draft.insert(0, Body::Thinking { text: String::new(), signature: None }));
        if let Some(Body::Thinking { signature, .. }) = self.draft.block(place).map(|block| &mut block.body) {
            *signature = Some(kept);
        }
    }
}

/// A frame that is an error and nothing else.
fn whole_complaint(data: &str) -> Error {
    let body = serde_json::from_str::<Value>(data).unwrap_or_default();
    Complaint::of(&body).within_a_stream()
}

/// Whether a call's input came to its end, so that more of it must belong to another call.
fn is_whole(text: &str) -> bool {
    text.trim_end().ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Joins the pieces of one detail: those of one index and type, one after the other.
fn keep_detail(details: &mut Vec<Value>, piece: &Value) {
    let same = |a: &Value, b: &Value, name: &str| a.get(name) == b.get(name);
    let last = details.last_mut().filter(|last| same(last, piece, "type") && same(last, piece, "index"));
    let (Some(Value::Object(last)), Value::Object(piece)) = (last, piece) else {
        details.push(piece.clone());
        return;
    };
    for (name, value) in piece {
        match (last.get_mut(name), value) {
            (Some(Value::String(known)), Value::String(more))
                if matches!(name.as_str(), "text" | "summary" | "data" | "signature") =>
            {
                known.push_str(more);
            }
            (_, Value::Null) => {}
            _ => {
                last.insert(name.clone(), value.clone());
            }
        }
    }
}
