//! One wake-up for all turns of an event loop, and the list of those that have something to say.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use lodger::embed;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::tap::Tap;
use crate::time::seconds;

/// Lanes that were marked by the binding itself, such as "this agent has closed", beside those of the engine.
#[derive(Default)]
struct Marks(Mutex<Vec<u64>>);

impl Marks {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lane numbers are `key * 2` for a turn's events and `key * 2 + 1` for its requests, its end, diagnostics, an agent's
/// close, and a list of models.
#[pyclass(frozen, module = "lodger._native")]
pub(crate) struct Mailbox {
    engine: embed::Mailbox,
    tap: Arc<Tap>,
    marks: Arc<Marks>,
}

impl Mailbox {
    pub(crate) fn engine(&self) -> &embed::Mailbox {
        &self.engine
    }

    /// A callback that marks the lane `key * 2 + 1` and rings. It may outlive the mailbox, and does nothing then.
    pub(crate) fn marker(&self, key: u64) -> impl Fn() + Clone + Send + Sync + use<> {
        let (tap, marks) = (Arc::downgrade(&self.tap), Arc::downgrade(&self.marks));
        move || {
            if let (Some(tap), Some(marks)) = (tap.upgrade(), marks.upgrade()) {
                marks.lock().push(key * 2 + 1);
                tap.ring();
            }
        }
    }
}

#[pymethods]
impl Mailbox {
    /// `socket`: for loops that cannot watch a descriptor but can receive from a socket.
    #[new]
    fn new(socket: bool) -> PyResult<Self> {
        let tap = Arc::new(Tap::open(socket).map_err(PyOSError::new_err)?);
        let bell = Arc::clone(&tap);
        Ok(Self { engine: embed::Mailbox::new(Box::new(move || bell.ring())), tap, marks: Arc::default() })
    }

    /// The descriptor to watch. It stays this object's.
    fn fileno(&self) -> i32 {
        self.tap.descriptor()
    }

    /// Waits for a ring, `timeout` seconds at most; for ever with `None`. A signal ends the wait with what its handler
    /// raises, as engine threads take none and this one is in the call that signals interrupt.
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<()> {
        let until = timeout.and_then(|timeout| Instant::now().checked_add(seconds(timeout)));
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            match py.detach(|| self.tap.wait(left)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => py.check_signals()?,
                waited => return waited.map_err(PyOSError::new_err),
            }
        }
    }

    /// Ends a wait although nothing is marked.
    fn ring(&self) {
        self.tap.ring();
    }

    /// The lanes that have something, each once; the bell may ring again from here on.
    fn take(&self) -> Vec<u64> {
        self.tap.quiet();
        let mut lanes = self.engine.take();
        lanes.append(&mut self.marks.lock());
        lanes
    }

    /// No ring after this returned. Waits for one under way, which takes microseconds.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.engine.close());
    }
}
