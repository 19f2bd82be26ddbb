//! Tokens that the host makes, on their way to and from whoever serves its agent at the time.

use std::sync::Arc;

use lodger::IssuedToken;
use lodger::embed::{TokenQueue, TokenSource};
use pyo3::prelude::*;

use crate::arrivals::Arrivals;
use crate::mailbox::Mailbox;

/// The tokens that one agent, or one list of models, wants.
#[pyclass(frozen, module = "lodger._native")]
pub(crate) struct Tokens {
    queue: TokenQueue,
    arrivals: Arrivals,
}

impl Tokens {
    /// Whom the engine is to ask.
    pub(crate) fn source(&self) -> Arc<dyn TokenSource> {
        Arc::new(self.queue.clone())
    }
}

#[pymethods]
impl Tokens {
    #[new]
    fn new() -> Self {
        let arrivals = Arrivals::new();
        Self { queue: TokenQueue::new(arrivals.engine(), 0), arrivals }
    }

    /// From now on lane `key * 2 + 1` of that mailbox is marked whenever something comes, and of no other.
    fn attach(&self, py: Python<'_>, mailbox: &Mailbox, key: u64) {
        self.arrivals.attach(py, mailbox, key);
    }

    /// What is wanted, in order, as a JSON array; `None` when nothing is, and the mailbox is marked when something is.
    fn take(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| {
            self.arrivals.look();
            self.queue.take_json()
        })
    }

    /// Hands over a token, which ends at `expires_at` in Unix milliseconds, if ever.
    fn issue(&self, id: u64, token: &str, expires_at: Option<u64>) {
        self.queue.issue(id, IssuedToken { token: token.into(), expires_at });
    }

    /// There is none.
    fn fail(&self, id: u64, reason: &str) {
        self.queue.fail(id, reason);
    }
}
