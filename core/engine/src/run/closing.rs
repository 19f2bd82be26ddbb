//! The end of a turn: whatever was left open is closed, then comes the one `done`.

use std::sync::Arc;

use lodger_protocol::{Content, DoneReason, Entry, EventBody, TurnResult};

use super::end::End;
use crate::step::open_calls;
use crate::turn::Turn;

/// Closes open calls, appends `done`, frees the agent for the next prompt, and tells everybody.
pub(super) fn close(turn: &Arc<Turn>, end: End) {
    let told = match end.reason {
        DoneReason::Cancelled => "cancelled: the call did not run, or did not finish",
        _ => "interrupted: the turn ended before the call did",
    };
    for call in open_calls(&turn.shared.log.transcript()) {
        turn.append(Entry::ToolResult {
            tool_call_id: call.id,
            tool_name: call.tool_name,
            content: vec![Content::text(told)],
            is_error: true,
            duration_ms: 0,
            truncated: false,
            files: Vec::new(),
        });
    }

    let usage = turn.usage();
    let result = TurnResult {
        reason: end.reason,
        usage,
        cost_usd: turn.cost_usd(),
        text: last_text(turn),
        structured: end.structured.clone(),
        error: end.error.clone(),
    };
    let done = Entry::Done {
        prompt_id: turn.prompt_id.clone(),
        reason: end.reason,
        usage,
        cost_usd: turn.cost_usd(),
        boundary: end.boundary,
        structured: end.structured,
        error: end.error,
    };
    turn.shared.auditor.entry(Some(&turn.id), &done);
    // Whoever sees `done` may prompt again at once.
    let ring = turn.shared.log.append(Some(&turn.id), done, |event| {
        turn.shared.set_idle();
        turn.outlet.finish(event, result)
    });
    if ring {
        turn.outlet.ring();
    }
    turn.outlet.ended();
    turn.shared.announce_idle();
}

/// The text of the turn's last reply.
fn last_text(turn: &Turn) -> String {
    turn.shared
        .log
        .transcript()
        .iter()
        .rev()
        .filter(|event| event.turn_id.as_ref() == Some(&turn.id))
        .find_map(|event| match &event.body {
            EventBody::Entry(Entry::AssistantMessage { content, .. }) => Some(Content::joined_text(content)),
            _ => None,
        })
        .unwrap_or_default()
}
