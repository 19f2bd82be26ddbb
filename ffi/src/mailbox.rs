//! Mailboxes: one wake-up for any number of turns.

use std::collections::{HashSet, VecDeque};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::argument::{In, Out, OutList};
use crate::bell::Bell;
use crate::callback::{Context, lodger_drop_fn, lodger_wake_fn};
use crate::error::lodger_error;
use crate::guard::guard;
use crate::handle::{Handle, give, opaque, take_back};
use crate::status::{LODGER_AGAIN, LODGER_OK, lodger_status};
use crate::turn::lodger_turn;

/// A list of turns that have something to read, with one wake-up for all of them. It is yours: lodger_mailbox_free.
pub struct lodger_mailbox(Handle<OwnedMailbox>);
opaque!(lodger_mailbox, OwnedMailbox);

/// A mailbox in the host's hands.
pub(crate) struct OwnedMailbox(Arc<Mailbox>);

impl Drop for OwnedMailbox {
    fn drop(&mut self) {
        self.0.bell.silence();
    }
}

struct Mailbox {
    state: Mutex<State>,
    bell: Bell,
}

#[derive(Default)]
struct State {
    /// Keys of turns that can be read, in the order in which they could.
    ready: VecDeque<u64>,
    /// The same keys, so that each is there once.
    listed: HashSet<u64>,
    /// The bell was rung since the last take.
    rung: bool,
}

impl Mailbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a key on the list, and rings unless that was done since the last take.
    fn mark(&self, key: u64) {
        let first = {
            let mut state = self.state();
            if state.listed.insert(key) {
                state.ready.push_back(key);
            }
            !std::mem::replace(&mut state.rung, true)
        };
        if first {
            self.bell.ring();
        }
    }

    /// Takes as many keys as there are places.
    fn take(&self, places: &mut [u64]) -> usize {
        let mut guard = self.state();
        let state = &mut *guard;
        state.rung = false;
        let count = places.len().min(state.ready.len());
        for (place, key) in places.iter_mut().zip(state.ready.drain(..count)) {
            state.listed.remove(&key);
            *place = key;
        }
        count
    }
}

/// Makes a mailbox.
///
/// Any thread.
///
/// @param wake     Wakes your loop when the list is no longer empty, once until lodger_mailbox_take. Called on a
///                 thread of the engine, must return at once.
/// @param ctx      Handed to `wake`. It belongs to the library from now on, also when the call fails.
/// @param drop     Frees `ctx`; may be NULL.
/// @param[out] out The mailbox. Yours: lodger_mailbox_free.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_mailbox_new(
    wake: lodger_wake_fn,
    ctx: *mut c_void,
    drop: lodger_drop_fn,
    out: *mut *mut lodger_mailbox,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (out, err) = unsafe { (Out::of(out), Out::of(err)) };
    guard(err, || {
        let bell = Bell::of_host(wake, Context::new(ctx, drop));
        let out = out.get("out")?;
        *out = give(OwnedMailbox(Arc::new(Mailbox { state: Mutex::default(), bell: bell? })));
        Ok(LODGER_OK)
    })
}

/// Has a turn put its key on the list when there is something to read: at once, and after each LODGER_AGAIN of
/// lodger_turn_read. A key may also come for nothing. It takes the place of an earlier waker or mailbox of the turn.
///
/// Any thread. The mailbox may ring before this returned.
///
/// @param mailbox  The mailbox. Freeing it leaves its turns without a wake-up.
/// @param turn     The turn. Freeing it takes its bell away; a key that is on the list stays there.
/// @param key      A number of your choice, such as an index or an address.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_READER_BUSY when the turn has a listener, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_mailbox_attach(
    mailbox: *const lodger_mailbox,
    turn: *const lodger_turn,
    key: u64,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (mailbox, turn, err) = unsafe { (In::of(mailbox), In::of(turn), Out::of(err)) };
    guard(err, || {
        let mailbox = Arc::clone(&mailbox.get("mailbox")?.0);
        turn.get("turn")?.set_bell(Bell::new(move || mailbox.mark(key)))?;
        Ok(LODGER_OK)
    })
}

/// Takes keys off the list. Read each of their turns until LODGER_AGAIN or LODGER_END. If `count` is `cap`, there may
/// be more keys: take again.
///
/// Any thread.
///
/// @param mailbox    The mailbox.
/// @param[out] keys  `cap` places; the first `count` are filled, the others are 0.
/// @param cap        How many places, at least 1.
/// @param[out] count How many keys came.
/// @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK with at least one key; LODGER_AGAIN when the list is empty; LODGER_E_INVALID_INPUT,
///         LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_mailbox_take(
    mailbox: *const lodger_mailbox,
    keys: *mut u64,
    cap: usize,
    count: *mut usize,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (mailbox, keys, count, err) =
        unsafe { (In::of(mailbox), OutList::of(keys, cap), Out::of(count), Out::of(err)) };
    guard(err, || {
        let (mailbox, keys, count) = (mailbox.get("mailbox")?, keys.get("keys")?, count.get("count")?);
        *count = mailbox.0.take(keys);
        Ok(if *count > 0 { LODGER_OK } else { LODGER_AGAIN })
    })
}

/// Frees a mailbox. No wake-up starts after it returned; `drop` is called when the last one is over.
///
/// Any thread.
///
/// @param mailbox The mailbox. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_mailbox_free(mailbox: *mut lodger_mailbox) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(mailbox) }
}
