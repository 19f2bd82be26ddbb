//! Events that are pushed: a function of the host gets one after the other, on the callback thread.
//!
//! The queue stays where it is and stays bounded: an event is taken out when the one before was dealt with.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodger_core::embed::{Drained, Turn};
use lodger_core::protocol::Event;

use crate::callback::Context;
use crate::desk::{Desk, Job};
use crate::event::{EventView, LODGER_FLOW_CONTINUE, LODGER_FLOW_PAUSE, lodger_event, lodger_flow};
use crate::gate::Gate;
use crate::handle::give;
use crate::host::Host;

/// So many events in a row, then it is somebody else's turn on the callback thread.
const IN_A_ROW: usize = 64;

/// A function of the host that gets events, with its context.
pub(crate) struct Target {
    pub(crate) function: unsafe extern "C" fn(ctx: *mut c_void, event: *mut lodger_event) -> lodger_flow,
    pub(crate) context: Context,
}

#[derive(Default)]
struct State {
    /// Gone after the last event, so that the host gets its context back then.
    target: Option<Arc<Target>>,
    paused: bool,
    resumes: u64,
}

/// What takes the events of one turn to its listener.
pub(crate) struct Listener {
    turn: Turn,
    host: Arc<Host>,
    desk: Arc<Desk>,
    /// Shut when the turn is freed.
    gate: Gate,
    state: Mutex<State>,
}

impl Listener {
    pub(crate) fn new(turn: Turn, host: Arc<Host>, desk: Arc<Desk>, target: Target) -> Arc<Self> {
        let state = State { target: Some(Arc::new(target)), ..State::default() };
        Arc::new(Self { turn, host, desk, gate: Gate::default(), state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to push what is there, and what will come.
    pub(crate) fn start(self: &Arc<Self>) {
        // Not itself: the turn would keep its listener, and the listener its turn.
        let weak = Arc::downgrade(self);
        self.turn.set_waker(Box::new(move || {
            if let Some(listener) = weak.upgrade() {
                listener.desk.post(listener.job());
            }
        }));
    }

    /// No event is pushed any more; a call under way may finish.
    pub(crate) fn stop(&self) {
        self.gate.shut();
    }

    /// Takes a pause back, also one that the listener is about to ask for.
    pub(crate) fn resume(self: &Arc<Self>) {
        let was_paused = {
            let mut state = self.state();
            state.resumes += 1;
            std::mem::take(&mut state.paused)
        };
        if was_paused {
            self.desk.post(self.job());
        }
    }

    fn job(self: &Arc<Self>) -> Job {
        let weak = Arc::downgrade(self);
        Box::new(move || {
            if let Some(listener) = weak.upgrade() {
                listener.pump();
            }
        })
    }

    /// Pushes until there is nothing more, the host has enough, or others have waited long enough.
    fn pump(self: &Arc<Self>) {
        loop {
            for _ in 0..IN_A_ROW {
                let (target, resumes) = {
                    let state = self.state();
                    match &state.target {
                        Some(target) if !state.paused => (Arc::clone(target), state.resumes),
                        _ => return,
                    }
                };
                match self.turn.drain(1) {
                    Drained::Events(events) => {
                        for event in events {
                            self.push(&target, event, resumes);
                        }
                    }
                    Drained::Empty => return,
                    Drained::End => return self.let_go(),
                }
            }
            // The rest of a turn that is over is short, and whoever closes the agent waits for it.
            if self.desk.post_unless(|| self.turn.has_ended(), || self.job()) {
                return;
            }
        }
    }

    fn push(&self, target: &Target, event: Arc<Event>, resumes: u64) {
        let mut flow = None;
        if let Some(_pass) = self.gate.enter() {
            self.host.gate.pass(|| {
                let event = give::<lodger_event>(EventView::from(event));
                // SAFETY: the host's function with the host's pointer, which `target` keeps; the event is the host's
                // from here on.
                target.context.call(|ctx| flow = Some(unsafe { (target.function)(ctx, event) }));
            });
        }
        match flow {
            Some(LODGER_FLOW_CONTINUE) => {}
            Some(LODGER_FLOW_PAUSE) => {
                let mut state = self.state();
                state.paused = state.resumes == resumes;
            }
            // What is not understood ends the turn rather than going on.
            Some(_) => self.turn.cancel(),
            None => self.let_go(),
        }
    }

    /// Gives the host its context back, outside the lock.
    fn let_go(&self) {
        let target = self.state().target.take();
        drop(target);
    }
}
