//! The events of one turn on their way to its one reader: bounded by holding back the sources, lossless.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lodger_protocol::{Error, ErrorCode, Event, EventBody, Passing, Result, TurnResult};
use tokio::sync::Notify;

use super::locked;

/// A source is read only while fewer events wait.
const MAX_EVENTS: usize = 256;
/// A source is read only while fewer bytes wait.
const MAX_BYTES: usize = 1024 * 1024;
/// A source that waits goes on when half of that is free, lest it and its reader wake each other for every event.
const RESUME_AT: usize = 2;

/// What a drain finds.
#[derive(Debug)]
pub enum Drained {
    /// Events, in order.
    Events(Vec<Arc<Event>>),
    /// Nothing now; the bell rings once when there is something.
    Empty,
    /// The turn is over and everything was read.
    End,
}

/// The queue of one turn.
pub(super) struct Queue {
    state: Mutex<State>,
    more: Condvar,
    room: Notify,
    over: Condvar,
}

#[derive(Default)]
struct State {
    events: VecDeque<(Arc<Event>, usize)>,
    bytes: usize,
    /// Comes with the last event.
    result: Option<TurnResult>,
    armed: bool,
    has_reader: bool,
    /// A thread waits in `read`: telling `more` is a call of the kernel, which no event may cost for nothing.
    is_awaited: bool,
    takes: u64,
}

impl State {
    fn has_room(&self) -> bool {
        self.has_ended() || (self.events.len() < MAX_EVENTS && self.bytes < MAX_BYTES)
    }

    fn has_ended(&self) -> bool {
        self.result.is_some()
    }

    fn has_much_room(&self) -> bool {
        self.has_ended() || (self.events.len() <= MAX_EVENTS / RESUME_AT && self.bytes <= MAX_BYTES / RESUME_AT)
    }

    fn take(&mut self, max: usize) -> Option<Vec<Arc<Event>>> {
        let count = self.events.len().min(max.max(1));
        let taken: Vec<_> = self
            .events
            .drain(..count)
            .map(|(event, bytes)| {
                self.bytes -= bytes;
                event
            })
            .collect();
        (!taken.is_empty()).then_some(taken)
    }
}

impl Queue {
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), more: Condvar::new(), room: Notify::new(), over: Condvar::new() }
    }

    /// Takes an event. True: the reader is to be woken. Nothing comes after the last one.
    pub(super) fn push(&self, event: Arc<Event>) -> bool {
        let bytes = size_of(&event);
        let mut state = locked(&self.state);
        self.push_locked(&mut state, event, bytes)
    }

    /// Takes the last event, and what the turn came to.
    pub(super) fn finish(&self, done: Arc<Event>, result: TurnResult) -> bool {
        let bytes = size_of(&done);
        let mut state = locked(&self.state);
        let wake = self.push_locked(&mut state, done, bytes);
        state.result.get_or_insert(result);
        self.room.notify_waiters();
        self.over.notify_all();
        wake
    }

    fn push_locked(&self, state: &mut State, event: Arc<Event>, bytes: usize) -> bool {
        if state.has_ended() {
            return false;
        }
        state.bytes += bytes;
        state.events.push_back((event, bytes));
        if std::mem::take(&mut state.is_awaited) {
            self.more.notify_all();
        }
        std::mem::take(&mut state.armed)
    }

    /// Whether nothing more will come.
    pub(super) fn has_ended(&self) -> bool {
        locked(&self.state).has_ended()
    }

    /// What the turn came to, once it is over.
    pub(super) fn result(&self) -> Option<TurnResult> {
        locked(&self.state).result.clone()
    }

    /// Waits for what the turn comes to; `None` when the time is over.
    pub(super) fn wait(&self, timeout: Option<Duration>) -> Option<TurnResult> {
        let until = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = locked(&self.state);
        while !state.has_ended() {
            state = wait_for(&self.over, state, until)?;
        }
        state.result.clone()
    }

    pub(super) fn has_room(&self) -> bool {
        locked(&self.state).has_room()
    }

    /// How many events, and about how many bytes of them, wait for the reader.
    pub(super) fn unread(&self) -> (u64, u64) {
        let state = locked(&self.state);
        (state.events.len() as u64, state.bytes as u64)
    }

    /// Waits for room; `while_waiting` is told when the wait begins (true) and ends (false).
    pub(super) async fn until_room(&self, stall: Duration, while_waiting: impl Fn(bool)) -> Result<()> {
        if self.has_room() {
            return Ok(());
        }
        while_waiting(true);
        let outcome = self.until_much_room(stall).await;
        while_waiting(false);
        outcome
    }

    async fn until_much_room(&self, stall: Duration) -> Result<()> {
        let mut takes = locked(&self.state).takes;
        loop {
            // Listening must begin before looking, else a drain in between is missed.
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            if locked(&self.state).has_much_room() {
                return Ok(());
            }
            if tokio::time::timeout(stall, room).await.is_err() {
                let before = std::mem::replace(&mut takes, locked(&self.state).takes);
                if before == takes {
                    return Err(Error::new(
                        ErrorCode::ConsumerStalled,
                        format!(
                            "nobody read the full event queue for {} ms; read the turn, or await it",
                            stall.as_millis()
                        ),
                    ));
                }
            }
        }
    }

    /// Takes up to `max` events, or arms the bell.
    pub(super) fn drain(&self, max: usize) -> Drained {
        let mut state = locked(&self.state);
        let taken = state.take(max);
        self.after_take(&mut state, taken)
    }

    /// The same, waiting for the first event; `Empty`, with the bell armed, when the time is over.
    pub(super) fn read(&self, max: usize, timeout: Option<Duration>) -> Drained {
        let until = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = locked(&self.state);
        loop {
            if let Some(taken) = state.take(max) {
                return self.after_take(&mut state, Some(taken));
            }
            if state.has_ended() {
                return Drained::End;
            }
            state.is_awaited = true;
            state = match wait_for(&self.more, state, until) {
                Some(state) => state,
                None => return self.drain(max),
            };
        }
    }

    fn after_take(&self, state: &mut State, taken: Option<Vec<Arc<Event>>>) -> Drained {
        match taken {
            Some(events) => {
                // A slow reader is a reader all the same: whoever waits for room begins to count anew.
                state.takes += 1;
                if state.has_much_room() {
                    self.room.notify_waiters();
                }
                Drained::Events(events)
            }
            None if state.has_ended() => Drained::End,
            None => {
                state.armed = true;
                Drained::Empty
            }
        }
    }

    /// Arms the bell, unless there is something to ring for already.
    pub(super) fn arm(&self) -> bool {
        let mut state = locked(&self.state);
        let ready = !state.events.is_empty() || state.has_ended();
        state.armed = !ready;
        ready
    }

    /// Takes the reader's place. False when it is taken.
    pub(super) fn claim(&self) -> bool {
        !std::mem::replace(&mut locked(&self.state).has_reader, true)
    }

    pub(super) fn has_reader(&self) -> bool {
        locked(&self.state).has_reader
    }
}

/// Waits to be told; `None` when the time is over.
fn wait_for<'a>(told: &Condvar, state: MutexGuard<'a, State>, until: Option<Instant>) -> Option<MutexGuard<'a, State>> {
    let Some(until) = until else {
        return Some(told.wait(state).unwrap_or_else(PoisonError::into_inner));
    };
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return None;
    }
    Some(told.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0)
}

/// About how many bytes an event is as JSON.
fn size_of(event: &Event) -> usize {
    const ENVELOPE: usize = 160;
    let body = match &event.body {
        EventBody::Passing(
            Passing::TextDelta { text, .. }
            | Passing::ThinkingDelta { text, .. }
            | Passing::ToolInputDelta { text, .. }
            | Passing::ToolProgress { chunk: text, .. },
        ) => text.len(),
        other => {
            let mut counter = Counter(0);
            // Writing into a counter cannot fail, and every event can be written.
            let _ = serde_json::to_writer(&mut counter, other);
            counter.0
        }
    };
    ENVELOPE + body
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
