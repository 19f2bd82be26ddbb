//! The watchdog that takes the children along when the host dies: one `/bin/sh` in a group of its own.
//!
//! It learns of the host's death by the end of its input. A copy of the host made by `fork` holds that input
//! open too: see [`Lifeline::forget`].

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::os::{GroupSignal, HostMask, Leader, LineSocket};

const SCRIPT: &str = include_str!("lifeline.sh");

pub(super) struct Lifeline {
    run: String,
    mask: HostMask,
    socket: LineSocket,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    watchdog: Option<Watchdog>,
    groups: BTreeSet<i32>,
}

struct Watchdog {
    child: Child,
    leader: Leader,
}

impl Lifeline {
    /// Starts nothing yet.
    pub(super) fn new(run: String, mask: HostMask) -> Self {
        Self { run, mask, socket: LineSocket::new(), state: Mutex::default() }
    }

    /// Sees to it that the watchdog lives. To be called before a child is started.
    pub(super) fn ensure(&self) -> io::Result<()> {
        self.ensure_locked(&mut self.lock())
    }

    /// Names a group that must not outlive the host.
    pub(super) fn add(&self, group: i32) {
        let mut state = self.lock();
        state.groups.insert(group);
        let connected = self.socket.number().is_some();
        if connected && !self.socket.send(&format!("+ {group}\n")) {
            // It died since, or reads no more. A new one is told of every group; without it the run-wide mark
            // in the children's environment is left to find them by.
            self.end_watchdog(&mut state);
            self.ensure_locked(&mut state).ok();
        }
    }

    /// Strikes a group off. To be called when all of it was killed, but before its number can be given away.
    pub(super) fn remove(&self, group: i32) {
        let mut state = self.lock();
        state.groups.remove(&group);
        self.socket.send(&format!("- {group}\n"));
    }

    /// Ends the watchdog without letting it kill anything.
    pub(super) fn end(&self) {
        self.end_watchdog(&mut self.lock());
    }

    /// Closes a forked child's copy of the connection. Takes no lock.
    pub(super) fn forget(&self) {
        self.socket.forget();
    }

    /// The number of the descriptor of the connection.
    pub(super) fn fd(&self) -> Option<i32> {
        self.socket.number()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ensure_locked(&self, state: &mut State) -> io::Result<()> {
        if state.watchdog.as_ref().is_some_and(|watchdog| watchdog.leader.ended().is_none()) {
            return Ok(());
        }
        self.end_watchdog(state);
        let input = self.socket.open()?;
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT, "lodger-lifeline", &self.run])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(input)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let child = self.mask.spawning(|| command.spawn())?;
        let leader = Leader::of(&child);
        state.watchdog = Some(Watchdog { child, leader });
        for group in &state.groups {
            self.socket.send(&format!("+ {group}\n"));
        }
        Ok(())
    }

    fn end_watchdog(&self, state: &mut State) {
        if let Some(mut watchdog) = state.watchdog.take() {
            // First the kill, then the end of its input: it must not take that for the host's death.
            if watchdog.leader.ended().is_none() {
                watchdog.leader.signal_group(GroupSignal::Kill);
            }
            Leader::reap(&mut watchdog.child).ok();
        }
        self.socket.close();
    }
}
