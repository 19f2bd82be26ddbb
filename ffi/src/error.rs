//! Error objects: what a status alone cannot say.

use lodger_core::protocol::Error;

use crate::argument::In;
use crate::document::Document;
use crate::handle::{Handle, opaque, take_back};
use crate::status::{LODGER_OK, lodger_status};
use crate::text::lodger_str;

/// An error with its message and details. You get one through the last argument of a call that failed, if you asked.
/// It is yours: lodger_error_free.
pub struct lodger_error(Handle<ErrorView>);
opaque!(lodger_error, ErrorView);

/// An error and its JSON.
pub(crate) struct ErrorView {
    error: Error,
    document: Document,
}

impl From<Error> for ErrorView {
    fn from(error: Error) -> Self {
        Self { error, document: Document::default() }
    }
}

/// The status that came with the error.
///
/// Any thread.
///
/// @param error The error. NULL gives LODGER_OK.
/// @return One of `LODGER_E_...`.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_error_status(error: *const lodger_error) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let error = unsafe { In::of(error) };
    error.peek().map_or(LODGER_OK, |view| view.error.code.entry().number)
}

/// The stable name of the error, such as `session_busy`. The list is in docs/errors.md.
///
/// Any thread.
///
/// @param error The error; it keeps the text. NULL gives no text.
/// @return The name.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_error_code(error: *const lodger_error) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let error = unsafe { In::of(error) };
    lodger_str::of_optional(error.peek().map(|view| view.error.code.as_str()))
}

/// What was expected, what was found and what to do, for people. It never holds a secret.
///
/// Any thread.
///
/// @param error The error; it keeps the text. NULL gives no text.
/// @return The message.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_error_message(error: *const lodger_error) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let error = unsafe { In::of(error) };
    lodger_str::of_optional(error.peek().map(|view| view.error.message.as_str()))
}

/// The whole error as a JSON object: `code`, `message`, `retryable`, and `retryAfterMs` and `data` where there are
/// any.
///
/// Any thread.
///
/// @param error The error; it keeps the text. NULL gives no text.
/// @return The JSON.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_error_json(error: *const lodger_error) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let error = unsafe { In::of(error) };
    lodger_str::of_optional(
        error.peek().map(|view| view.document.text(|| serde_json::to_string(&view.error).unwrap_or_default())),
    )
}

/// Frees an error.
///
/// Any thread.
///
/// @param error The error. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_error_free(error: *mut lodger_error) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(error) }
}
