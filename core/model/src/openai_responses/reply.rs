//! Frames to events: what a reply has come to so far, and the step that takes it further.

use lodger_net::Frame;
use lodger_protocol::Error;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{KIND, wire};
use crate::draft::{Body, Draft, Ending};
use crate::failure::{Complaint, cut, malformed, unread};
use crate::shown::signed;
use crate::{FreshIds, ModelEvent, ReplyState};

const PROTOCOL: &str = "OpenAI Responses";

const KNOWN: &[&str] = &[
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.refusal.delta",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.completed",
    "response.incomplete",
    "response.failed",
    "error",
];

type Events = Vec<ModelEvent>;

/// A reply as far as it has come.
#[derive(Debug)]
pub(super) struct State {
    ids: FreshIds,
    draft: Draft,
    items: Vec<Item>,
    refused: bool,
}

/// An item of the output, and its block.
#[derive(Debug)]
struct Item {
    index: Option<u64>,
    id: Option<String>,
    place: usize,
    /// The part of the summary that came last.
    summary: Option<u64>,
    /// It was told as whole.
    is_done: bool,
    /// What the provider wants to have back with a message.
    phase: Option<Value>,
}

impl ReplyState for State {
    fn step(&mut self, frame: &Frame, out: &mut Events) {
        let data = frame.data.trim();
        // Some servers end every stream in the way of Chat Completions.
        if self.draft.is_ended() || data.is_empty() || data == "[DONE]" {
            return;
        }
        let taken = match serde_json::from_str::<wire::Event<'_>>(data) {
            Ok(event) => self.take(event, data, out),
            Err(error) => unread(PROTOCOL, KNOWN, data, &error),
        };
        if let Err(error) = taken {
            self.fail(error, out);
        }
    }

    fn end(&mut self, out: &mut Events) {
        self.fail(cut("`response.completed`"), out);
    }

    fn fail(&mut self, error: Error, out: &mut Events) {
        if !self.draft.is_ended() {
            self.keep_phases();
            out.push(self.draft.fail(error));
        }
    }
}

impl State {
    pub(super) fn new(ids: FreshIds) -> Self {
        Self { ids, draft: Draft::default(), items: Vec::new(), refused: false }
    }

    fn take(&mut self, mut event: wire::Event<'_>, data: &str, out: &mut Events) -> Result<(), Error> {
        match std::mem::take(&mut event.kind).as_ref() {
            "response.output_item.added" => {
                self.start(event.output_index, &event.item.unwrap_or_default(), out)?;
            }
            "response.output_item.done" => {
                let item = event.item.unwrap_or_default();
                self.done(event.output_index, &item, out)?;
            }
            "response.output_text.delta" => self.delta(event, "message", out),
            "response.refusal.delta" => {
                self.refused = true;
                self.delta(event, "message", out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.delta(event, "reasoning", out);
            }
            "response.function_call_arguments.delta" => self.delta(event, "function_call", out),
            "response.function_call_arguments.done" => {
                if let Some(place) = self.find(event.output_index, event.item_id.as_deref()).map(|item| item.place) {
                    self.complete(place, event.arguments.unwrap_or_default(), out);
                }
            }
            "response.completed" => self.finish(event.response, out)?,
            "response.incomplete" => {
                let reason = |response: &wire::Response| response.incomplete_details.as_ref()?.reason.clone();
                let ending = match event.response.as_ref().and_then(reason).as_deref() {
                    Some("content_filter") => Ending::Refused,
                    _ => Ending::Limit,
                };
                self.count(event.response.as_ref(), out);
                self.keep_phases();
                out.push(self.draft.finish(ending));
            }
            "response.failed" => {
                self.count(event.response.as_ref(), out);
                let error = event.response.and_then(|response| response.error).unwrap_or_default();
                return Err(Complaint::of(&error).within_a_stream());
            }
            "error" => {
                let body = serde_json::from_str::<Value>(data).unwrap_or_default();
                return Err(Complaint::of(&body).within_a_stream());
            }
            // What repeats deltas as a whole, and what the protocol may add.
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, index: Option<u64>, item: &Value, out: &mut Events) -> Result<usize, Error> {
        let item = read(item)?;
        let body = match item.kind.as_str() {
            "message" => Body::Text(String::new()),
            "reasoning" => Body::Thinking { text: String::new(), signature: None },
            "function_call" => {
                let name = item
                    .name
                    .filter(|name| !name.is_empty())
                    .ok_or_else(|| malformed(PROTOCOL, "a tool call has no name"))?;
                let id = self.ids.take(item.call_id.as_deref());
                Body::Call { id, name, given: None, text: String::new() }
            }
            _ => Body::Other,
        };
        let place = self.draft.push(body);
        self.items.push(Item { index, id: item.id, place, summary: None, is_done: false, phase: item.phase });
        self.draft.append(place, item.arguments.unwrap_or_default(), out);
        Ok(place)
    }

    /// An item as a whole. What its deltas left out is said now.
    fn done(&mut self, index: Option<u64>, whole: &Value, out: &mut Events) -> Result<(), Error> {
        let item = read(whole)?;
        let known = self.find(index, item.id.as_deref()).filter(|known| !known.is_done).map(|known| known.place);
        let place = match known {
            Some(place) if self.is_kind(place, &item.kind) => place,
            _ => self.start(index, &without_arguments(whole), out)?,
        };
        if let Some(known) = self.items.iter_mut().rfind(|known| known.place == place) {
            known.is_done = true;
            known.phase = item.phase.or(known.phase.take());
        }
        match item.kind.as_str() {
            "function_call" => {
                self.complete(place, item.arguments.unwrap_or_default(), out);
                if let Some(block) = self.draft.block(place) {
                    block.stopped = item.status.as_deref() != Some("incomplete");
                }
            }
            "message" => {
                let parts = item.content.unwrap_or_default();
                self.refused |= parts.iter().any(|part| part.kind.as_deref() == Some("refusal"));
                if matches!(self.draft.body(place), Some(Body::Text(text)) if text.is_empty()) {
                    let text = parts.into_iter().filter_map(|part| part.text.or(part.refusal)).collect();
                    self.draft.append(place, text, out);
                }
            }
            "reasoning" => {
                let texts = |parts: Option<Vec<wire::Part>>| -> Vec<String> {
                    parts.into_iter().flatten().filter_map(|part| part.text).collect()
                };
                if matches!(self.draft.body(place), Some(Body::Thinking { text, .. }) if text.is_empty()) {
                    let summary = texts(item.summary);
                    let text = if summary.is_empty() { texts(item.content) } else { summary };
                    self.draft.append(place, text.join("\n\n"), out);
                }
                if let Some(Body::Thinking { signature, .. }) = self.draft.block(place).map(|block| &mut block.body) {
                    *signature = can_go_back(whole).then(|| signed(KIND, &whole.to_string()));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn delta(&mut self, event: wire::Event<'_>, kind: &str, out: &mut Events) {
        let more = event.delta.unwrap_or_default();
        let known = self.find(event.output_index, event.item_id.as_deref()).map(|item| item.place);
        let place = match known.filter(|place| self.is_kind(*place, kind)) {
            Some(place) => place,
            // A server that does not say when an item begins.
            None if kind == "message" => return self.draft.say(more, out),
            None if kind == "reasoning" => return self.draft.think(more, out),
            None => return,
        };
        let more = match self.items.iter_mut().rfind(|item| item.place == place) {
            Some(item) if event.summary_index.is_some() && item.summary != event.summary_index => {
                match std::mem::replace(&mut item.summary, event.summary_index) {
                    Some(_) => format!("\n\n{more}"),
                    None => more,
                }
            }
            _ => more,
        };
        self.draft.append(place, more, out);
    }

    /// The input of a call as a whole: said where no delta said it.
    fn complete(&mut self, place: usize, arguments: String, out: &mut Events) {
        if matches!(self.draft.body(place), Some(Body::Call { text, .. }) if text.is_empty()) {
            self.draft.append(place, arguments, out);
        }
    }

    /// The item of an index, else of an id, else the last.
    fn find(&self, index: Option<u64>, id: Option<&str>) -> Option<&Item> {
        let by_id = || self.items.iter().rfind(|item| id.is_some() && item.id.as_deref() == id);
        let by_index = || self.items.iter().rfind(|item| index.is_some() && item.index == index);
        match (index, id) {
            (None, None) => self.items.last(),
            _ => by_id().or_else(by_index),
        }
    }

    fn is_kind(&self, place: usize, kind: &str) -> bool {
        match self.draft.body(place) {
            Some(Body::Text(_)) => kind == "message",
            Some(Body::Thinking { .. }) => kind == "reasoning",
            Some(Body::Call { .. }) => kind == "function_call",
            _ => !matches!(kind, "message" | "reasoning" | "function_call"),
        }
    }

    fn count(&mut self, response: Option<&wire::Response>, out: &mut Events) {
        if let Some(usage) = response.and_then(|response| response.usage) {
            self.draft.count(usage.disjoint(), out);
        }
    }

    /// Puts a thought without words before each text that has a phase.
    fn keep_phases(&mut self) {
        // From the last on, so that the places before stay right.
        for item in std::mem::take(&mut self.items).into_iter().rev() {
            let is_said = matches!(self.draft.body(item.place), Some(Body::Text(text)) if !text.is_empty());
            if let Some(phase) = item.phase.filter(|_| is_said) {
                let signature = Some(signed(KIND, &json!({ "type": "message", "phase": phase }).to_string()));
                self.draft.insert(item.place, Body::Thinking { text: String::new(), signature });
            }
        }
    }

    fn finish(&mut self, response: Option<wire::Response>, out: &mut Events) -> Result<(), Error> {
        self.count(response.as_ref(), out);
        // A server that tells nothing but the whole.
        if self.draft.is_empty() {
            for item in response.and_then(|response| response.output).unwrap_or_default() {
                self.done(None, &item, out)?;
            }
        }
        self.draft.stop_all();
        self.keep_phases();
        out.push(self.draft.finish(if self.refused { Ending::Refused } else { Ending::Said }));
        Ok(())
    }
}

fn read(item: &Value) -> Result<wire::Item, Error> {
    wire::Item::deserialize(item).map_err(|error| malformed(PROTOCOL, &format!("an item cannot be read: {error}")))
}

/// Whether a thought says something without the provider's own memory, in which we have nothing kept.
fn can_go_back(item: &Value) -> bool {
    let said = item.get("content").and_then(Value::as_array).is_some_and(|content| !content.is_empty());
    said || item.get("encrypted_content").and_then(Value::as_str).is_some_and(|text| !text.is_empty())
}

/// An item before its input is said.
fn without_arguments(item: &Value) -> Value {
    let mut item = item.clone();
    if let Value::Object(item) = &mut item {
        item.remove("arguments");
    }
    item
}
