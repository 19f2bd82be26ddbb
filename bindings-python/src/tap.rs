//! The descriptor that wakes an event loop: engine threads ring it, the loop watches it.
//!
//! Whoever rings and whoever watches share it by `Arc`: a descriptor that was closed under the engine's hands could be
//! somebody else's by the next write. Must never block and never fail its caller: a tap that is rung already is as good.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// One descriptor to watch.
pub(crate) enum Tap {
    /// A counter in the kernel: the cheapest.
    #[cfg(target_os = "linux")]
    Counter(std::os::fd::OwnedFd),
    /// A pair of sockets, for systems without such a counter and for loops that can only receive from sockets.
    Sockets {
        /// What the loop watches.
        near: UnixStream,
        /// What the engine writes to.
        far: UnixStream,
    },
}

impl Tap {
    /// The cheapest tap of the system, or one that is a socket.
    pub(crate) fn open(socket: bool) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if !socket {
            use rustix::event::{EventfdFlags, eventfd};
            return Ok(Self::Counter(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?));
        }
        let _ = socket;
        let (near, far) = UnixStream::pair()?;
        near.set_nonblocking(true)?;
        far.set_nonblocking(true)?;
        Ok(Self::Sockets { near, far })
    }

    /// Makes the descriptor readable. From any thread.
    pub(crate) fn ring(&self) {
        // A full counter or socket is readable already, and an interrupted call cannot happen: engine threads take no
        // signals.
        match self {
            #[cfg(target_os = "linux")]
            Self::Counter(counter) => drop(rustix::io::write(counter, &1_u64.to_ne_bytes())),
            Self::Sockets { far, .. } => drop((&mut &*far).write(&[1])),
        }
    }

    /// Makes it unreadable again, before the mailbox is looked into: a ring in between costs one look too many, the
    /// other order would lose it.
    pub(crate) fn quiet(&self) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Counter(counter) => drop(rustix::io::read(counter, &mut [0; 8])),
            Self::Sockets { near, .. } => {
                let mut rings = [0; 64];
                while matches!((&mut &*near).read(&mut rings), Ok(read) if read == rings.len()) {}
            }
        }
    }

    /// Waits until it is rung, or for that long; `Interrupted` when a signal came.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> io::Result<()> {
        // More seconds than the system can count are for ever.
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        poll(&mut [PollFd::from_borrowed_fd(self.watched(), PollFlags::IN)], timeout.as_ref())?;
        Ok(())
    }

    /// What the loop watches.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.watched().as_raw_fd()
    }

    fn watched(&self) -> BorrowedFd<'_> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Counter(counter) => counter.as_fd(),
            Self::Sockets { near, .. } => near.as_fd(),
        }
    }
}
