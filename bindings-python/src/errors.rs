//! How an engine error leaves: as JSON in an exception that has no code of its own. `lodger._errors` makes of it what
//! programs see.
//!
//! Nothing in this crate may call Python code but signal handlers, which run on the main thread only. A thread that
//! Python ends at exit, while its code runs, is unwound; through Rust that would abort the process.

use lodger::Error;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(lodger._native, Failure, PyException, "What the engine answers in place of a result, as JSON.");

/// The exception for an error.
pub(crate) fn raise(error: &Error) -> PyErr {
    // An error is plain data with text keys: writing it cannot fail.
    Failure::new_err(serde_json::to_string(error).unwrap_or_default())
}

/// Calls into the engine without holding the interpreter, and raises what it answers.
pub(crate) fn detached<T: Send>(py: Python<'_>, call: impl FnOnce() -> lodger::Result<T> + Send) -> PyResult<T> {
    py.detach(call).map_err(|error| raise(&error))
}
