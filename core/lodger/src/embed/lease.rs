//! What an agent holds of its runtime, given back once: whoever closes while another does waits for the same end.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use lodger_protocol::Result;

use super::locked;
use super::runtime::Runtime;

type Callback = Box<dyn FnOnce() + Send>;

/// A callback that is called once, in whatever way what it waits for ends.
pub(super) struct Told(Option<Callback>);

impl Told {
    pub(super) const fn new(callback: Callback) -> Self {
        Self(Some(callback))
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        if let Some(callback) = self.0.take() {
            callback();
        }
    }
}

enum State {
    Held(Runtime),
    Closing(Vec<Told>),
    Closed,
}

/// An agent's hold of its runtime. Cheap to clone; all clones are the same hold.
#[derive(Clone)]
pub(super) struct Lease(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    closed: Condvar,
}

impl Lease {
    pub(super) fn new(runtime: Runtime) -> Self {
        Self(Arc::new(Inner { state: Mutex::new(State::Held(runtime)), closed: Condvar::new() }))
    }

    /// Refuses what would never run on the runtime that is held. Whether the agent is closed is its own to say.
    pub(super) fn check_usable(&self) -> Result<()> {
        match &*locked(&self.0.state) {
            State::Held(runtime) => runtime.check_usable(),
            State::Closing(_) | State::Closed => Ok(()),
        }
    }

    /// Begins to close. `None` when somebody has begun before.
    pub(super) fn begin(&self) -> Option<Closing> {
        let mut state = locked(&self.0.state);
        match std::mem::replace(&mut *state, State::Closing(Vec::new())) {
            State::Held(runtime) => Some(Closing { lease: self.clone(), runtime: Some(runtime) }),
            other => {
                *state = other;
                None
            }
        }
    }

    /// Waits until it is closed. False when the time is over.
    pub(super) fn wait(&self, timeout: Duration) -> bool {
        let open = |state: &mut State| !matches!(state, State::Closed);
        let waited = self.0.closed.wait_timeout_while(locked(&self.0.state), timeout, open);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Tells somebody once it is closed; at once if it is already.
    pub(super) fn on_closed(&self, told: Told) {
        if let State::Closing(waiting) = &mut *locked(&self.0.state) {
            waiting.push(told);
            return;
        }
        drop(told);
    }
}

/// A hold that is being given up. When this is dropped, it is closed.
pub(super) struct Closing {
    lease: Lease,
    runtime: Option<Runtime>,
}

impl Closing {
    pub(super) fn runtime(&self) -> Option<&Runtime> {
        self.runtime.as_ref()
    }

    /// Stops the runtime if nobody else uses it, waiting for its threads.
    pub(super) fn release(mut self, timeout: Duration) {
        if let Some(runtime) = self.runtime.take() {
            runtime.release(timeout);
        }
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        drop(self.runtime.take());
        let before = std::mem::replace(&mut *locked(&self.lease.0.state), State::Closed);
        self.lease.0.closed.notify_all();
        // Callbacks run when no lock is held.
        drop(before);
    }
}
