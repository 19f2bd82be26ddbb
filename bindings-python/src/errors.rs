//! How an engine error becomes a Python exception. Which class it gets is for `lodger._errors` to say.

use lodger::Error;
use pyo3::prelude::*;

/// The exception for an error. Falls back to what Python itself has to say when the package cannot be reached, as
/// while the interpreter ends.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let exception = || -> PyResult<Bound<'_, PyAny>> {
        let json = serde_json::to_string(error).unwrap_or_default();
        py.import("lodger._errors")?.getattr("error_from_json")?.call1((json,))
    };
    match exception() {
        Ok(exception) => PyErr::from_value(exception),
        Err(failed) => failed,
    }
}

/// Calls into the engine without holding the interpreter, and raises what it answers.
pub(crate) fn detached<T: Send>(py: Python<'_>, call: impl FnOnce() -> lodger::Result<T> + Send) -> PyResult<T> {
    py.detach(call).map_err(|error| raise(py, &error))
}

/// Drops an exception as Python drops one of a finaliser: `sys.unraisablehook` is told of it, and where it came from.
#[pyfunction]
pub(crate) fn ignore(raised: &Bound<'_, PyAny>, source: &Bound<'_, PyAny>) {
    PyErr::from_value(raised.clone()).write_unraisable(raised.py(), Some(source));
}
