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

/// The mask of the thread of the host that made a runtime: what its children inherit as if it had started them
/// itself.
///
/// An empty mask would not do. A host that blocks a signal in all its threads, to wait for it by `sigwait` or a
/// descriptor, would be killed by it if it came while ours is open.
#[derive(Clone, Copy)]
pub(in crate::local) struct HostMask(SigSet);

impl HostMask {
    pub(in crate::local) fn of_this_thread() -> Self {
        Self(SigSet::thread_get_mask().unwrap_or_else(|_| SigSet::empty()))
    }

    /// Runs `spawn` under this mask, since a child inherits the mask of the thread that starts it.
    pub(in crate::local) fn spawning<T>(self, spawn: impl FnOnce() -> T) -> T {
        let before = self.0.thread_swap_mask(SigmaskHow::SIG_SETMASK);
        let out = spawn();
        if let Ok(before) = before {
            before.thread_set_mask().ok();
        }
        out
    }
}
