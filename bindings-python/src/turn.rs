//! One prompt and all that follows from it, up to its `done`.

use lodger::embed;
use pyo3::prelude::*;

use crate::errors::raise;
use crate::mailbox::Mailbox;

/// Dropping the last reference cancels the turn.
#[pyclass(frozen, module = "lodger._native")]
pub(crate) struct Turn(pub(crate) embed::Turn);

#[pymethods]
impl Turn {
    #[getter]
    fn id(&self) -> &str {
        self.0.id().as_str()
    }

    /// Raises `reader_busy` for the second reader.
    fn claim_reader(&self, py: Python<'_>) -> PyResult<()> {
        self.0.claim_reader().map_err(|error| raise(py, &error))
    }

    /// Tells the mailbox under which key this turn's lanes are marked. What is ready already is marked at once.
    fn attach(&self, mailbox: &Mailbox, key: u64) {
        self.0.attach(mailbox.engine(), key);
    }

    /// Up to `max` events as a JSON array. `None`: none now, and the mailbox is rung when there are. `"[]"`: no more.
    fn drain(&self, py: Python<'_>, max: usize) -> Option<String> {
        py.detach(|| self.0.drain_json(max))
    }

    /// The request lane as a JSON array; `None` when nothing is in it. Re-arms it.
    fn take_lane(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.0.take_lane_json())
    }

    /// Asks the turn to end. Does not wait, may be repeated.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.0.cancel());
    }
}
