//! The descriptor that wakes an event loop: engine threads ring it, the loop watches it.
//!
//! Whoever rings and whoever watches share it by `Arc`: a descriptor that was closed under the engine's hands could be
//! somebody else's by the next write. Must never block and never fail its caller: a tap that is rung already is as good.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::net::UnixStream;

/// One descriptor to watch.
pub(crate) enum Tap {
    /// A counter in the kernel: the cheapest.
    #[cfg(target_os = "linux")]
    Counter(nix::sys::eventfd::EventFd),
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
            use nix::sys::eventfd::{EfdFlags, EventFd};
            let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
            return Ok(Self::Counter(EventFd::from_value_and_flags(0, flags)?));
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
            Self::Counter(counter) => drop(counter.write(1)),
            Self::Sockets { far, .. } => drop((&mut &*far).write(&[1])),
        }
    }

    /// Makes it unreadable again, before the mailbox is looked into: a ring in between costs one look too many, the
    /// other order would lose it.
    pub(crate) fn quiet(&self) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Counter(counter) => drop(counter.read()),
            Self::Sockets { near, .. } => {
                let mut rings = [0; 64];
                while matches!((&mut &*near).read(&mut rings), Ok(read) if read == rings.len()) {}
            }
        }
    }

    /// What the loop watches.
    pub(crate) fn descriptor(&self) -> RawFd {
        match self {
            #[cfg(target_os = "linux")]
            Self::Counter(counter) => counter.as_raw_fd(),
            Self::Sockets { near, .. } => near.as_raw_fd(),
        }
    }
}
