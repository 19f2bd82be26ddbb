//! A conversation and what it may do.

use lodger::embed::{self, CheckHandler, Handlers};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::diagnostics::Diagnostics;
use crate::errors::detached;
use crate::fetches::Fetches;
use crate::mailbox::Mailbox;
use crate::time::seconds;
use crate::tokens::Tokens;
use crate::turn::Turn;

/// Dropping the last reference cancels what runs and lets the engine clear up in the background.
#[pyclass(frozen, weakref, module = "lodger._native")]
pub(crate) struct Agent(embed::Agent);

#[pymethods]
impl Agent {
    /// `options` is JSON; the flags say for which kinds of request there is a handler. With a checkpoint it goes on
    /// from there, with diagnostics it reports to them, its making included, and with fetches
    /// and tokens it has its requests to models carried and signed by them.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments, each its own")]
    fn new(
        py: Python<'_>,
        options: &str,
        permission: bool,
        tool: bool,
        question: bool,
        plan: bool,
        check: bool,
        checkpoint: Option<&[u8]>,
        diagnostics: Option<&Diagnostics>,
        fetches: Option<&Fetches>,
        tokens: Option<&Tokens>,
    ) -> PyResult<Self> {
        // Read while the interpreter is held: that is what keeps `os.environ` from changing under our hands.
        let environment = embed::host_environment();
        let diagnostics = diagnostics.map(Diagnostics::sink);
        let fetch = fetches.map(Fetches::fetcher);
        let token = tokens.map(Tokens::source);
        let check = if check { CheckHandler::Always } else { CheckHandler::None };
        let handlers = Handlers { permission, tool, question, plan, check, diagnostics, fetch, token };
        detached(py, || match checkpoint {
            None => embed::Agent::create(None, options, environment, handlers),
            Some(bytes) => embed::Agent::restore(None, bytes, options, environment, handlers),
        })
        .map(Self)
    }

    #[getter]
    fn session_id(&self) -> String {
        self.0.session_id()
    }

    #[getter]
    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// `input` is a JSON string or an array of content blocks.
    fn prompt(&self, py: Python<'_>, input: &str) -> PyResult<Turn> {
        detached(py, || self.0.prompt(input)).map(Turn)
    }

    /// Settles a request with an answer in JSON.
    fn answer(&self, py: Python<'_>, request_id: &str, answer: &str) -> PyResult<()> {
        detached(py, || self.0.answer(request_id, answer))
    }

    /// Settles a request whose handler failed.
    fn fail_request(&self, py: Python<'_>, request_id: &str, reason: &str) -> PyResult<()> {
        detached(py, || self.0.fail_request(request_id, reason))
    }

    /// What a running host tool has to show.
    fn progress(&self, py: Python<'_>, request_id: &str, text: &str) -> PyResult<()> {
        detached(py, || self.0.progress(request_id, text))
    }

    /// Cancels the running turn; true if there was one.
    fn interrupt(&self, py: Python<'_>) -> bool {
        py.detach(|| self.0.interrupt())
    }

    /// History and usage as bytes. Takes as long as they are long.
    fn checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &detached(py, || self.0.checkpoint())?))
    }

    /// A cold verb under its name in the host protocol; JSON in, JSON out.
    fn call(&self, py: Python<'_>, method: &str, params: &str) -> PyResult<String> {
        detached(py, || embed::call(&self.0, method, params))
    }

    /// Waits up to `timeout` seconds.
    fn close(&self, py: Python<'_>, timeout: f64) -> PyResult<()> {
        detached(py, || self.0.close(seconds(timeout)))
    }

    /// Does not wait: the mailbox's lane `key * 2 + 1` is marked when it is done.
    fn begin_close(&self, py: Python<'_>, timeout: f64, mailbox: &Mailbox, key: u64) {
        let closed = mailbox.marker(key);
        py.detach(|| self.0.begin_close(seconds(timeout), Box::new(closed)));
    }
}
