//! One reply: its deltas out, its blocks into the transcript, whichever of the models writes it.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use lodger_model::{ModelEvent, Reply};
use lodger_protocol::{
    Content, Effect, Entry, Error, ErrorCode, MessageId, Passing, Result, StopReason, Target, TargetKind, ToolCallId,
    Usage,
};
use serde_json::Value;

use super::budget::Budget;
use super::fallback::{self, RetryTime};
use crate::answer::{self, OUTPUT_TOOL};
use crate::context::StepContext;
use crate::turn::Turn;

/// At most so many bytes of one reply: text, thought and the input of its calls together.
const MAX_REPLY_BYTES: usize = 64 * 1024 * 1024;

/// Asks the model, or those that carry on for it, and appends what was said. Returns what the one saw that answered;
/// `None` when no budget pays for a request.
///
/// # Errors
/// What the last of them failed with, as [`ask`] does.
pub(super) async fn take(turn: &Turn, mut context: StepContext) -> Result<Option<StepContext>> {
    let time = RetryTime::begin();
    loop {
        match ask(turn, &context, &time).await? {
            Asked::Answered => return Ok(Some(context)),
            Asked::CarriedOn => context = turn.shared.freeze(),
            Asked::Unpaid => return Ok(None),
        }
    }
}

/// What came of one call of a model.
enum Asked {
    /// Its reply, or what there is of it, is kept.
    Answered,
    /// It failed before its first output; the next one is to be asked.
    CarriedOn,
    /// Nothing was asked: no budget pays for it.
    Unpaid,
}

/// Asks a model and appends what it said. The provider's stream is read only while the reader has room.
///
/// # Errors
/// What the model's stream failed with. The part of the reply that came is appended all the same.
/// `provider_malformed` for a reply of more than 64 MiB, of which nothing is kept: no request could show it again.
async fn ask(turn: &Turn, context: &StepContext, time: &RetryTime) -> Result<Asked> {
    let request = context.request(&turn.shared.log.transcript(), time.left());
    let Some(mut budget) = Budget::begin(turn, context, &request) else { return Ok(Asked::Unpaid) };
    let message_id = MessageId::fresh();
    let mut stream = context.model.stream(request);
    let mut deltas = Deltas { turn, ring_owed: false };
    let mut said = String::new();
    let mut used = Usage::default();
    let mut bytes = 0;
    let mut is_shown = false;

    loop {
        if !turn.outlet.has_room() {
            deltas.ring();
            tokio::select! {
                () = turn.cancelled.cancelled() => {}
                () = turn.until_room() => {}
            }
        }
        if turn.stop.is_raised() {
            // Dropping the stream closes the connection before anything else happens.
            drop(stream);
            let content = if said.is_empty() { Vec::new() } else { vec![Content::text(said)] };
            let partial = Reply { content, stop_reason: StopReason::Cancelled, usage: used };
            budget.settle(&partial.usage, bytes);
            append_partial(turn, context, message_id, partial, StopReason::Cancelled);
            return Ok(Asked::Answered);
        }
        let event = match stream.next().now_or_never() {
            Some(event) => event,
            None => {
                deltas.ring();
                tokio::select! {
                    biased;
                    () = turn.cancelled.cancelled() => continue,
                    event = stream.next() => event,
                }
            }
        };
        bytes += event.as_ref().map_or(0, bytes_of);
        if bytes > MAX_REPLY_BYTES {
            drop(stream);
            return Err(Error::new(
                ErrorCode::ProviderMalformed,
                format!("the model's reply has more than {MAX_REPLY_BYTES} bytes, and none may have; it is not kept"),
            ));
        }
        if budget.is_used_up(&used, bytes)
            && !matches!(event, Some(ModelEvent::Finished(_) | ModelEvent::Failed { .. }))
        {
            drop(stream);
            let content = if said.is_empty() { Vec::new() } else { vec![Content::text(said)] };
            let partial = Reply { content, stop_reason: StopReason::MaxBudget, usage: used };
            budget.settle(&partial.usage, bytes);
            append_partial(turn, context, message_id, partial, StopReason::MaxBudget);
            return Ok(Asked::Answered);
        }
        is_shown |= event.as_ref().is_some_and(ModelEvent::is_output);
        match event {
            Some(ModelEvent::TextDelta(text)) => {
                said.push_str(&text);
                deltas.pass(Passing::TextDelta { message_id: message_id.clone(), text });
            }
            Some(ModelEvent::ThinkingDelta(text)) => {
                deltas.pass(Passing::ThinkingDelta { message_id: message_id.clone(), text });
            }
            Some(ModelEvent::ToolInputDelta { tool_call_id, tool_name, text }) => {
                deltas.pass(Passing::ToolInputDelta { tool_call_id, tool_name, text });
            }
            Some(ModelEvent::Usage(so_far)) => used = so_far,
            Some(ModelEvent::Retry { attempt, max_attempts, delay, error }) => {
                used = Usage::default();
                budget.forget();
                turn.pass(retry(attempt, max_attempts, delay, &error));
            }
            Some(ModelEvent::Finished(reply)) => {
                budget.settle(&reply.usage, bytes);
                append(turn, context, message_id, reply);
                return Ok(Asked::Answered);
            }
            Some(ModelEvent::Failed { error, partial }) => {
                if is_shown || !partial.content.is_empty() {
                    budget.settle(&partial.usage, bytes);
                } else {
                    budget.forget();
                    if fallback::carry_on(turn, context, &error, time) {
                        return Ok(Asked::CarriedOn);
                    }
                }
                append_partial(turn, context, message_id, partial, StopReason::Error);
                return Err(error);
            }
            None => {
                return Err(Error::new(ErrorCode::ProviderStreamCut, "the model's stream ended without a reply"));
            }
        }
    }
}

/// What an event adds to its reply.
const fn bytes_of(event: &ModelEvent) -> usize {
    match event {
        ModelEvent::TextDelta(text) | ModelEvent::ThinkingDelta(text) | ModelEvent::ToolInputDelta { text, .. } => {
            text.len()
        }
        ModelEvent::Usage(_) | ModelEvent::Retry { .. } | ModelEvent::Finished(_) | ModelEvent::Failed { .. } => 0,
    }
}

/// What the reader is told of an attempt that failed and is followed by another.
fn retry(attempt: u32, max_attempts: u32, delay: Duration, error: &Error) -> Passing {
    Passing::Retry {
        attempt,
        max_attempts,
        delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
        reason: error.to_string(),
        status: status_of(error),
    }
}

/// The status with which a provider said that something failed.
pub(super) fn status_of(error: &Error) -> Option<u16> {
    let status = error.data.as_ref()?.get("status")?.as_u64()?;
    u16::try_from(status).ok()
}

/// Passes deltas on and wakes the reader once for all that one piece of the provider's stream held, not for each.
struct Deltas<'a> {
    turn: &'a Turn,
    ring_owed: bool,
}

impl Deltas<'_> {
    fn pass(&mut self, delta: Passing) {
        self.ring_owed |= self.turn.pass_quietly(delta);
    }

    /// To be called before every wait.
    fn ring(&mut self) {
        if std::mem::take(&mut self.ring_owed) {
            self.turn.outlet.ring();
        }
    }
}

impl Drop for Deltas<'_> {
    fn drop(&mut self) {
        self.ring();
    }
}

/// Appends a whole reply, then its calls in order, before anything is decided about them.
fn append(turn: &Turn, context: &StepContext, message_id: MessageId, mut reply: Reply) {
    name_apart(&mut reply.content);
    let calls: Vec<(ToolCallId, String, Value)> = reply
        .content
        .iter()
        .filter_map(|block| match block {
            Content::ToolCall { tool_call_id, tool_name, input } => {
                Some((tool_call_id.clone(), tool_name.clone(), input.clone()))
            }
            _ => None,
        })
        .collect();
    let cost_usd = cost(context, &reply.usage);
    turn.append(Entry::AssistantMessage {
        message_id,
        content: reply.content,
        stop_reason: reply.stop_reason,
        usage: reply.usage,
        model: context.model.name().to_owned(),
        cost_usd,
    });
    turn.count(context, reply.usage, cost_usd);
    for (tool_call_id, tool_name, input) in calls {
        let target = target_of(context, &tool_name, &input);
        turn.append(Entry::ToolCall { tool_call_id, tool_name, input, target });
    }
}

/// Gives a call whose id another call of the reply has already one of its own: a result belongs to its call by the id
/// alone. What was shown of its input before bears the id that the model gave.
fn name_apart(content: &mut [Content]) {
    let mut taken = HashSet::new();
    for block in content {
        if let Content::ToolCall { tool_call_id, .. } = block
            && !taken.insert(tool_call_id.clone())
        {
            *tool_call_id = ToolCallId::fresh();
        }
    }
}

/// What a whole reply cost. One that was not counted has a cost that nobody knows.
fn cost(context: &StepContext, usage: &Usage) -> Option<f64> {
    let counted = usage.context_tokens().is_some() && usage.output_tokens.is_some();
    counted.then(|| context.model.cost(usage)).flatten()
}

/// Appends what came of a reply that was cut. Its calls never run: their input may be incomplete. What it cost is not
/// known: its provider has written more than it could say.
fn append_partial(turn: &Turn, context: &StepContext, message_id: MessageId, mut partial: Reply, stop: StopReason) {
    partial.content.retain(|block| !matches!(block, Content::ToolCall { .. }));
    let used = partial.usage != Usage::default();
    if partial.content.is_empty() && !used && stop != StopReason::MaxBudget {
        return;
    }
    turn.append(Entry::AssistantMessage {
        message_id,
        content: partial.content,
        stop_reason: stop,
        usage: partial.usage,
        model: context.model.name().to_owned(),
        cost_usd: None,
    });
    if used || stop == StopReason::MaxBudget {
        turn.count(context, partial.usage, None);
    }
}

/// What a call would do, as far as its input can be read. Its paths are made absolute; what they really are is
/// found out at the door.
fn target_of(context: &StepContext, tool_name: &str, input: &Value) -> Target {
    if context.output.is_some() && tool_name == OUTPUT_TOOL {
        return answer::target();
    }
    let Some(call) = context.tools.get(tool_name).and_then(|tool| tool.parse(input).ok()) else {
        return Target {
            summary: tool_name.to_owned(),
            effect: Effect::Execute,
            kind: TargetKind::Other,
            paths: None,
            command: None,
            host: None,
        };
    };
    let mut target = call.target();
    if let (Some(paths), Some(workspace)) = (&mut target.paths, &context.workspace) {
        for path in paths {
            *path = workspace.cwd().join(&*path).display().to_string();
        }
    }
    target
}
