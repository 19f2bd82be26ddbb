//! Turns: one prompt, one ordered stream of events.

use std::ffi::{c_int, c_void};

use lodger_core::embed::Drained;
use lodger_core::protocol::{Error, ErrorCode};

use crate::argument::{In, Out, OutList, null};
use crate::bell::Bell;
use crate::blob::lodger_blob;
use crate::callback::{Context, lodger_drop_fn, lodger_wake_fn};
use crate::error::lodger_error;
use crate::event::{EventView, lodger_event, lodger_event_fn};
use crate::guard::guard;
use crate::handle::{Handle, give, opaque, take_back};
use crate::listener::Target;
use crate::reading::{OwnedTurn, Wait};
use crate::status::{LODGER_AGAIN, LODGER_END, LODGER_OK, lodger_status};

/// One prompt and what follows from it: events in order, of which the last is `done`. It is yours: lodger_turn_free.
pub struct lodger_turn(Handle<OwnedTurn>);
opaque!(lodger_turn, OwnedTurn);

/// A file descriptor to wait on with poll, epoll, select or kqueue.
pub type lodger_waitable = c_int;

/// Reads events, and waits for the first one if asked to. Reading until LODGER_AGAIN arms the turn's waker or
/// mailbox, and makes its waitable wait again.
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

/// A descriptor that is readable while there is something to read, and after the end: for a loop around poll, epoll,
/// select or kqueue. It is level-triggered: it stays readable until everything was read. Made at the first call; later
/// ones give the same. After LODGER_END take it out of your loop.
///
/// Any thread.
///
/// @param turn     The turn.
/// @param[out] out The descriptor, or -1. It belongs to the turn and is closed with it: do not read, write or close it;
///                 duplicate it if you need it longer.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_READER_BUSY when the turn has a listener, LODGER_E_INTERNAL when the system has no
///         descriptor left, LODGER_E_UNSUPPORTED on Windows, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_turn_waitable(
    turn: *const lodger_turn,
    out: *mut lodger_waitable,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (turn, out, err) = unsafe { (In::of(turn), Out::of(out), Out::of(err)) };
    guard(err, || {
        let (turn, out) = (turn.get("turn")?, out.get("out")?);
        *out = turn.waitable()?;
        Ok(LODGER_OK)
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
/// @return LODGER_OK; LODGER_E_READER_BUSY when the turn has a listener, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_turn_set_waker(
    turn: *const lodger_turn,
    wake: lodger_wake_fn,
    ctx: *mut c_void,
    drop: lodger_drop_fn,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (turn, err) = unsafe { (In::of(turn), Out::of(err)) };
    guard(err, || {
        let bell = Bell::of_host(wake, Context::new(ctx, drop));
        turn.get("turn")?.set_bell(bell?)?;
        Ok(LODGER_OK)
    })
}

/// Has the events pushed instead of reading them: the listener gets each, in order, `done` last. A turn is either read
/// or pushed: set its one listener before anything else. While the listener runs or has paused, the queue fills up and
/// holds the model back, as if nobody read.
///
/// Any thread. The listener may run before this returned.
///
/// @param turn     The turn.
/// @param listener Gets the events, on the callback thread of the runtime.
/// @param ctx      Handed to `listener`. It belongs to the library from now on, also when the call fails; it is dropped
///                 after `done`, or with the turn.
/// @param drop     Frees `ctx`; may be NULL.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_READER_BUSY when the turn has a listener, or was read or waited for before;
///         LODGER_E_CLOSED after the agent's close, LODGER_E_INVALID_INPUT, LODGER_E_FORKED, LODGER_E_INTERNAL.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_turn_set_listener(
    turn: *const lodger_turn,
    listener: lodger_event_fn,
    ctx: *mut c_void,
    drop: lodger_drop_fn,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (turn, err) = unsafe { (In::of(turn), Out::of(err)) };
    guard(err, || {
        let context = Context::new(ctx, drop);
        let function = listener.ok_or_else(|| null("listener"))?;
        turn.get("turn")?.set_listener(Target { function, context })?;
        Ok(LODGER_OK)
    })
}

/// Lets the events of a listener that paused flow again. One that comes before the pause was returned takes that pause
/// back, so none is lost. Without a pause it does nothing.
///
/// Any thread.
///
/// @param turn     A turn with a listener.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, also when there is no listener; LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_turn_resume(turn: *const lodger_turn, err: *mut *mut lodger_error) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (turn, err) = unsafe { (In::of(turn), Out::of(err)) };
    guard(err, || {
        turn.get("turn")?.resume()?;
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
