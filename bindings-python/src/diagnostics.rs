//! What happens inside an agent, on its way to whoever serves it at the time.

use std::sync::Arc;

use lodger::embed::DiagnosticQueue;
use lodger::protocol::DiagnosticSink;
use pyo3::prelude::*;

use crate::arrivals::Arrivals;
use crate::mailbox::Mailbox;

/// The diagnostics of one agent. They wait here, bounded, while nobody is attached.
#[pyclass(frozen, module = "lodger._native")]
pub(crate) struct Diagnostics {
    queue: DiagnosticQueue,
    arrivals: Arrivals,
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
        let arrivals = Arrivals::new();
        Self { queue: DiagnosticQueue::new(arrivals.engine(), 0), arrivals }
    }

    /// From now on lane `key * 2 + 1` of that mailbox is marked whenever something comes, and of no other.
    fn attach(&self, py: Python<'_>, mailbox: &Mailbox, key: u64) {
        self.arrivals.attach(py, mailbox, key);
    }

    /// What waits, in order, as a JSON array; `None` when nothing does, and the mailbox is marked when something comes.
    fn take(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| {
            self.arrivals.look();
            self.queue.take_json()
        })
    }
}
