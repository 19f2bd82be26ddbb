//! How a fault crosses the border: the one place that turns errors and panics into what JavaScript catches.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lodger::{Error, ErrorCode, Result};

/// Runs the body of an export. An error, or a panic contained here, is thrown as an `Error` whose message is the
/// JSON of a [`lodger::Error`]; `errors.ts` makes it a `LodgerError`.
pub(crate) fn guard<T>(body: impl FnOnce() -> Result<T>) -> napi::Result<T> {
    // No value that the body touched is used after a panic but by handles that lock for themselves.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(panicked())).map_err(|error| to_napi(&error))
}

/// The same for what Node itself reports.
pub(crate) fn node(error: napi::Error) -> Error {
    Error::internal(format!("Node-API refused a call: {}", error.reason))
}

fn panicked() -> Error {
    Error::new(ErrorCode::InternalPanic, "the native part of lodger panicked; please report it")
}

fn to_napi(error: &Error) -> napi::Error {
    let text = serde_json::to_string(error).unwrap_or_else(|_| error.to_string());
    napi::Error::new(napi::Status::GenericFailure, text)
}
