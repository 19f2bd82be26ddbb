//! One agent: what a host may do with it.

use std::sync::{Arc, Mutex, Weak};

use lodger_protocol::{
    Entry, Error, ErrorCode, Message, MessageId, Mode, Prompt, PromptId, RequestId, Result, SessionId, TurnId,
    UsageReport,
};
use lodger_session::{Checkpoint, conversation};
use tokio::runtime::Handle;

use crate::Outlet;
use crate::cost;
use crate::requests::Pending;
use crate::run::{self, Running};
use crate::shared::{AgentParts, Shared, locked};
use crate::shown;
use crate::turn::Turn;

/// One conversation. Cheap to clone; all clones are the same agent.
#[derive(Clone)]
pub struct Agent(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    turn: Mutex<Slot>,
    handle: Handle,
}

/// The turn that runs keeps itself; here it is only known.
#[derive(Default)]
struct Slot {
    running: Weak<Turn>,
    closed: bool,
}

impl Agent {
    /// An idle agent with an empty conversation. Starts nothing.
    ///
    /// # Errors
    /// `invalid_options` for a budget that the model cannot be held to; `locked_by_policy` and `model_not_allowed` for
    /// what policy forbids.
    pub fn new(parts: AgentParts) -> Result<Self> {
        // The mode that every agent has by default is not a wish: a stricter lock takes its place.
        if parts.mode != Mode::default() {
            parts.policy.check_mode(parts.mode)?;
        }
        for model in std::iter::once(&parts.model).chain(&parts.fallbacks) {
            parts.policy.check_model(model.name())?;
            cost::check(&parts.limits, model.as_ref())?;
        }
        let handle = parts.handle.clone();
        Ok(Self(Arc::new(Inner { shared: Arc::new(Shared::new(parts)), turn: Mutex::default(), handle })))
    }

    /// The session.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        self.0.shared.log.session_id()
    }

    /// Starts a turn. It runs from here on, whether or not anybody reads `outlet`.
    ///
    /// # Errors
    /// `closed`; `session_busy` while another turn runs; `invalid_input` for a prompt of the wrong form.
    pub fn prompt(&self, prompt: Prompt, turn_id: TurnId, outlet: Arc<dyn Outlet>) -> Result<()> {
        let content = shown::prompt(prompt)?;
        let mut slot = locked(&self.0.turn);
        if slot.closed {
            return Err(Error::new(ErrorCode::Closed, "the agent is closed; create a new one"));
        }
        if !self.0.shared.set_busy() {
            return Err(Error::new(
                ErrorCode::SessionBusy,
                "a prompt is still running; wait for its `done`, or interrupt it",
            ));
        }
        let turn = Arc::new(Turn::new(turn_id, PromptId::fresh(), outlet, Arc::clone(&self.0.shared)));
        slot.running = Arc::downgrade(&turn);
        drop(slot);
        self.0.handle.spawn(run::run(Running::new(turn), MessageId::fresh(), content));
        Ok(())
    }

    /// Cancels the running turn. True when there was one.
    pub fn interrupt(&self) -> bool {
        self.running().is_some_and(|turn| {
            turn.cancel();
            true
        })
    }

    /// Cancels that turn, if it still runs.
    pub fn cancel(&self, turn_id: &TurnId) {
        if let Some(turn) = self.running().filter(|turn| turn.id == *turn_id) {
            turn.cancel();
        }
    }

    fn running(&self) -> Option<Arc<Turn>> {
        locked(&self.0.turn).running.upgrade().filter(|_| self.0.shared.is_busy())
    }

    /// The mode of the next step.
    ///
    /// # Errors
    /// `locked_by_policy` for one that is freer than a lock allows.
    pub fn set_mode(&self, mode: Mode) -> Result<()> {
        self.0.shared.policy.check_mode(mode)?;
        if let Some(mode) = self.0.shared.set_mode(|_| mode) {
            self.tell(Entry::ModeChanged { mode });
        }
        Ok(())
    }

    /// The mode now.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.0.shared.mode()
    }

    /// The model of the next step.
    ///
    /// # Errors
    /// What the model's maker says: an unknown name, missing credentials; `model_not_allowed`.
    pub fn set_model(&self, name: &str) -> Result<()> {
        let model = (self.0.shared.open_model)(name)?;
        self.0.shared.policy.check_model(model.name())?;
        cost::check(&self.0.shared.limits, model.as_ref())?;
        let name = model.name().to_owned();
        if self.0.shared.set_model(model) {
            self.tell(Entry::ModelChanged { model: name });
        }
        Ok(())
    }

    /// The name of the model that was chosen, also while another carries on for it.
    #[must_use]
    pub fn model(&self) -> String {
        self.0.shared.model().name().to_owned()
    }

    /// The conversation so far, as the next request would show it.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        conversation(&self.0.shared.log.transcript())
    }

    /// What was used so far.
    #[must_use]
    pub fn usage(&self) -> UsageReport {
        self.0.shared.usage()
    }

    /// The session as bytes: history and usage, nothing that is secret or set.
    ///
    /// # Errors
    /// `closed`; `session_busy` while a turn runs; `checkpoint_too_large`.
    pub fn checkpoint(&self) -> Result<Vec<u8>> {
        // Nothing may begin meanwhile.
        let slot = locked(&self.0.turn);
        if slot.closed {
            return Err(Error::new(ErrorCode::Closed, "the agent is closed; make checkpoints before closing it"));
        }
        let shared = &self.0.shared;
        if shared.is_busy() {
            return Err(Error::new(ErrorCode::SessionBusy, "a prompt is still running; wait for its `done`"));
        }
        let checkpoint = Checkpoint::of(&shared.log.transcript(), shared.usage().session);
        drop(slot);
        checkpoint.to_bytes(shared.limits.max_checkpoint_bytes)
    }

    /// The open request of that id.
    ///
    /// # Errors
    /// `request_settled`, `request_not_found`.
    pub fn request(&self, id: &RequestId) -> Result<Arc<Pending>> {
        self.0.shared.requests.get(id)
    }

    /// Whether `close` was called.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        locked(&self.0.turn).closed
    }

    /// Refuses further prompts and cancels the running turn. Does not wait.
    pub fn close(&self) {
        locked(&self.0.turn).closed = true;
        self.interrupt();
    }

    /// Whether no turn runs.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.0.shared.is_over()
    }

    /// Waits until no turn runs.
    pub async fn until_idle(&self) {
        self.0.shared.until_idle().await;
    }

    /// Kills what the agent's commands left, and ends its audit log. Blocking.
    pub fn shut_down(&self) {
        if let Some(workspace) = &self.0.shared.workspace {
            workspace.shut_down();
        }
        if let Some(audit) = &self.0.shared.auditor.audit {
            audit.close();
        }
    }

    /// Appends an entry that belongs to the session; the running turn's reader is told too.
    fn tell(&self, entry: Entry) {
        match self.running() {
            Some(turn) => turn.append(entry),
            None => {
                self.0.shared.auditor.entry(None, &entry);
                self.0.shared.log.append(None, entry, drop);
            }
        }
    }
}

#[cfg(test)]
mod tests;
