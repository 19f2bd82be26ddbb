//! One request for the models that a provider offers.

use lodger::embed::{self, Handlers};
use pyo3::prelude::*;

use crate::errors::{detached, raise};
use crate::fetches::Fetches;
use crate::mailbox::Mailbox;
use crate::tokens::Tokens;

/// Dropping the last reference gives the request up.
#[pyclass(frozen, module = "lodger._native")]
pub(crate) struct ModelList(embed::ModelList);

#[pymethods]
impl ModelList {
    /// Asks, by `options` in JSON. The mailbox's lane `key * 2 + 1` is marked when the outcome is there.
    #[new]
    fn new(
        py: Python<'_>,
        options: &str,
        fetches: Option<&Fetches>,
        tokens: Option<&Tokens>,
        mailbox: &Mailbox,
        key: u64,
    ) -> PyResult<Self> {
        // As for an agent: read while the interpreter is held.
        let environment = embed::host_environment();
        let (fetch, token) = (fetches.map(Fetches::fetcher), tokens.map(Tokens::source));
        let handlers = Handlers { fetch, token, ..Handlers::default() };
        let told = Some((mailbox.engine().clone(), key));
        detached(py, || embed::ModelList::begin(None, options, &environment, &handlers, told)).map(Self)
    }

    /// The ids, once; `None` before they are there. Raises what went wrong.
    fn take(&self) -> PyResult<Option<Vec<String>>> {
        self.0.take().transpose().map_err(|error| raise(&error))
    }
}
