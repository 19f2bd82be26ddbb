//! The few calls to the operating system, behind one seam.

use std::sync::atomic::{AtomicU32, Ordering};

use lodger_core::embed::Runtime;

/// The process that runs this. It differs after a fork.
///
/// Whoever asks first in a forked child lets go of what the copy would keep alive: the library has no hook that runs
/// at a fork, since those are the host's.
pub(crate) fn process_id() -> u32 {
    static LAST_SEEN: AtomicU32 = AtomicU32::new(0);
    let now = std::process::id();
    let before = LAST_SEEN.load(Ordering::Relaxed);
    if before != now && LAST_SEEN.swap(now, Ordering::Relaxed) != 0 {
        Runtime::forget_after_fork();
    }
    now
}

/// Blocks all signals on this thread, so that the host's handlers never run on a thread of ours.
#[cfg(unix)]
pub(crate) fn block_signals() {
    // It fails only for arguments that this call does not have.
    let _ = nix::sys::signal::SigSet::all().thread_block();
}

/// There are no signals to block.
#[cfg(not(unix))]
pub(crate) fn block_signals() {}
