//! The log of a session: gives every event its number and time, and keeps the entries.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Kept;
use lodger_protocol::{Clock, Entry, Event, EventBody, PROTOCOL_VERSION, Passing, SessionId, TurnId};

/// The entries of a session so far, oldest first. Cheap to clone while nothing is appended.
pub type Transcript = Arc<Vec<Arc<Event>>>;

/// Numbers events, keeps entries. Appending is done before anybody is told.
pub struct SessionLog {
    session_id: SessionId,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

struct State {
    last_seq: u64,
    entries: Transcript,
}

impl SessionLog {
    /// An empty log.
    #[must_use]
    pub fn new(session_id: SessionId, clock: Arc<dyn Clock>) -> Self {
        Self { session_id, clock, state: Mutex::new(State { last_seq: 0, entries: Arc::default() }) }
    }

    /// A log that goes on from a checkpoint, in a session of its own.
    #[must_use]
    pub fn restored(session_id: SessionId, clock: Arc<dyn Clock>, history: Vec<Kept>) -> Self {
        let entries: Vec<_> = (1..)
            .zip(history)
            .map(|(seq, kept)| {
                Arc::new(Event {
                    v: PROTOCOL_VERSION,
                    seq,
                    ts: kept.ts,
                    session_id: session_id.clone(),
                    turn_id: kept.turn_id,
                    agent_id: None,
                    parent_tool_call_id: None,
                    body: kept.entry.into(),
                })
            })
            .collect();
        let last_seq = entries.last().map_or(0, |event| event.seq);
        Self { session_id, clock, state: Mutex::new(State { last_seq, entries: Arc::new(entries) }) }
    }

    /// The session.
    #[must_use]
    pub const fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// Keeps an entry, then hands it to `publish`. What `publish` returns comes back. Since nothing else is
    /// numbered meanwhile, events are published in the order of their numbers; `publish` must not wait and
    /// must not come back to this log.
    pub fn append<T>(&self, turn: Option<&TurnId>, entry: Entry, publish: impl FnOnce(Arc<Event>) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let event = self.number(&mut state, turn, entry.into());
        Arc::make_mut(&mut state.entries).push(Arc::clone(&event));
        publish(event)
    }

    /// Numbers something that is shown and not kept, and hands it to `publish` as `append` does.
    pub fn pass<T>(&self, turn: Option<&TurnId>, passing: Passing, publish: impl FnOnce(Arc<Event>) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        publish(self.number(&mut state, turn, passing.into()))
    }

    /// The entries so far.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        Arc::clone(&self.state.lock().unwrap_or_else(PoisonError::into_inner).entries)
    }

    fn number(&self, state: &mut State, turn: Option<&TurnId>, body: EventBody) -> Arc<Event> {
        state.last_seq += 1;
        Arc::new(Event {
            v: PROTOCOL_VERSION,
            seq: state.last_seq,
            ts: self.clock.now_ms(),
            session_id: self.session_id.clone(),
            turn_id: turn.cloned(),
            agent_id: None,
            parent_tool_call_id: None,
            body,
        })
    }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::{MessageId, Mode, SystemClock};

    use super::*;

    #[test]
    fn numbers_are_dense_over_entries_and_passing_events() {
        let log = SessionLog::new("s".into(), Arc::new(SystemClock));
        let delta = || Passing::TextDelta { message_id: MessageId::from("m"), text: "x".to_owned() };
        let seqs = [
            log.pass(None, delta(), |event| event.seq),
            log.append(None, Entry::ModeChanged { mode: Mode::Ask }, |event| event.seq),
            log.pass(None, delta(), |event| event.seq),
        ];
        assert_eq!(seqs, [1, 2, 3]);
        assert_eq!(log.transcript().len(), 1, "only entries are kept");
    }

    #[test]
    fn a_transcript_taken_before_an_append_does_not_change() {
        let log = SessionLog::new("s".into(), Arc::new(SystemClock));
        let before = log.transcript();
        log.append(None, Entry::ModeChanged { mode: Mode::Ask }, drop);
        assert_eq!((before.len(), log.transcript().len()), (0, 1));
    }
}
