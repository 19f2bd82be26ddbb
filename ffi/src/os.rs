//! The few calls to the operating system, behind one seam.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};

use lodger_core::embed::Runtime;
use lodger_core::protocol::Result;

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

/// A descriptor that is readable while it is raised, closed with its last owner. An engine thread that raises it owns
/// it for that moment: so it never writes to a number that was closed and given to somebody else.
#[cfg(unix)]
pub(crate) struct Signal {
    /// Whether the one byte is on its way; the lock keeps it at one.
    raised: std::sync::Mutex<bool>,
    reader: std::os::unix::net::UnixStream,
    writer: std::os::unix::net::UnixStream,
}

#[cfg(unix)]
impl Signal {
    pub(crate) fn new() -> Result<Self> {
        let pair = || {
            let (reader, writer) = std::os::unix::net::UnixStream::pair()?;
            reader.set_nonblocking(true)?;
            writer.set_nonblocking(true)?;
            Ok(Self { raised: std::sync::Mutex::new(false), reader, writer })
        };
        pair().map_err(|error: std::io::Error| {
            lodger_core::protocol::Error::internal(format!("the system gave no descriptor to wait on: {error}"))
        })
    }

    pub(crate) fn raise(&self) {
        use std::io::Write as _;
        let mut raised = self.raised();
        if !*raised {
            // One byte into an empty socket: there is room, and the other end is ours.
            *raised = (&self.writer).write(&[1]).is_ok();
        }
    }

    pub(crate) fn lower(&self) {
        use std::io::Read as _;
        let mut raised = self.raised();
        if *raised {
            *raised = (&self.reader).read(&mut [0]).is_err();
        }
    }

    pub(crate) fn descriptor(&self) -> c_int {
        use std::os::fd::AsRawFd as _;
        self.reader.as_raw_fd()
    }

    fn raised(&self) -> std::sync::MutexGuard<'_, bool> {
        self.raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Here no descriptor can be waited on.
#[cfg(not(unix))]
pub(crate) enum Signal {}

#[cfg(not(unix))]
impl Signal {
    pub(crate) fn new() -> Result<Self> {
        Err(lodger_core::protocol::Error::new(
            lodger_core::protocol::ErrorCode::Unsupported,
            "this platform has no descriptors to wait on; use lodger_turn_set_waker",
        ))
    }

    pub(crate) fn raise(&self) {
        match *self {}
    }

    pub(crate) fn lower(&self) {
        match *self {}
    }

    pub(crate) fn descriptor(&self) -> c_int {
        match *self {}
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(signal: &Signal) -> Option<usize> {
        use std::io::Read as _;
        (&signal.reader).read(&mut [0; 8]).ok()
    }

    #[test]
    fn it_holds_one_byte_while_it_is_raised_and_none_when_it_is_lowered() {
        let signal = Signal::new().unwrap();
        assert_eq!(read(&signal), None);
        for _ in 0..100_000 {
            signal.raise();
        }
        assert_eq!(read(&signal), Some(1));
        let again = Signal::new().unwrap();
        again.raise();
        again.lower();
        again.lower();
        assert_eq!(read(&again), None);
        again.raise();
        assert_eq!(read(&again), Some(1));
    }
}
