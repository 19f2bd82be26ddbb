//! Frames to events: what a reply has come to so far, and the step that takes it further.

use lodger_net::Frame;
use lodger_protocol::{Error, ErrorCode};
use serde_json::{Value, json};

use super::{KIND, wire};
use crate::draft::{Body, Draft, Ending};
use crate::failure::{Complaint, cut, malformed};
use crate::shown::signed;
use crate::{FreshIds, ModelEvent, ReplyState};

const PROTOCOL: &str = "Gemini";

type Events = Vec<ModelEvent>;

/// A reply as far as it has come.
#[derive(Debug)]
pub(super) struct State {
    ids: FreshIds,
    draft: Draft,
    finish: Option<Finish>,
}

/// Why it ended, in the provider's words.
#[derive(Debug)]
struct Finish {
    reason: String,
    message: Option<String>,
}

impl ReplyState for State {
    fn step(&mut self, frame: &Frame, out: &mut Events) {
        let data = frame.data.trim();
        // Some gateways end every stream in the way of Chat Completions.
        if self.draft.is_ended() || data.is_empty() || data == "[DONE]" {
            return;
        }
        let taken = match serde_json::from_str::<wire::Response>(data) {
            Ok(response) => self.take(response, out),
            Err(error) => Err(malformed(PROTOCOL, &format!("a frame cannot be read: {error}"))),
        };
        if let Err(error) = taken {
            self.fail_at_once(error, out);
        }
    }

    fn end(&mut self, out: &mut Events) {
        self.fail(cut("`finishReason`"), out);
    }

    fn fail(&mut self, error: Error, out: &mut Events) {
        // After the reason to end only usage can be missing.
        match self.finish.take() {
            _ if self.draft.is_ended() => {}
            Some(finish) => self.finish(&finish, out),
            None => self.fail_at_once(error, out),
        }
    }
}

impl State {
    pub(super) fn new(ids: FreshIds) -> Self {
        Self { ids, draft: Draft::default(), finish: None }
    }

    fn fail_at_once(&mut self, error: Error, out: &mut Events) {
        if !self.draft.is_ended() {
            out.push(self.draft.fail(error));
        }
    }

    fn take(&mut self, response: wire::Response, out: &mut Events) -> Result<(), Error> {
        if let Some(error) = response.error.filter(|error| !error.is_null()) {
            return Err(Complaint::of(&json!({ "error": error })).within_a_stream());
        }
        for candidate in response.candidates.unwrap_or_default() {
            // Only one was asked for.
            if candidate.index.unwrap_or(0) != 0 {
                continue;
            }
            for part in candidate.content.and_then(|content| content.parts).unwrap_or_default() {
                self.part(part, out)?;
            }
            if let Some(reason) = candidate.finish_reason.filter(|reason| !reason.is_empty()) {
                self.finish = Some(Finish { reason, message: candidate.finish_message });
            }
        }
        if let Some(reason) = response.prompt_feedback.and_then(|feedback| feedback.block_reason) {
            self.finish = Some(Finish { reason: format!("PROMPT_{reason}"), message: None });
        }
        if let Some(usage) = response.usage_metadata {
            self.draft.count(usage.disjoint(), out);
        }
        Ok(())
    }

    fn part(&mut self, part: wire::Part, out: &mut Events) -> Result<(), Error> {
        let signature = part.thought_signature.filter(|signature| !signature.is_empty());
        let signature = signature.map(|signature| signed(KIND, &signature));
        if let Some(call) = part.function_call {
            self.sign(self.draft.len(), signature);
            return self.call(call, out);
        }
        let text = part.text.unwrap_or_default();
        if part.thought == Some(true) {
            self.draft.think(text, out);
            self.sign(self.draft.len(), signature);
            return Ok(());
        }
        self.draft.say(text, out);
        if signature.is_some() {
            let last = self.draft.len().wrapping_sub(1);
            match self.draft.block(last) {
                Some(block) if matches!(block.body, Body::Text(_)) => {
                    // What comes now is another part.
                    block.stopped = true;
                    self.sign(last, signature);
                }
                _ => self.sign(self.draft.len(), signature),
            }
        }
        Ok(())
    }

    /// Puts a signature on the thought before the block of that place, or makes one.
    fn sign(&mut self, place: usize, given: Option<String>) {
        let Some(given) = given else { return };
        let before = place.checked_sub(1).and_then(|before| self.draft.block(before));
        match before.map(|block| &mut block.body) {
            Some(Body::Thinking { signature: signature @ None, .. }) => *signature = Some(given),
            _ => {
                self.draft.insert(place, Body::Thinking { text: String::new(), signature: Some(given) });
            }
        }
    }

    /// A call comes whole.
    fn call(&mut self, call: wire::FunctionCall, out: &mut Events) -> Result<(), Error> {
        let name = call
            .name
            .filter(|name| !name.is_empty())
            .ok_or_else(|| malformed(PROTOCOL, "a function call has no name"))?;
        let id = self.ids.take(call.id.as_deref());
        let place = self.draft.push(Body::Call { id, name, given: None, text: String::new() });
        if let Some(args) = call.args.filter(|args| !args.is_empty()) {
            self.draft.append(place, Value::Object(args).to_string(), out);
        }
        if let Some(block) = self.draft.block(place) {
            block.stopped = true;
        }
        Ok(())
    }

    fn finish(&mut self, finish: &Finish, out: &mut Events) {
        let ending = match finish.reason.as_str() {
            // The last is no word of Gemini's, but one that is said in its place by others who speak its protocol.
            "STOP" | "FINISH_REASON_UNSPECIFIED" | "FUNCTION_CALL" => Ending::Said,
            "MAX_TOKENS" => Ending::Limit,
            // The model wrote something that is no call: asked again, it may do better.
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "MALFORMED_RESPONSE" => {
                let mut error = malformed(PROTOCOL, &ended_by(finish));
                error.retryable = true;
                return self.fail_at_once(error, out);
            }
            "MISSING_THOUGHT_SIGNATURE" | "TOO_MANY_TOOL_CALLS" => {
                let error = Error::new(ErrorCode::ProviderRejected, format!("the provider says: {}", ended_by(finish)));
                return self.fail_at_once(error, out);
            }
            "OTHER" if self.draft.is_empty() => {
                let words = format!("the provider gave up without a reply: {}", ended_by(finish));
                return self.fail_at_once(Error::new(ErrorCode::ProviderUnavailable, words), out);
            }
            "OTHER" => Ending::Said,
            // Safety and its kin, under the names of today and of some day.
            _ => Ending::Refused,
        };
        out.push(self.draft.finish(ending));
    }
}

fn ended_by(finish: &Finish) -> String {
    match &finish.message {
        Some(message) => format!("the reply ended by {}: {message}", finish.reason),
        None => format!("the reply ended by {}", finish.reason),
    }
}
