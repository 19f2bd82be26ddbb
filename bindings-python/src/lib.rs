//! `lodger._native`: the engine as Python's classes see it. Small and private; the public face is the Python package.
//!
//! JSON goes in and out, so that nothing here knows a payload. This crate must never decide anything, and no thread
//! of the engine may ever touch the interpreter: engine threads write one descriptor, Python's loop does the rest.

mod agent;
mod arrivals;
mod diagnostics;
mod errors;
mod fetches;
mod mailbox;
mod model_list;
mod tap;
mod time;
mod tokens;
mod turn;

use lodger::embed;
use pyo3::exceptions::PyImportError;
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

/// The interpreters of one process would share the default runtime and each other's exit. Python 3.12 and later refuse
/// by themselves to load a module into a second one that does not say it may be.
fn refuse_subinterpreters(py: Python<'_>) -> PyResult<()> {
    if py.version_info() >= (3, 12) {
        return Ok(());
    }
    let interpreters = py.import("_xxsubinterpreters")?;
    if interpreters.call_method0("get_current")?.eq(interpreters.call_method0("get_main")?)? {
        return Ok(());
    }
    Err(PyImportError::new_err("lodger does not support loading in subinterpreters; use threads or processes"))
}

/// The module.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    refuse_subinterpreters(module.py())?;
    module.add_class::<agent::Agent>()?;
    module.add_class::<diagnostics::Diagnostics>()?;
    module.add_class::<fetches::Fetches>()?;
    module.add_class::<tokens::Tokens>()?;
    module.add_class::<turn::Turn>()?;
    module.add_class::<mailbox::Mailbox>()?;
    module.add_class::<model_list::ModelList>()?;
    module.add("Failure", module.py().get_type::<errors::Failure>())?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(forget_after_fork, module)?)
}
