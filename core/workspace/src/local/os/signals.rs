//! Signal masks of single threads. Dispositions belong to the host and are never touched.

use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// While it lives, the host's signals do not land on this thread, nor on threads that are made by it.
///
/// Faults of the thread itself stay open, so that the host's crash handler still sees them.
#[must_use = "dropping it opens the thread to signals again"]
pub struct SignalsBlocked(Option<SigSet>);

impl SignalsBlocked {
    /// Blocks them on this thread.
    pub fn new() -> Self {
        let mut mask = SigSet::all();
        for fault in [Signal::SIGSEGV, Signal::SIGBUS, Signal::SIGFPE, Signal::SIGILL, Signal::SIGTRAP] {
            mask.remove(fault);
        }
        Self(mask.thread_swap_mask(SigmaskHow::SIG_SETMASK).ok())
    }
}

impl Default for SignalsBlocked {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            before.thread_set_mask().ok();
        }
    }
}

/// Runs `spawn` with an empty mask, since a child inherits the mask of the thread that starts it.
pub(in crate::local) fn with_no_signal_blocked<T>(spawn: impl FnOnce() -> T) -> T {
    let before = SigSet::empty().thread_swap_mask(SigmaskHow::SIG_SETMASK);
    let out = spawn();
    if let Ok(before) = before {
        before.thread_set_mask().ok();
    }
    out
}
