//! The calls of one reply: those that only look run side by side, the others in order.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use lodger_protocol::{Content, Effect, Entry, Passing};

use crate::context::StepContext;
use crate::door::{self, Passed};
use crate::turn::Turn;
use crate::{OpenCall, Told};

/// At most so many reads of one reply run at once.
const SIDE_BY_SIDE: usize = 8;

/// Runs calls and appends their results in call order. Stops early when the turn is cancelled.
pub(super) async fn run(turn: &Arc<Turn>, context: &StepContext, open: Vec<OpenCall>) {
    for group in groups(context, open) {
        let mut passed = stream::iter(group)
            .map(|call| async { (door::pass(turn, context, &call).await, call) })
            .buffered(SIDE_BY_SIDE);
        while let Some((passed, call)) = passed.next().await {
            append(turn, call, passed);
        }
        if turn.cancelled.is_cancelled() {
            return;
        }
    }
}

/// Neighbouring reads form a group; everything else stands alone.
fn groups(context: &StepContext, open: Vec<OpenCall>) -> Vec<Vec<OpenCall>> {
    let mut groups: Vec<Vec<OpenCall>> = Vec::new();
    let mut last_reads = false;
    for call in open {
        let reads = only_reads(context, &call);
        match groups.last_mut() {
            Some(group) if reads && last_reads => group.push(call),
            _ => groups.push(vec![call]),
        }
        last_reads = reads;
    }
    groups
}

fn only_reads(context: &StepContext, call: &OpenCall) -> bool {
    context
        .tools
        .get(&call.tool_name)
        .and_then(|tool| tool.parse(&call.input).ok())
        .is_some_and(|call| call.target().effect == Effect::Read)
}

/// Gives the calls that gave an answer their results. They touch nothing, so no door is between.
pub(super) fn close_answer(turn: &Turn, open: Vec<OpenCall>, told: &Told) {
    for call in open {
        turn.append(Entry::ToolResult {
            tool_call_id: call.id,
            tool_name: call.tool_name,
            content: vec![Content::text(&told.text)],
            is_error: told.is_error,
            duration_ms: 0,
            truncated: false,
            files: Vec::new(),
        });
    }
}

fn append(turn: &Turn, call: OpenCall, passed: Passed) {
    if let Some((by, feedback)) = passed.denied {
        turn.append(Entry::ToolDenied {
            tool_call_id: call.id.clone(),
            tool_name: call.tool_name.clone(),
            by,
            feedback,
        });
    }
    for file in &passed.output.files {
        turn.append(Entry::FileChanged { tool_call_id: call.id.clone(), file: file.clone() });
    }
    if let Some(tasks) = passed.output.tasks {
        turn.pass(Passing::TaskUpdate { tasks });
    }
    turn.append(Entry::ToolResult {
        tool_call_id: call.id,
        tool_name: call.tool_name,
        content: passed.output.content,
        is_error: passed.output.is_error,
        duration_ms: passed.duration_ms,
        truncated: passed.output.truncated,
        files: passed.output.files,
    });
}
