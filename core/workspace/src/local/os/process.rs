//! One child that leads a process group: whether it ended, and signals to its group.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

use super::pipes::wait_for;

/// How often an ended child is looked for where the system cannot tell.
pub(in crate::local) const TICK: Duration = Duration::from_millis(20);

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::local) enum Ended {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// The host reaped it, or ignores SIGCHLD: nobody knows.
    Unknown,
}

/// What a group is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::local) enum GroupSignal {
    /// Please end.
    Terminate,
    /// End now.
    Kill,
}

/// A child that leads the process group of its own number. It is not reaped here: as long as it is a zombie,
/// the number of its group cannot be given to somebody else.
pub(in crate::local) struct Leader {
    pid: Pid,
    ended: Option<OwnedFd>,
}

impl Leader {
    /// `child` must lead a process group of its own, or be about to, and must not have been waited for.
    pub(in crate::local) fn of(child: &Child) -> Self {
        let pid = Pid::from_child(child);
        Self { pid, ended: end_descriptor(pid) }
    }

    /// The number of the process and of its group.
    pub(in crate::local) fn number(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Readable once the process has ended. `None` where the system has no such thing: look again soon.
    pub(in crate::local) fn end_fd(&self) -> Option<BorrowedFd<'_>> {
        self.ended.as_ref().map(AsFd::as_fd)
    }

    /// How it ended, if it has. Does not reap.
    pub(in crate::local) fn ended(&self) -> Option<Ended> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        loop {
            return match waitid(WaitId::Pid(self.pid), options) {
                Ok(None) => None,
                Ok(Some(status)) => Some(match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Ended::Code(code),
                    (None, Some(signal)) => Ended::Signal(signal),
                    (None, None) => Ended::Unknown,
                }),
                Err(Errno::INTR) => continue,
                Err(_) => Some(Ended::Unknown),
            };
        }
    }

    /// Waits for its end. Does not reap. `None` when `until` has come first.
    pub(in crate::local) fn wait(&self, until: Option<Instant>) -> Option<Ended> {
        loop {
            if let Some(ended) = self.ended() {
                return Some(ended);
            }
            let now = Instant::now();
            if until.is_some_and(|until| now >= until) {
                return None;
            }
            let tick = now + TICK;
            let until = if self.ended.is_some() { until } else { Some(until.map_or(tick, |until| until.min(tick))) };
            wait_for([self.end_fd()], until);
        }
    }

    /// Signals the whole group. Must not be called once the leader was reaped.
    pub(in crate::local) fn signal_group(&self, signal: GroupSignal) {
        let signal = match signal {
            GroupSignal::Terminate => Signal::TERM,
            GroupSignal::Kill => Signal::KILL,
        };
        // One that is to lead a session of its own has no group before that: then it is alone.
        if kill_process_group(self.pid, signal) == Err(Errno::SRCH) {
            kill_process(self.pid, signal).ok();
        }
    }

    /// Takes an ended child away. An error means that somebody else did.
    pub(in crate::local) fn reap(child: &mut Child) -> io::Result<()> {
        child.wait().map(drop)
    }
}

#[cfg(target_os = "linux")]
fn end_descriptor(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn end_descriptor(_: Pid) -> Option<OwnedFd> {
    None
}
