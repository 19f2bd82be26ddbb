//! Moves a command's output from its pipes to whoever takes it, and no faster; watches for its end, for the
//! stop flag and for the clock meanwhile.

use std::fs::File;
use std::future::Future;
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use tokio::sync::mpsc;

use super::os::{Bell, Ended, Leader, Ready, TICK, read_available, wait_for};
use crate::{OutputChunk, OutputStream, StopFlag};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// Why [`Pump::run`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Woke {
    /// The command ended.
    Ended(Ended),
    /// It must be killed: the flag was raised, or nobody is there for its output any more.
    Stopped,
    /// The time is over.
    Time,
    /// What was read is handed over; with [`Until::Dry`], nobody can write more either.
    Dry,
}

/// What [`Pump::run`] waits for, beside its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// The end of the command.
    Ended,
    /// The end of its output.
    Dry,
    /// The chunk that waits for room, if there is one, to be handed over.
    HandedOver,
}

type Pending<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The output side of one running command.
pub(super) struct Pump {
    stdout: Option<File>,
    stderr: Option<File>,
    buffer: Vec<u8>,
    chunk: Option<OutputChunk>,
    output: mpsc::Sender<OutputChunk>,
    room: Option<Pending<Result<mpsc::OwnedPermit<OutputChunk>, mpsc::error::SendError<()>>>>,
    abandoned: Pending<()>,
    is_abandoned: bool,
    stop: StopFlag,
    bell: Arc<Bell>,
    waker: Waker,
    taken: u64,
}

impl Pump {
    /// Our ends of the command's standard output and standard error: both must be set not to block, and a terminal, which
    /// is both, stands for the first. `bell` must be rung when `stop` is raised.
    pub(super) fn new(
        [stdout, stderr]: [Option<File>; 2],
        output: mpsc::Sender<OutputChunk>,
        stop: StopFlag,
        bell: Arc<Bell>,
    ) -> Self {
        let watched = output.clone();
        Self {
            stdout,
            stderr,
            buffer: vec![0; CHUNK],
            chunk: None,
            output,
            room: None,
            abandoned: Box::pin(async move { watched.closed().await }),
            is_abandoned: false,
            stop,
            waker: Waker::from(Arc::clone(&bell)),
            bell,
            taken: 0,
        }
    }

    /// Bytes taken from the pipes so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// The pipes that somebody can still write to, as far as is known.
    pub(super) fn open(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [self.stdout.as_ref().map(AsFd::as_fd), self.stderr.as_ref().map(AsFd::as_fd)]
    }

    /// Hands output over until something happens.
    pub(super) fn run(&mut self, leader: &Leader, what: Until, until: Option<Instant>) -> Woke {
        let mut look = true;
        loop {
            self.bell.quiet();
            if self.is_stopped() {
                return Woke::Stopped;
            }
            self.hand_over();
            if self.is_done(what) {
                return Woke::Dry;
            }
            if what == Until::Ended
                && look
                && let Some(ended) = leader.ended()
            {
                return Woke::Ended(ended);
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Woke::Time;
            }
            look = self.wait(leader, what, until);
        }
    }

    /// Waits and reads. Returns whether the command may have ended.
    fn wait(&mut self, leader: &Leader, what: Until, until: Option<Instant>) -> bool {
        let end = leader.end_fd().filter(|_| what == Until::Ended);
        let must_look = what == Until::Ended && end.is_none();
        let until = if must_look { earlier(until, Instant::now() + TICK) } else { until };
        // While a chunk waits for room the pipes are left alone: the command waits as well.
        let [stdout, stderr] = if self.chunk.is_some() { [None, None] } else { self.open() };
        let [_, ended, out, err] = wait_for([Some(self.bell.as_fd()), end, stdout, stderr], until);
        if out {
            self.chunk = take(&mut self.stdout, &mut self.buffer, OutputStream::Stdout);
            self.count();
            self.hand_over();
        }
        if err && self.chunk.is_none() {
            self.chunk = take(&mut self.stderr, &mut self.buffer, OutputStream::Stderr);
            self.count();
        }
        ended || must_look
    }

    fn is_done(&self, what: Until) -> bool {
        let ended = self.stdout.is_none() && self.stderr.is_none();
        match what {
            Until::Ended => false,
            Until::Dry => self.chunk.is_none() && ended,
            Until::HandedOver => self.chunk.is_none(),
        }
    }

    fn count(&mut self) {
        self.taken += self.chunk.as_ref().map_or(0, |chunk| chunk.bytes.len() as u64);
    }

    fn is_stopped(&mut self) -> bool {
        // A future that is ready must not be polled again: the answer is remembered.
        self.is_abandoned =
            self.is_abandoned || self.abandoned.as_mut().poll(&mut Context::from_waker(&self.waker)).is_ready();
        self.stop.is_raised() || self.is_abandoned
    }

    /// Hands the waiting chunk over if there is room; else sees to it that the bell rings when there is.
    fn hand_over(&mut self) {
        let Some(chunk) = self.chunk.take() else { return };
        let room = self.room.get_or_insert_with(|| Box::pin(self.output.clone().reserve_owned()));
        match room.as_mut().poll(&mut Context::from_waker(&self.waker)) {
            Poll::Pending => self.chunk = Some(chunk),
            Poll::Ready(permit) => {
                self.room = None;
                if let Ok(permit) = permit {
                    permit.send(chunk);
                }
            }
        }
    }
}

fn take(pipe: &mut Option<File>, buffer: &mut [u8], stream: OutputStream) -> Option<OutputChunk> {
    match read_available(pipe.as_mut()?, buffer) {
        Ready::Bytes(count) => Some(OutputChunk { stream, bytes: buffer.get(..count)?.to_vec() }),
        Ready::Nothing => None,
        Ready::End => {
            *pipe = None;
            None
        }
    }
}

fn earlier(one: Option<Instant>, other: Instant) -> Option<Instant> {
    Some(one.map_or(other, |one| one.min(other)))
}
