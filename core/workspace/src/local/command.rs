//! One command from start to end, on a thread of its own.
//!
//! The order at the end is what makes it safe: the leader of the group stays a zombie, so that its number
//! stays ours, until the group was killed and struck off the lifeline's list; only then is it reaped.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use lodger_protocol::{Error, Result};
use tokio::sync::{mpsc, oneshot};

use super::os::{Bell, Ended, GroupSignal, Leader, SignalsBlocked, writers_name};
use super::output::{Pump, Until, Woke};
use super::processes::Table;
use super::registry::Entry;
use super::sandbox::Sandbox;
use super::spawn::{Started, spawn, why_not_started};
use super::sweep::{Mark, holders, sweep};
use crate::{Command, CommandEnd, CommandStatus, OutputChunk, Running, StopFlag};

/// How many chunks wait for the reader at most.
const CHUNKS_AHEAD: usize = 16;
/// How long the rest of the group may keep the output open once the leader has ended.
const DRAIN: Duration = Duration::from_millis(100);
/// How long after TERM comes KILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long a killed leader may take to die before the end is told without it.
const DEATH: Duration = Duration::from_secs(3);
/// What a dead group can have left in one pipe at most.
const MAX_PIPE: u64 = 1024 * 1024;
const STACK: usize = 256 * 1024;

/// A command that is about to be started.
pub(super) struct Job {
    pub(super) command: Command,
    pub(super) cwd: PathBuf,
    pub(super) env: Arc<BTreeMap<String, String>>,
    pub(super) table: Arc<Table>,
    /// Its place in the table; its number is part of its mark.
    pub(super) place: Entry,
    /// Its place in its workspace.
    pub(super) _place_in_workspace: Entry,
    pub(super) stop: StopFlag,
    /// What confines it.
    pub(super) sandbox: Option<Arc<Sandbox>>,
}

/// Starts the thread, and returns at once.
pub(super) fn start(job: Job) -> Result<Running> {
    let bell = Bell::new().map_err(|error| cannot_start(&error))?;
    let stop = job.stop.clone();
    // The flag may outlive the command by far: it must not keep the bell's descriptors.
    let rung = Arc::downgrade(&bell);
    stop.on_raise(move || {
        if let Some(bell) = rung.upgrade() {
            bell.ring();
        }
    });
    let (output, output_of_running) = mpsc::channel(CHUNKS_AHEAD);
    let (end, end_of_running) = oneshot::channel();
    // A new thread inherits the mask: so the host's signals never land on it.
    let blocked = SignalsBlocked::new();
    thread::Builder::new()
        .name("lodger-cmd".to_owned())
        .stack_size(STACK)
        .spawn(move || run(job, bell, output, end))
        .map_err(|error| cannot_start(&error))?;
    drop(blocked);
    Ok(Running { output: output_of_running, end: end_of_running, stop })
}

fn cannot_start(error: &io::Error) -> Error {
    let mut error = Error::internal(format!("the command could not be started, the system refuses more work: {error}"));
    error.retryable = true;
    error
}

fn run(job: Job, bell: Arc<Bell>, output: mpsc::Sender<OutputChunk>, end: oneshot::Sender<CommandEnd>) {
    if job.stop.is_raised() {
        drop(output);
        end.send(CommandEnd { status: CommandStatus::Cancelled, left_behind: Vec::new(), note: None }).ok();
        return;
    }
    match spawn(&job) {
        Ok(Started { child, outputs }) => {
            let leader = Leader::of(&child);
            job.table.lifeline.add(leader.number());
            let pump = Pump::new(outputs, output, job.stop.clone(), bell);
            Supervisor { job, child, leader, pump }.supervise(end);
        }
        Err(error) => {
            let note = Some(why_not_started(&error, &job));
            drop((job, output));
            end.send(CommandEnd { status: CommandStatus::NotStarted, left_behind: Vec::new(), note }).ok();
        }
    }
}

struct Supervisor {
    job: Job,
    child: Child,
    leader: Leader,
    pump: Pump,
}

impl Supervisor {
    fn supervise(mut self, end: oneshot::Sender<CommandEnd>) {
        let deadline = self.job.command.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mark = Mark::of_command(&self.job.table.mark_value(&self.job.place));
        let (killed_as, ended) = self.wait_for_end(deadline);
        let mut left_behind = Vec::new();
        if killed_as.is_none() && self.pump.run(&self.leader, Until::Dry, Some(Instant::now() + DRAIN)) == Woke::Time {
            let outputs: Vec<String> = self.pump.open().into_iter().flatten().filter_map(writers_name).collect();
            left_behind = holders(self.leader.number(), &mark, &outputs);
        }
        if ended != Some(Ended::Unknown) {
            self.leader.signal_group(GroupSignal::Kill);
        }
        self.job.table.lifeline.remove(self.leader.number());
        let Some(ended) = ended else { return self.tell_undead(killed_as, end) };
        Leader::reap(&mut self.child).ok();
        sweep(&mark);
        if killed_as != Some(CommandStatus::Cancelled) {
            self.take_the_rest();
        }
        let status = killed_as.unwrap_or(match ended {
            Ended::Code(code) => CommandStatus::Exited(code),
            Ended::Signal(signal) => CommandStatus::Signalled(signal),
            Ended::Unknown => CommandStatus::Unknown,
        });
        // Its places are free before its end is known: whoever waited for it can start the next one.
        drop((self.job, self.pump));
        end.send(CommandEnd { status, left_behind, note: None }).ok();
    }

    /// Returns what it was killed for, if it was, and how it ended; nothing for a leader that does not die.
    fn wait_for_end(&mut self, deadline: Option<Instant>) -> (Option<CommandStatus>, Option<Ended>) {
        let status = match self.pump.run(&self.leader, Until::Ended, deadline) {
            Woke::Ended(ended) => return (None, Some(ended)),
            Woke::Stopped | Woke::Dry => CommandStatus::Cancelled,
            Woke::Time => {
                self.leader.signal_group(GroupSignal::Terminate);
                let grace = Some(Instant::now() + GRACE);
                if let Woke::Ended(ended) = self.pump.run(&self.leader, Until::Ended, grace) {
                    return (Some(CommandStatus::TimedOut), Some(ended));
                }
                CommandStatus::TimedOut
            }
        };
        self.leader.signal_group(GroupSignal::Kill);
        (Some(status), self.leader.wait(Some(Instant::now() + DEATH)))
    }

    /// Hands over what the dead have left in the pipes. Whoever could still write is not ours any more.
    fn take_the_rest(&mut self) {
        let most = self.pump.taken() + 2 * MAX_PIPE;
        while self.pump.taken() <= most {
            // The reader may take its time; only silence of the pipes is an end.
            if self.pump.run(&self.leader, Until::HandedOver, None) == Woke::Stopped {
                return;
            }
            let before = self.pump.taken();
            let woke = self.pump.run(&self.leader, Until::Dry, Some(Instant::now() + DRAIN));
            if woke != Woke::Time || self.pump.taken() == before {
                return;
            }
        }
    }

    /// The leader hangs in the kernel: its end is told now, and it is reaped whenever it dies.
    fn tell_undead(self, status: Option<CommandStatus>, end: oneshot::Sender<CommandEnd>) {
        let Self { job, mut child, leader, pump } = self;
        drop(pump);
        let note = Some(format!("process {} was killed but hangs in the kernel and has not died yet", leader.number()));
        let status = status.unwrap_or(CommandStatus::Unknown);
        end.send(CommandEnd { status, left_behind: Vec::new(), note }).ok();
        leader.wait(None);
        Leader::reap(&mut child).ok();
        drop(job);
    }
}
