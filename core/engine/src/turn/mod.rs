//! One turn: from a prompt to its one `done`, whatever happens between.

mod calls;
mod closing;
mod reply;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use lodger_protocol::{
    Boundary, Content, DoneReason, Entry, Error, ErrorCode, MessageId, Passing, PromptId, Result, TurnId, Usage,
};
use lodger_workspace::StopFlag;
use tokio_util::sync::CancellationToken;

use crate::agent::{Shared, locked};
use crate::{Outlet, Step, next_step};

/// A running turn: what its steps share. Nothing here outlives the turn, and nothing decides what is next.
pub(crate) struct Turn {
    pub(crate) id: TurnId,
    pub(crate) prompt_id: PromptId,
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) cancelled: CancellationToken,
    /// Raised with `cancelled`, for blocking work.
    pub(crate) stop: StopFlag,
    /// Why it was cancelled, when that is a failure.
    failure: Mutex<Option<Error>>,
    usage: Mutex<Usage>,
}

impl Turn {
    pub(crate) fn new(id: TurnId, prompt_id: PromptId, outlet: Arc<dyn Outlet>, shared: Arc<Shared>) -> Self {
        Self {
            id,
            prompt_id,
            outlet,
            shared,
            cancelled: CancellationToken::new(),
            stop: StopFlag::default(),
            failure: Mutex::new(None),
            usage: Mutex::default(),
        }
    }

    /// Asks the turn to end. Later calls change nothing.
    pub(crate) fn cancel(&self) {
        self.stop.raise();
        self.cancelled.cancel();
    }

    /// Keeps an entry and tells the reader.
    pub(crate) fn append(&self, entry: Entry) {
        let ring = self.shared.log.append(Some(&self.id), entry, |event| self.outlet.publish(event));
        if ring {
            self.outlet.ring();
        }
    }

    /// Tells the reader something that is not kept.
    pub(crate) fn pass(&self, passing: Passing) {
        if self.pass_quietly(passing) {
            self.outlet.ring();
        }
    }

    /// The same without waking the reader. True: `ring` is owed, before the next wait.
    #[must_use]
    pub(crate) fn pass_quietly(&self, passing: Passing) -> bool {
        self.shared.log.pass(Some(&self.id), passing, |event| self.outlet.publish(event))
    }

    /// Waits until a source may be read. A reader who never comes back ends the turn.
    pub(crate) async fn until_room(&self) {
        if self.outlet.has_room() {
            return;
        }
        if let Err(stalled) = self.outlet.ready().await {
            locked(&self.failure).get_or_insert(stalled);
            self.cancel();
        }
    }

    /// Adds one reply's usage and tells the reader.
    pub(crate) fn count(&self, reply: Usage, context_window: Option<u64>) {
        let turn = {
            let mut usage = locked(&self.usage);
            *usage += reply;
            *usage
        };
        let report = self.shared.count(reply, turn, context_window);
        self.pass(Passing::Usage { report });
    }
}

/// How a turn came to its end.
struct End {
    reason: DoneReason,
    boundary: Boundary,
    error: Option<Error>,
}

impl End {
    const fn cancelled() -> Self {
        Self { reason: DoneReason::Cancelled, boundary: Boundary::Interrupted, error: None }
    }

    const fn failed(error: Error) -> Self {
        Self { reason: DoneReason::Error, boundary: Boundary::Interrupted, error: Some(error) }
    }
}

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
    let mut context = shared.freeze();
    turn.append(Entry::UserMessage { message_id, content });
    turn.append(Entry::TurnStart {
        prompt_id: turn.prompt_id.clone(),
        model: context.model.name().to_owned(),
        mode: context.mode,
    });
    loop {
        if turn.cancelled.is_cancelled() {
            return locked(&turn.failure).take().map_or_else(|| Ok(End::cancelled()), Err);
        }
        let step = next_step(&shared.log.transcript(), &shared.limits);
        match step {
            Step::CallModel => {
                context = shared.freeze();
                reply::take(turn, &context).await?;
            }
            Step::RunTools(open) => calls::run(turn, &context, open).await,
            Step::Finish(reason) => {
                return Ok(End { reason, boundary: Boundary::Complete, error: None });
            }
        }
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
