//! A gate before the host's callbacks: once shut, none starts any more.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Default)]
struct State {
    shut: bool,
    inside: usize,
}

/// Lets callbacks through until it is shut.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    left: Condvar,
}

/// Leave to run one callback; gives it back when dropped.
pub(crate) struct Pass<'a>(&'a Gate);

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leave to run a callback, or `None` when the gate is shut.
    pub(crate) fn enter(&self) -> Option<Pass<'_>> {
        let mut state = self.state();
        if state.shut {
            return None;
        }
        state.inside += 1;
        Some(Pass(self))
    }

    /// Runs a callback, unless the gate is shut.
    pub(crate) fn pass(&self, callback: impl FnOnce()) {
        if let Some(_pass) = self.enter() {
            callback();
        }
    }

    /// Lets nothing in any more.
    pub(crate) fn shut(&self) {
        self.state().shut = true;
    }

    /// Lets nothing in any more and waits for what is inside. False when that took too long.
    pub(crate) fn shut_and_wait(&self, until: Instant) -> bool {
        let mut state = self.state();
        state.shut = true;
        while state.inside > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return false;
            }
            state = self.left.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.0.state().inside -= 1;
        self.0.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn nothing_enters_a_shut_gate() {
        let gate = Gate::default();
        assert!(gate.enter().is_some());
        gate.shut();
        assert!(gate.enter().is_none());
    }

    #[test]
    fn shutting_waits_for_what_is_inside_but_not_for_ever() {
        let gate = Gate::default();
        let pass = gate.enter().unwrap();
        assert!(!gate.shut_and_wait(Instant::now()));
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| gate.shut_and_wait(Instant::now() + Duration::from_secs(60)));
            drop(pass);
            assert!(waiter.join().unwrap());
        });
    }
}
