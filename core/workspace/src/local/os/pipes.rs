//! Waiting for several descriptors at once, and the bell that ends the wait.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::task::Wake;
use std::time::{Duration, Instant};

use nix::sys::socket::{MsgFlags, send};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl, fstat};

use super::terminal::terminal_of;

/// Makes reads return at once when there is nothing to read.
pub(in crate::local) fn set_nonblocking(fd: impl AsFd) -> io::Result<()> {
    fcntl_setfl(&fd, fcntl_getfl(&fd)? | OFlags::NONBLOCK)?;
    Ok(())
}

/// What `/proc` calls the other end of a pipe, or of a terminal, in the lists of open descriptors.
pub(in crate::local) fn writers_name(fd: impl AsFd) -> Option<String> {
    match terminal_of(&fd) {
        Some(path) => Some(path),
        None => fstat(fd).ok().map(|stat| format!("pipe:[{}]", stat.st_ino)),
    }
}

/// What a read that does not block found.
pub(in crate::local) enum Ready {
    /// So many bytes.
    Bytes(usize),
    /// Nothing at the moment.
    Nothing,
    /// Nobody can write any more.
    End,
}

/// Reads what is there.
pub(in crate::local) fn read_available(source: &mut impl Read, buffer: &mut [u8]) -> Ready {
    loop {
        match source.read(buffer) {
            Ok(0) => return Ready::End,
            Ok(count) => return Ready::Bytes(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ready::Nothing,
            Err(_) => return Ready::End,
        }
    }
}

/// Waits until one of the descriptors can be read or is at its end, or `until` has come. Returns which.
pub(in crate::local) fn wait_for<const N: usize>(
    fds: [Option<BorrowedFd<'_>>; N],
    until: Option<Instant>,
) -> [bool; N] {
    let mut ready = [false; N];
    let mut polled: Vec<PollFd<'_>> =
        fds.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let timeout = until.map(|until| timespec(until.saturating_duration_since(Instant::now())));
    // An error (EINTR at most, as all signals are blocked) reads as "nothing yet": the caller looks again.
    if poll(&mut polled, timeout.as_ref()).is_ok() {
        let mut results = polled.iter();
        for (index, _) in fds.iter().enumerate().filter(|(_, fd)| fd.is_some()) {
            ready[index] = results.next().is_some_and(|fd| !fd.revents().is_empty());
        }
    }
    ready
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}

/// Wakes the one thread that waits for it, from any thread.
///
/// It holds both ends of its pipe: whoever rings after that thread has gone meets no broken pipe, which would
/// raise SIGPIPE in the host.
pub(in crate::local) struct Bell {
    reader: PipeReader,
    writer: PipeWriter,
}

impl Bell {
    pub(in crate::local) fn new() -> io::Result<Arc<Self>> {
        let (reader, writer) = io::pipe()?;
        set_nonblocking(&reader)?;
        set_nonblocking(&writer)?;
        Ok(Arc::new(Self { reader, writer }))
    }

    /// Never blocks; a full pipe has woken the thread already.
    pub(in crate::local) fn ring(&self) {
        (&self.writer).write_all(&[1]).ok();
    }

    /// Takes back all rings so far.
    pub(in crate::local) fn quiet(&self) {
        let mut bytes = [0; 64];
        while matches!((&self.reader).read(&mut bytes), Ok(count) if count == bytes.len()) {}
    }

    pub(in crate::local) fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.ring();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ring();
    }
}

/// Our end of a connection to a child that reads lines. A number and no owned descriptor, so that a forked
/// copy of the host can close its copy without the lock that another thread may have held at the fork.
pub(in crate::local) struct LineSocket(AtomicI32);

/// A full or broken connection is an answer, and neither a wait nor a signal.
#[cfg(not(target_vendor = "apple"))]
const SEND: MsgFlags = MsgFlags::MSG_NOSIGNAL.union(MsgFlags::MSG_DONTWAIT);
#[cfg(target_vendor = "apple")]
const SEND: MsgFlags = MsgFlags::MSG_DONTWAIT;

/// No connection at the moment.
const NONE: i32 = -1;
/// No connection, and never one again.
const FORGOTTEN: i32 = -2;

impl LineSocket {
    pub(in crate::local) const fn new() -> Self {
        Self(AtomicI32::new(NONE))
    }

    /// Closes what was open and makes a new connection; the returned end is for the child.
    pub(in crate::local) fn open(&self) -> io::Result<UnixStream> {
        self.close();
        let (ours, theirs) = UnixStream::pair()?;
        #[cfg(target_vendor = "apple")]
        rustix::net::sockopt::set_socket_nosigpipe(&ours, true)?;
        let fd = ours.into_raw_fd();
        if self.0.compare_exchange(NONE, fd, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            nix::unistd::close(fd).ok();
            return Err(io::ErrorKind::NotConnected.into());
        }
        Ok(theirs)
    }

    /// Whether the whole line went out. Never blocks, and never raises SIGPIPE.
    pub(in crate::local) fn send(&self, line: &str) -> bool {
        let fd = self.0.load(Ordering::SeqCst);
        fd >= 0 && send(fd, line.as_bytes(), SEND) == Ok(line.len())
    }

    pub(in crate::local) fn close(&self) {
        let fd = self.0.load(Ordering::SeqCst);
        if fd >= 0 && self.0.compare_exchange(fd, NONE, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            nix::unistd::close(fd).ok();
        }
    }

    /// Closes what was open; nothing is ever opened again.
    pub(in crate::local) fn forget(&self) {
        let fd = self.0.swap(FORGOTTEN, Ordering::SeqCst);
        if fd >= 0 {
            nix::unistd::close(fd).ok();
        }
    }

    pub(in crate::local) fn number(&self) -> Option<i32> {
        Some(self.0.load(Ordering::SeqCst)).filter(|fd| *fd >= 0)
    }
}

impl Drop for LineSocket {
    fn drop(&mut self) {
        self.close();
    }
}
