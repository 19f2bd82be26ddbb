//! What is next? A pure function of the transcript: cut it after any entry, and the answer is still right.

use std::collections::HashSet;
use std::sync::Arc;

use lodger_protocol::{Content, DoneReason, Entry, Event, EventBody, Limits, StopReason, ToolCallId};
use serde_json::Value;

/// What a turn does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Ask the model for a reply.
    CallModel,
    /// Run these calls of the last reply, in order.
    RunTools(Vec<OpenCall>),
    /// The turn is over.
    Finish(DoneReason),
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

/// Says what is next in the turn that began last.
#[must_use]
pub fn next_step(entries: &[Arc<Event>], limits: &Limits) -> Step {
    let mut replies = 0_u32;
    let mut answered = HashSet::new();
    let mut last = None;
    for event in entries.iter().rev() {
        let EventBody::Entry(entry) = &event.body else { continue };
        match entry {
            Entry::TurnStart { .. } => break,
            Entry::ToolResult { tool_call_id, .. } if last.is_none() => {
                answered.insert(tool_call_id);
            }
            Entry::AssistantMessage { content, stop_reason, .. } => {
                replies += 1;
                last.get_or_insert((content, *stop_reason));
            }
            _ => {}
        }
    }

    let Some((content, stop_reason)) = last else { return Step::CallModel };
    match stop_reason {
        StopReason::Refused => return Step::Finish(DoneReason::Refused),
        StopReason::Cancelled => return Step::Finish(DoneReason::Cancelled),
        StopReason::MaxBudget => return Step::Finish(DoneReason::MaxBudget),
        StopReason::Error => return Step::Finish(DoneReason::Error),
        StopReason::EndTurn | StopReason::ToolUse | StopReason::MaxOutputTokens => {}
    }
    let mut calls = content.iter().filter_map(open_call).peekable();
    if calls.peek().is_none() {
        return Step::Finish(match stop_reason {
            StopReason::MaxOutputTokens => DoneReason::MaxOutputTokens,
            _ => DoneReason::EndTurn,
        });
    }
    let open: Vec<OpenCall> = calls.filter(|call| !answered.contains(&call.id)).collect();
    if !open.is_empty() {
        Step::RunTools(open)
    } else if replies >= limits.max_steps {
        Step::Finish(DoneReason::MaxSteps)
    } else {
        Step::CallModel
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
