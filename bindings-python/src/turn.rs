//! One prompt and all that follows from it, up to its `done`.

use lodger::{ErrorCode, embed};
use pyo3::prelude::*;

use crate::errors::{detached, raise};
use crate::mailbox::Mailbox;
use crate::time::seconds;

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
    fn claim_reader(&self) -> PyResult<()> {
        self.0.claim_reader().map_err(|error| raise(&error))
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

    /// The result as JSON; `None` when the turn has not ended within `timeout` seconds. Hears no signals.
    fn wait(&self, py: Python<'_>, timeout: f64) -> PyResult<Option<String>> {
        let waited = detached(py, || match self.0.wait(Some(seconds(timeout))) {
            Err(error) if error.code == ErrorCode::Timeout => Ok(None),
            waited => waited.map(Some),
        })?;
        // A result is plain data with text keys: writing it cannot fail.
        Ok(waited.map(|result| serde_json::to_string(&result).unwrap_or_default()))
    }

    /// Asks the turn to end. Does not wait, may be repeated.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.0.cancel());
    }
}
