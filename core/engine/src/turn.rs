//! A running turn: what its steps share.

use std::sync::{Arc, Mutex};

use lodger_protocol::{Entry, Error, Passing, PromptId, TurnId, Usage};
use lodger_workspace::StopFlag;
use tokio_util::sync::CancellationToken;

use crate::Outlet;
use crate::context::StepContext;
use crate::cost::Cost;
use crate::shared::{Shared, locked};
use crate::spending::Spending;

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
    used: Mutex<Used>,
    /// What it has spent of its budget.
    pub(crate) spending: Arc<Spending>,
}

/// What a turn has used.
#[derive(Default)]
struct Used {
    usage: Usage,
    cost: Cost,
}

impl Turn {
    pub(crate) fn new(id: TurnId, prompt_id: PromptId, outlet: Arc<dyn Outlet>, shared: Arc<Shared>) -> Self {
        let spending = Arc::new(Spending::new(&shared.limits, shared.spends_from.clone()));
        Self {
            id,
            prompt_id,
            outlet,
            shared,
            cancelled: CancellationToken::new(),
            stop: StopFlag::default(),
            failure: Mutex::new(None),
            used: Mutex::default(),
            spending,
        }
    }

    /// Asks the turn to end. Later calls change nothing.
    pub(crate) fn cancel(&self) {
        self.stop.raise();
        self.cancelled.cancel();
    }

    /// Keeps an entry and tells the reader.
    pub(crate) fn append(&self, entry: Entry) {
        self.shared.auditor.entry(Some(&self.id), &entry);
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

    /// Why it was cancelled, when that is a failure.
    pub(crate) fn take_failure(&self) -> Option<Error> {
        locked(&self.failure).take()
    }

    /// What it used so far.
    pub(crate) fn usage(&self) -> Usage {
        locked(&self.used).usage
    }

    /// What it cost so far, where that is known.
    pub(crate) fn cost_usd(&self) -> Option<f64> {
        locked(&self.used).cost.usd()
    }

    /// Adds one reply's usage and tells the reader.
    pub(crate) fn count(&self, context: &StepContext, reply: Usage, cost: Option<f64>) {
        let turn = {
            let mut used = locked(&self.used);
            used.usage += reply;
            used.cost.add(cost);
            used.usage
        };
        let report = self.shared.count(reply, cost, turn, context.model.context_window());
        self.pass(Passing::Usage { report });
    }
}
