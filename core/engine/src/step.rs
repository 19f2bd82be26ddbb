//! What is next? A pure function of the transcript: cut it after any entry, and the answer is still right.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lodger_protocol::{Content, DoneReason, Entry, Error, Event, EventBody, Limits, StopReason, ToolCallId};
use serde_json::Value;

use crate::answer::{Given, MAX_ATTEMPTS, OUTPUT_TOOL, TAKEN};
use crate::output_schema::OutputSchema;

/// What a turn does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Ask the model for a reply.
    CallModel,
    /// Run these calls of the last reply, in order.
    RunTools(Vec<OpenCall>),
    /// Tell the calls that gave the turn's answer whether it was taken.
    CloseAnswer(Vec<OpenCall>, Told),
    /// Tell the model that its answer does not fit, before it is asked again.
    RejectAnswer(Rejection),
    /// The turn is over.
    Finish(DoneReason),
    /// The turn is over, with an answer that fits its schema.
    Deliver(Value),
    /// The turn is over, without one: the model had its attempts.
    GiveUp(Error),
}

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenCall {
    /// The call.
    pub id: ToolCallId,
    /// Name of the tool.
    pub tool_name: String,
    /// The input, as the model wrote it.
    pub input: Value,
}

/// What a call that gave an answer is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// In words.
    pub text: String,
    /// The answer was not taken.
    pub is_error: bool,
}

/// An answer that does not fit, and is to be given again.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    /// What is wrong, in words.
    pub feedback: String,
    /// Which answer of the turn it was, from 1.
    pub attempt: u32,
    /// The call that gave it; none: it was text.
    pub tool_call_id: Option<ToolCallId>,
}

/// The running turn, as far as it has come.
#[derive(Default)]
struct Progress<'a> {
    /// Replies of the model.
    replies: u32,
    /// The last reply, and why it stopped.
    last: Option<(&'a [Content], StopReason)>,
    /// Its calls that have a result, and whether that is a failure.
    answered: HashMap<&'a ToolCallId, bool>,
    /// Answers that were rejected.
    rejected: u32,
    /// The last reply's was.
    is_rejected: bool,
}

impl<'a> Progress<'a> {
    fn of(entries: &'a [Arc<Event>]) -> Self {
        let mut progress = Self::default();
        for event in entries.iter().rev() {
            let EventBody::Entry(entry) = &event.body else { continue };
            match entry {
                Entry::TurnStart { .. } => break,
                Entry::ToolResult { tool_call_id, is_error, .. } if progress.last.is_none() => {
                    progress.answered.insert(tool_call_id, *is_error);
                }
                Entry::OutputRejected { .. } => {
                    progress.rejected += 1;
                    progress.is_rejected |= progress.last.is_none();
                }
                Entry::AssistantMessage { content, stop_reason, .. } => {
                    progress.replies += 1;
                    progress.last.get_or_insert((content, *stop_reason));
                }
                _ => {}
            }
        }
        progress
    }

    /// The model is asked again, if it may be.
    fn again(&self, limits: &Limits) -> Step {
        if self.replies >= limits.max_steps { Step::Finish(DoneReason::MaxSteps) } else { Step::CallModel }
    }

    /// What comes of the answer that the last reply gives, when its other calls have run.
    fn answer(&self, given: &Given<'_>, open: Vec<OpenCall>, schema: &OutputSchema, limits: &Limits) -> Step {
        let judged = given.judge(schema);
        if !open.is_empty() {
            let told = match &judged {
                Ok(_) => Told { text: TAKEN.to_owned(), is_error: false },
                Err(rejected) => Told { text: rejected.feedback(), is_error: true },
            };
            return Step::CloseAnswer(open, told);
        }
        match judged {
            Ok(answer) => Step::Deliver(answer),
            Err(_) if self.is_rejected || self.replies >= limits.max_steps => self.again(limits),
            Err(rejected) if self.rejected + 1 >= MAX_ATTEMPTS => Step::GiveUp(rejected.into_error(MAX_ATTEMPTS)),
            Err(rejected) => Step::RejectAnswer(Rejection {
                feedback: rejected.feedback(),
                attempt: self.rejected + 1,
                tool_call_id: given.calls.first().map(|(id, _)| (*id).clone()),
            }),
        }
    }
}

/// Says what is next in the turn that began last. `output`: its answer must fit this.
#[must_use]
pub fn next_step(entries: &[Arc<Event>], limits: &Limits, output: Option<&OutputSchema>) -> Step {
    let progress = Progress::of(entries);
    let Some((content, stop_reason)) = progress.last else { return Step::CallModel };
    match stop_reason {
        StopReason::Refused => return Step::Finish(DoneReason::Refused),
        StopReason::Cancelled => return Step::Finish(DoneReason::Cancelled),
        StopReason::MaxBudget => return Step::Finish(DoneReason::MaxBudget),
        StopReason::Error => return Step::Finish(DoneReason::Error),
        StopReason::EndTurn | StopReason::ToolUse | StopReason::MaxOutputTokens => {}
    }
    let mut calls = content.iter().filter_map(open_call).peekable();
    let has_calls = calls.peek().is_some();
    let open = calls.filter(|call| !progress.answered.contains_key(&call.id));
    let (answers, open): (Vec<_>, Vec<_>) = open.partition(|call| output.is_some() && call.tool_name == OUTPUT_TOOL);
    if !open.is_empty() {
        return Step::RunTools(open);
    }
    if !has_calls && stop_reason == StopReason::MaxOutputTokens {
        return Step::Finish(DoneReason::MaxOutputTokens);
    }
    let failed = |id: &ToolCallId| progress.answered.get(id).is_some_and(|failed| *failed);
    match output.and_then(|schema| Some((schema, Given::of(content, failed)?))) {
        Some((schema, given)) => progress.answer(&given, answers, schema, limits),
        None if has_calls => progress.again(limits),
        None => Step::Finish(DoneReason::EndTurn),
    }
}

/// The calls of a reply that have no result.
pub(crate) fn open_calls(entries: &[Arc<Event>]) -> Vec<OpenCall> {
    let mut answered = HashSet::new();
    for event in entries.iter().rev() {
        match &event.body {
            EventBody::Entry(Entry::ToolResult { tool_call_id, .. }) => {
                answered.insert(tool_call_id);
            }
            EventBody::Entry(Entry::AssistantMessage { content, .. }) => {
                return content.iter().filter_map(open_call).filter(|call| !answered.contains(&call.id)).collect();
            }
            EventBody::Entry(Entry::TurnStart { .. }) => break,
            _ => {}
        }
    }
    Vec::new()
}

fn open_call(block: &Content) -> Option<OpenCall> {
    match block {
        Content::ToolCall { tool_call_id, tool_name, input } => {
            Some(OpenCall { id: tool_call_id.clone(), tool_name: tool_name.clone(), input: input.clone() })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
