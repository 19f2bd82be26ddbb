//! Turns: one prompt, one ordered stream of events.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use lodger_core::embed::{Drained, Turn};
use lodger_core::protocol::{Error, ErrorCode, Result};

use crate::agent::OwnedAgent;
use crate::argument::{In, Out, OutList, take_back};
use crate::blob::lodger_blob;
use crate::callback::{self, Bell, Context, lodger_drop_fn, lodger_wake_fn};
use crate::error::lodger_error;
use crate::event::{EventView, lodger_event};
use crate::guard::guard;
use crate::handle::{Handle, give, opaque};
use crate::status::{LODGER_AGAIN, LODGER_END, LODGER_OK, lodger_status};

/// One prompt and what follows from it: events in order, of which the last is `done`. It is yours: lodger_turn_free.
pub struct lodger_turn(Handle<OwnedTurn>);
opaque!(lodger_turn, OwnedTurn);

/// A turn in the host's hands.
pub(crate) struct OwnedTurn {
    pub(crate) turn: Turn,
    /// Whether the engine knows of the reader; the lock is held while somebody reads.
    reader: Mutex<bool>,
    bell: Mutex<Option<Arc<Bell>>>,
    /// A turn keeps its agent.
    agent: Arc<OwnedAgent>,
}

impl OwnedTurn {
    pub(crate) fn new(turn: Turn, agent: Arc<OwnedAgent>) -> Self {
        Self { turn, reader: Mutex::new(false), bell: Mutex::new(None), agent }
    }

    /// Up to `max` events, for one reader at a time.
    fn read(&self, max: usize, wait: Wait) -> Result<Drained> {
        let mut claimed = match self.reader.try_lock() {
            Ok(claimed) => claimed,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(
                    ErrorCode::ReaderBusy,
                    "another thread is reading this turn; events are read by one thread at a time",
                ));
            }
        };
        if !*claimed {
            self.turn.claim_reader()?;
            *claimed = true;
        }
        match wait {
            Wait::Not => Ok(self.turn.drain(max)),
            Wait::For(timeout) => self.turn.read(max, Some(timeout)),
            Wait::Forever => self.turn.read(max, None),
        }
    }

    /// Puts a new bell in the place of the one before, which is silent from then on.
    pub(crate) fn set_bell(&self, bell: Bell) {
        let bell = Arc::new(bell);
        let before = self.bell.lock().unwrap_or_else(PoisonError::into_inner).replace(Arc::clone(&bell));
        if let Some(before) = before {
            before.silence();
        }
        let host = self.agent.host();
        self.turn.set_waker(Box::new(move || host.call(|| bell.ring())));
    }
}

impl Drop for OwnedTurn {
    fn drop(&mut self) {
        if let Some(bell) = &*self.bell.lock().unwrap_or_else(PoisonError::into_inner) {
            bell.silence();
        }
        // Lets go of the host's context now, not with the last trace of the turn.
        self.turn.set_waker(Box::new(|| {}));
        // The callback thread may hold the turn too; it is the host's leave that ends it.
        self.turn.cancel();
    }
}

/// How long a call may wait.
#[derive(Clone, Copy)]
enum Wait {
    Not,
    For(Duration),
    Forever,
}

impl Wait {
    fn of(timeout_ms: i64, call: &str) -> Result<Self> {
        let wait = match timeout_ms {
            0 => return Ok(Self::Not),
            -1 => Self::Forever,
            _ => Self::For(crate::runtime::limit(timeout_ms)?),
        };
        callback::may_wait(call)?;
        Ok(wait)
    }
}

/// Reads events, and waits for the first one if asked to. Reading until LODGER_AGAIN arms the turn's waker or
/// mailbox.
///
/// Any thread, one at a time; not inside a callback when it may wait.
///
/// @param turn        The turn.
/// @param[out] events `cap` places; the first `count` are filled, the others are NULL. Each event is yours:
///                    lodger_event_free.
/// @param cap         How many places, at least 1.
/// @param[out] count  How many events came.
/// @param timeout_ms  How long to wait for the first one: 0 not at all, -1 for ever.
/// @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK with at least one event; LODGER_AGAIN when nothing came in time; LODGER_END after `done`;
///         LODGER_E_READER_BUSY, LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_turn_read(
    turn: *const lodger_turn,
    events: *mut *mut lodger_event,
    cap: usize,
    count: *mut usize,
    timeout_ms: i64,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (turn, events, count, err) = unsafe { (In::of(turn), OutList::of(events, cap), Out::of(count), Out::of(err)) };
    guard(err, || {
        let (turn, events, count) = (turn.get("turn")?, events.get("events")?, count.get("count")?);
        let wait = Wait::of(timeout_ms, "lodger_turn_read")?;
        match turn.read(events.len(), wait)? {
            Drained::End => Ok(LODGER_END),
            Drained::Empty => Ok(LODGER_AGAIN),
            Drained::Events(read) => {
                *count = read.len();
                for (place, event) in events.iter_mut().zip(read) {
                    *place = give(EventView::from(event));
                }
                Ok(LODGER_OK)
            }
        }
    })
}

/// Has your loop woken when there is something to read: once after each LODGER_AGAIN, and at once if something is
/// there already. It may also be called for nothing. It takes the place of an earlier waker or mailbox of the turn.
///
/// Any thread. The waker may run before this returned.
///
/// @param turn     The turn.
/// @param wake     Wakes your loop; called on a thread of the engine, must return at once.
/// @param ctx      Handed to `wake`. It belongs to the library from now on, also when the call fails.
/// @param drop     Frees `ctx`; may be NULL.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_turn_set_waker(
    turn: *const lodger_turn,
    wake: lodger_wake_fn,
    ctx: *mut std::ffi::c_void,
    drop: lodger_drop_fn,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (turn, err) = unsafe { (In::of(turn), Out::of(err)) };
    guard(err, || {
        let bell = Bell::of_host(wake, Context::new(ctx, drop));
        turn.get("turn")?.set_bell(bell?);
        Ok(LODGER_OK)
    })
}

/// Cancels the turn. It does not wait: the turn ends with a `done` event whose reason is `cancelled`, unless it had
/// ended before. Cancelling again is fine.
///
/// Any thread.
///
/// @param turn     The turn.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_turn_cancel(turn: *const lodger_turn, err: *mut *mut lodger_error) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (turn, err) = unsafe { (In::of(turn), Out::of(err)) };
    guard(err, || {
        turn.get("turn")?.turn.cancel();
        Ok(LODGER_OK)
    })
}

/// What the turn came to: a JSON object with `reason`, `usage`, `text`, and `costUsd`, `structured` and `error` where
/// there are any. It reads no events: a turn that nobody reads stops at a full queue and has no result until somebody
/// does.
///
/// Any thread; not inside a callback when it may wait.
///
/// @param turn       The turn.
/// @param timeout_ms How long to wait for the end: 0 not at all, -1 for ever.
/// @param[out] out   The JSON. Yours: lodger_blob_free.
/// @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK, also when the turn failed (`reason` is `error` then); LODGER_AGAIN when it goes on;
///         LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_turn_result(
    turn: *const lodger_turn,
    timeout_ms: i64,
    out: *mut *mut lodger_blob,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (turn, out, err) = unsafe { (In::of(turn), Out::of(out), Out::of(err)) };
    guard(err, || {
        let (turn, out) = (&turn.get("turn")?.turn, out.get("out")?);
        let waited = match Wait::of(timeout_ms, "lodger_turn_result")? {
            Wait::Not => Ok(turn.result()),
            Wait::For(timeout) => turn.wait(Some(timeout)).map(Some),
            Wait::Forever => turn.wait(None).map(Some),
        };
        match waited {
            Ok(Some(result)) => {
                let json = serde_json::to_vec(&result)
                    .map_err(|error| Error::internal(format!("a result that is no JSON: {error}")))?;
                *out = give(json);
                Ok(LODGER_OK)
            }
            Ok(None) => Ok(LODGER_AGAIN),
            Err(error) if error.code == ErrorCode::Timeout => Ok(LODGER_AGAIN),
            Err(error) => Err(error),
        }
    })
}

/// Frees a turn. A turn that is still going is cancelled. It does not wait.
///
/// Any thread.
///
/// @param turn The turn. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_turn_free(turn: *mut lodger_turn) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(turn) }
}
