//! `lodger._native`: the engine as Python's classes see it. Small and private; the public face is the Python package.
//!
//! JSON goes in and out, so that nothing here knows a payload. This crate must never decide anything, and no thread
//! of the engine may ever touch the interpreter: engine threads write one descriptor, Python's loop does the rest.

mod agent;
mod errors;
mod mailbox;
mod tap;
mod turn;

use lodger::embed;
use pyo3::prelude::*;

/// The version of the engine.
#[pyfunction]
fn version() -> &'static str {
    embed::version()
}

/// In a forked child: lets go of what belongs to the parent.
#[pyfunction]
fn forget_after_fork() {
    embed::Runtime::forget_after_fork();
}

/// The module.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<agent::Agent>()?;
    module.add_class::<turn::Turn>()?;
    module.add_class::<mailbox::Mailbox>()?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(forget_after_fork, module)?)
}
