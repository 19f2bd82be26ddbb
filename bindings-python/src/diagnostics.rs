//! What happens inside an agent, on its way to whoever serves it at the time: a loop, or the thread that reads a turn.

use std::sync::{Arc, Mutex, PoisonError};

use lodger::embed::{self, DiagnosticQueue};
use lodger::protocol::DiagnosticSink;
use pyo3::prelude::*;

use crate::mailbox::Mailbox;

type Bell = Box<dyn Fn() + Send + Sync>;

/// The diagnostics of one agent. They wait here, bounded, while nobody is attached.
#[pyclass(frozen, module = "lodger._native")]
pub(crate) struct Diagnostics {
    queue: DiagnosticQueue,
    /// Rings once for all that comes until the queue is looked into.
    arrivals: embed::Mailbox,
    bell: Arc<Mutex<Option<Bell>>>,
}

impl Diagnostics {
    /// Where the engine is to report to.
    pub(crate) fn sink(&self) -> Arc<dyn DiagnosticSink> {
        Arc::new(self.queue.clone())
    }
}

#[pymethods]
impl Diagnostics {
    #[new]
    fn new() -> Self {
        let bell = Arc::<Mutex<Option<Bell>>>::default();
        let attached = Arc::clone(&bell);
        let arrivals = embed::Mailbox::new(Box::new(move || {
            if let Some(ring) = &*attached.lock().unwrap_or_else(PoisonError::into_inner) {
                ring();
            }
        }));
        Self { queue: DiagnosticQueue::new(&arrivals, 0), arrivals, bell }
    }

    /// From now on lane `key * 2 + 1` of that mailbox is marked whenever something comes, and of no other. What waits
    /// already is marked at once. Holds the mailbox's descriptor no longer than the mailbox itself does.
    fn attach(&self, py: Python<'_>, mailbox: &Mailbox, key: u64) {
        let ring = mailbox.marker(key);
        py.detach(|| {
            *self.bell.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(ring.clone()));
            ring();
        });
    }

    /// What waits, in order, as a JSON array; `None` when nothing does, and the mailbox is marked when something comes.
    fn take(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| {
            // In this order: what comes after the first line rings.
            drop(self.arrivals.take());
            self.queue.take_json()
        })
    }
}
