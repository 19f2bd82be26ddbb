//! The run of one turn: from a prompt to its one `done`, whatever happens between.

mod budget;
mod calls;
mod closing;
mod end;
mod fallback;
mod reply;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use lodger_protocol::{Content, DoneReason, Entry, Error, ErrorCode, MessageId, NoticeLevel, Passing, Result};

use self::end::End;
use crate::answer::MAX_ATTEMPTS;
use crate::context::StepContext;
use crate::turn::Turn;
use crate::{Rejection, Step, next_step};

/// A turn that has not ended. Dropped, as it is when its runtime is shut down, it ends as cancelled.
pub(crate) struct Running(Option<Arc<Turn>>);

impl Running {
    pub(crate) const fn new(turn: Arc<Turn>) -> Self {
        Self(Some(turn))
    }

    fn end(&mut self, end: End) {
        if let Some(turn) = self.0.take() {
            turn.cancel();
            closing::close(&turn, end);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end(End::cancelled());
    }
}

/// Runs a turn to its end. Never fails and never panics: what goes wrong is the turn's end.
pub(crate) async fn run(mut running: Running, message_id: MessageId, content: Vec<Content>) {
    let Some(turn) = running.0.clone() else { return };
    let end = match AssertUnwindSafe(drive(&turn, message_id, content)).catch_unwind().await {
        Ok(Ok(end)) => end,
        Ok(Err(error)) => End::failed(error),
        Err(panic) => End::failed(Error::new(ErrorCode::InternalPanic, panic_text(panic.as_ref()))),
    };
    running.end(end);
}

async fn drive(turn: &Arc<Turn>, message_id: MessageId, content: Vec<Content>) -> Result<End> {
    let shared = &turn.shared;
    shared.start_anew();
    let mut context = shared.freeze();
    turn.append(Entry::UserMessage { message_id, content });
    turn.append(Entry::TurnStart {
        prompt_id: turn.prompt_id.clone(),
        model: context.model.name().to_owned(),
        mode: context.mode,
        sandbox: shared.workspace.as_ref().and_then(|workspace| workspace.sandbox().cloned()),
    });
    for text in shared.take_ignored_settings() {
        turn.pass(Passing::Notice { level: NoticeLevel::Warning, code: "settings_ignored".to_owned(), text });
    }
    loop {
        if turn.cancelled.is_cancelled() {
            return turn.take_failure().map_or_else(|| Ok(End::cancelled()), Err);
        }
        let step = next_step(&shared.log.transcript(), &shared.limits, shared.output.as_deref());
        match step {
            Step::CallModel => {
                tell_ended_tasks(turn, &context);
                context = match reply::take(turn, shared.freeze()).await? {
                    Some(context) => context,
                    None => return Ok(End::complete(DoneReason::MaxBudget)),
                };
            }
            Step::RunTools(open) => calls::run(turn, &context, open).await,
            Step::CloseAnswer(open, told) => calls::close_answer(turn, open, &told),
            Step::RejectAnswer(rejection) => reject(turn, rejection),
            Step::Finish(reason) => return Ok(End::complete(reason)),
            Step::Deliver(answer) => {
                return Ok(End { structured: Some(answer), ..End::complete(DoneReason::EndTurn) });
            }
            Step::GiveUp(error) => return Ok(End { error: Some(error), ..End::complete(DoneReason::Error) }),
        }
    }
}

fn reject(turn: &Turn, rejection: Rejection) {
    turn.append(Entry::OutputRejected {
        message_id: MessageId::fresh(),
        feedback: rejection.feedback,
        attempt: rejection.attempt,
        max_attempts: MAX_ATTEMPTS,
        tool_call_id: rejection.tool_call_id,
    });
}

/// Tells the model of background tasks that ended, at a moment when no call is open.
fn tell_ended_tasks(turn: &Turn, context: &StepContext) {
    for ended in context.tools.ended_tasks() {
        turn.append(Entry::BackgroundTaskEnded {
            task_id: ended.task_id,
            tool_call_id: ended.call_id,
            text: ended.text,
        });
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    format!("a fault in Lodger ended the turn; the agent can go on. Please report it: {said}")
}
