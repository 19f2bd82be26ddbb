//! Tokens for providers, which the host makes.

use std::ffi::c_void;

use crate::argument::{In, Out, Text};
use crate::error::lodger_error;
use crate::guard::guard;
use crate::handle::{Handle, opaque, take_back};
use crate::mint::Wanted;
use crate::status::{LODGER_OK, lodger_status};
use crate::text::lodger_str;

/// A token that a request to a model needs. It is answered once; freeing it unanswered fails the request. It is yours:
/// lodger_token_request_free, also after the answer.
pub struct lodger_token_request(Handle<Wanted>);
opaque!(lodger_token_request, Wanted);

/// Gets the wish for a token, once at a time for each server. Called on the callback thread of the runtime, one at a
/// time. The wish is yours: answer it here or later, from any thread, within a minute, and free it.
pub type lodger_token_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, wanted: *mut lodger_token_request)>;

/// Whom the token is for.
///
/// Any thread.
///
/// @param wanted What is wanted; it keeps the text. NULL gives no text.
/// @return The base URL of the server that will get the token.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_token_request_audience(wanted: *const lodger_token_request) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let wanted = unsafe { In::of(wanted) };
    lodger_str::of_optional(wanted.peek().map(|wanted| wanted.audience()))
}

/// Hands over a token. It is kept and sent until it is nearly over, or until the provider refuses it; one that was
/// refused must not be given again. An empty one fails the request, and is LODGER_OK.
///
/// Any thread.
///
/// @param wanted     What is wanted.
/// @param token      Sent as `Authorization: Bearer`. Copied before the call returns: you may wipe yours.
/// @param expires_at Unix milliseconds after which it does not count any more, or 0: when the provider refuses it.
/// @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_token_request_issue(
    wanted: *const lodger_token_request,
    token: lodger_str,
    expires_at: u64,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (wanted, token, err) = unsafe { (In::of(wanted), Text::of(token), Out::of(err)) };
    guard(err, || {
        wanted.get("wanted")?.issue(token.get("token")?, Some(expires_at).filter(|&end| end > 0))?;
        Ok(LODGER_OK)
    })
}

/// There is no token: the request to the model fails with `provider_auth`.
///
/// Any thread.
///
/// @param wanted   What is wanted.
/// @param reason   Stands in the error, such as `the vault is locked`.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_token_request_fail(
    wanted: *const lodger_token_request,
    reason: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (wanted, reason, err) = unsafe { (In::of(wanted), Text::of(reason), Out::of(err)) };
    guard(err, || {
        wanted.get("wanted")?.fail(reason.get("reason")?)?;
        Ok(LODGER_OK)
    })
}

/// Frees the wish for a token. An unanswered one fails the request to the model.
///
/// Any thread.
///
/// @param wanted What is wanted. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_token_request_free(wanted: *mut lodger_token_request) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(wanted) }
}
