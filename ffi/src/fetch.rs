//! Requests to models, in the hands of a host that carries them with a client of its own.

use std::ffi::c_void;

use lodger_core::embed::FetchFlow;

use crate::argument::{Bytes, In, Out, Text};
use crate::bell::Bell;
use crate::callback::{Context, lodger_drop_fn, lodger_wake_fn};
use crate::contain::quietly;
use crate::errand::Held;
use crate::error::lodger_error;
use crate::guard::guard;
use crate::handle::{Handle, opaque, take_back};
use crate::reading::Wait;
use crate::status::{LODGER_AGAIN, LODGER_END, LODGER_OK, lodger_status};
use crate::text::{lodger_bytes, lodger_str};

/// A request to a model for your own HTTP client to carry: send what it says, say what comes back. It is yours:
/// lodger_fetch_free, also after the end.
pub struct lodger_fetch(Handle<Held>);
opaque!(lodger_fetch, Held);

/// Gets a request to carry. Called on the callback thread of the runtime, one at a time: hand the request to your client
/// and return. The request is yours: answer it from any thread, and free it.
pub type lodger_fetch_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, fetch: *mut lodger_fetch)>;

/// What the host hears of how things stand.
const fn status_of(flow: FetchFlow) -> lodger_status {
    match flow {
        FetchFlow::More => LODGER_OK,
        FetchFlow::Wait => LODGER_AGAIN,
        FetchFlow::GivenUp => LODGER_END,
    }
}

/// `GET` or `POST`.
///
/// Any thread.
///
/// @param fetch The request; it keeps the text. NULL gives no text.
/// @return The method.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_method(fetch: *const lodger_fetch) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let fetch = unsafe { In::of(fetch) };
    lodger_str::of_optional(fetch.peek().map(|held| held.fetch().request().method.as_str()))
}

/// Where to. Do not follow redirects: they are answers, and the headers are for no other server.
///
/// Any thread.
///
/// @param fetch The request; it keeps the text. NULL gives no text.
/// @return The URL.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_url(fetch: *const lodger_fetch) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let fetch = unsafe { In::of(fetch) };
    lodger_str::of_optional(fetch.peek().map(|held| held.fetch().request().url.as_str()))
}

/// The headers, as HTTP writes them: `name: value` lines, each closed by CR and LF. They hold the credentials.
///
/// Any thread.
///
/// @param fetch The request; it keeps the text. NULL gives no text.
/// @return The lines.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_headers(fetch: *const lodger_fetch) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let fetch = unsafe { In::of(fetch) };
    lodger_str::of_optional(fetch.peek().map(|held| held.headers()))
}

/// The body; none for `GET`.
///
/// Any thread.
///
/// @param fetch The request; it keeps the bytes. NULL gives none.
/// @return The bytes.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_body(fetch: *const lodger_fetch) -> lodger_bytes {
    // SAFETY: the host keeps to the header.
    let fetch = unsafe { In::of(fetch) };
    fetch.peek().map_or(lodger_bytes::ABSENT, |held| lodger_bytes::of(&held.fetch().request().body))
}

/// Whether nothing more is wanted of you: the answer is whole or failed, or nobody wants it any more.
///
/// Any thread.
///
/// @param fetch The request. NULL, and a request from before a fork, give true.
/// @return True when your client should stop.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_settled(fetch: *const lodger_fetch) -> bool {
    // SAFETY: the host keeps to the header.
    let fetch = unsafe { In::of(fetch) };
    quietly(true, || fetch.get("fetch").map_or(true, |held| held.is_settled()))
}

/// Has your loop woken when there is room again after LODGER_AGAIN, and when nobody wants the answer any more; at once
/// if that has happened already. It may also be called for nothing. It takes the place of an earlier waker of the
/// request.
///
/// Any thread. The waker may run before this returned.
///
/// @param fetch    The request. Freeing it takes the waker away.
/// @param wake     Wakes your loop; called on a thread of the engine, must return at once.
/// @param ctx      Handed to `wake`. It belongs to the library from now on, also when the call fails.
/// @param drop     Frees `ctx`; may be NULL.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_set_waker(
    fetch: *const lodger_fetch,
    wake: lodger_wake_fn,
    ctx: *mut c_void,
    drop: lodger_drop_fn,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (fetch, err) = unsafe { (In::of(fetch), Out::of(err)) };
    guard(err, || {
        let bell = Bell::of_host(wake, Context::new(ctx, drop));
        fetch.get("fetch")?.set_bell(bell?);
        Ok(LODGER_OK)
    })
}

/// Says the head of the answer, once. Any status is an answer: call lodger_fetch_fail only where there is none.
///
/// Any thread.
///
/// @param fetch    The request.
/// @param status   100 to 599.
/// @param headers  `name: value` lines, each closed by LF or CR and LF, names in any case. What is not UTF-8 in them is
///                 replaced.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_END when nobody wants the answer any more; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_respond(
    fetch: *const lodger_fetch,
    status: u32,
    headers: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (fetch, headers, err) = unsafe { (In::of(fetch), Text::of(headers), Out::of(err)) };
    guard(err, || {
        let flow = fetch.get("fetch")?.respond(status, &headers.get_lossy("headers")?)?;
        Ok(status_of(flow))
    })
}

/// Hands over the next piece of the body, of any size. The piece is taken also when there is no room for another: then
/// wait, by `timeout_ms` or for your waker. No bytes at all only ask how things stand.
///
/// When 1 MiB waits for the agent, it asks you to wait until half of it is gone; at 32 MiB the answer is cut off.
///
/// Any thread; not inside a callback when it may wait.
///
/// @param fetch      The request.
/// @param piece      The bytes. Copied before the call returns.
/// @param timeout_ms How long to wait for room: 0 not at all, -1 for ever.
/// @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK when the next piece may come; LODGER_AGAIN when there was no room in time; LODGER_END when nobody
///         wants more, and your client should stop, and after the end; LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT
///         also before the head, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_push(
    fetch: *const lodger_fetch,
    piece: lodger_bytes,
    timeout_ms: i64,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (fetch, piece, err) = unsafe { (In::of(fetch), Bytes::of(piece), Out::of(err)) };
    guard(err, || {
        let (fetch, piece) = (fetch.get("fetch")?, piece.get("piece")?);
        // Before the piece is taken: a call that is refused changes nothing.
        let wait = Wait::of(timeout_ms, "lodger_fetch_push")?;
        Ok(status_of(fetch.push(piece, wait)?))
    })
}

/// The body is whole. Without a head the request failed. When it is over already, nothing changes.
///
/// Any thread.
///
/// @param fetch    The request.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_end(fetch: *const lodger_fetch, err: *mut *mut lodger_error) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (fetch, err) = unsafe { (In::of(fetch), Out::of(err)) };
    guard(err, || {
        fetch.get("fetch")?.end();
        Ok(LODGER_OK)
    })
}

/// There was no answer, or it broke off: `provider_unavailable` before the head, `provider_stream_cut` after it. When it
/// is over already, nothing changes.
///
/// Any thread.
///
/// @param fetch    The request.
/// @param reason   Stands in the error, such as `the proxy is closed`.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_fail(
    fetch: *const lodger_fetch,
    reason: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (fetch, reason, err) = unsafe { (In::of(fetch), Text::of(reason), Out::of(err)) };
    guard(err, || {
        fetch.get("fetch")?.fail(reason.get("reason")?);
        Ok(LODGER_OK)
    })
}

/// Frees a request. One that is not over failed.
///
/// Any thread.
///
/// @param fetch The request. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_fetch_free(fetch: *mut lodger_fetch) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(fetch) }
}
