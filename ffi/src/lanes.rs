//! What the callback thread takes to a host: the requests of a turn, the diagnostics of an agent.

use std::sync::Arc;

use lodger_core::embed::{DiagnosticQueue, LaneItem, Turn};
use lodger_core::protocol::{DiagnosticBody, DiagnosticSink};

use crate::desk::{Desk, Lane, Served};
use crate::dispatch::Dispatcher;
use crate::host::Host;

/// The requests of one turn.
struct Requests {
    turn: Turn,
    host: Arc<Host>,
}

impl Served for Requests {
    fn serve(&self, desk: &Arc<Desk>) -> Lane {
        let mut lane = Lane::Open;
        for item in self.turn.take_lane() {
            match item {
                LaneItem::Opened(request) => self.host.hand_over(request, desk),
                LaneItem::Ended(_) => lane = Lane::Over,
                // A host hears of a withdrawn request by `lodger_request_on_settled`; C holds no loop open.
                LaneItem::Withdrawn(_) | LaneItem::Stalled | LaneItem::Moving => {}
            }
        }
        lane
    }
}

/// Takes the requests of `turn` to `host` from now on.
pub(crate) fn hand_over_requests(dispatcher: &Dispatcher, turn: &Turn, host: &Arc<Host>) {
    let desk = dispatcher.desk();
    let key = desk.fresh_key();
    desk.serve(key, Arc::new(Requests { turn: turn.clone(), host: Arc::clone(host) }));
    turn.attach_requests(dispatcher.mailbox(), key);
}

/// The diagnostics of one agent.
struct Diagnostics {
    queue: DiagnosticQueue,
    host: Arc<Host>,
}

impl Served for Diagnostics {
    fn serve(&self, _: &Arc<Desk>) -> Lane {
        let mut lane = Lane::Open;
        for diagnostic in self.queue.take() {
            if matches!(diagnostic.body, DiagnosticBody::RuntimeExit { .. }) {
                lane = Lane::Over;
            }
            self.host.tell(&diagnostic);
        }
        lane
    }
}

/// The diagnostics of an agent that is being made. Nothing is told unless it is: who gets no agent gets no callback.
pub(crate) struct Watch {
    desk: Arc<Desk>,
    key: u64,
    queue: DiagnosticQueue,
}

impl Watch {
    pub(crate) fn new(dispatcher: &Dispatcher) -> Self {
        let desk = Arc::clone(dispatcher.desk());
        let key = desk.fresh_key();
        let queue = DiagnosticQueue::new(dispatcher.mailbox(), key);
        Self { desk, key, queue }
    }

    /// Where the agent reports to.
    pub(crate) fn sink(&self) -> Arc<dyn DiagnosticSink> {
        Arc::new(self.queue.clone())
    }

    /// Takes to `host` what was reported and what will be.
    pub(crate) fn begin(self, host: &Arc<Host>) {
        self.desk.serve(self.key, Arc::new(Diagnostics { queue: self.queue, host: Arc::clone(host) }));
        self.desk.look_into(self.key);
    }
}
