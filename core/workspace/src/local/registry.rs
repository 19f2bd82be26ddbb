//! Who runs at the moment: counted, bounded, and stopped together.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lodger_protocol::{Error, ErrorCode, Result};

use crate::StopFlag;

/// The running commands of one owner.
pub(super) struct Registry {
    limit: usize,
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    closed: bool,
    next: u64,
    running: BTreeMap<u64, StopFlag>,
}

/// A place among the running; given back when dropped.
pub(super) struct Entry {
    registry: Arc<Registry>,
    number: u64,
}

impl Registry {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, state: Mutex::default(), left: Condvar::new() })
    }

    /// Takes a place for something that `stop` ends.
    pub(super) fn enter(self: &Arc<Self>, stop: &StopFlag) -> Result<Entry> {
        let mut state = self.lock();
        if state.closed {
            return Err(Error::new(ErrorCode::Closed, "no command can be started: the workspace was shut down"));
        }
        if state.running.len() >= self.limit {
            let mut error = Error::invalid_input(format!(
                "{} commands are running already, which is the limit; wait until one of them has ended",
                self.limit
            ));
            error.retryable = true;
            return Err(error);
        }
        state.next += 1;
        let number = state.next;
        state.running.insert(number, stop.clone());
        Ok(Entry { registry: Arc::clone(self), number })
    }

    pub(super) fn running(&self) -> usize {
        self.lock().running.len()
    }

    /// Lets nobody in any more and stops those who are in. Waits until they have left, but no longer than
    /// `patience`.
    pub(super) fn close(&self, patience: Duration) {
        let stops: Vec<StopFlag> = {
            let mut state = self.lock();
            state.closed = true;
            state.running.values().cloned().collect()
        };
        stops.iter().for_each(StopFlag::raise);
        let state = self.lock();
        drop(self.left.wait_timeout_while(state, patience, |state| !state.running.is_empty()));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// Unique within the registry.
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.registry.lock().running.remove(&self.number);
        self.registry.left.notify_all();
    }
}
