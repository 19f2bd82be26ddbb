//! Requests to models that the host carries, on their way to whoever serves its agent at the time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use lodger::Result;
use lodger::embed::{Fetch, FetchFlow, FetchQueue, Fetcher};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrivals::Arrivals;
use crate::errors::{detached, raise};
use crate::mailbox::Mailbox;

/// The requests of one agent, or of one list of models.
#[pyclass(frozen, module = "lodger._native")]
pub(crate) struct Fetches {
    carrying: Arc<Carrying>,
    arrivals: Arrivals,
}

impl Fetches {
    /// To whom the engine is to hand them.
    pub(crate) fn fetcher(&self) -> Arc<dyn Fetcher> {
        Arc::clone(&self.carrying) as _
    }
}

#[pymethods]
impl Fetches {
    #[new]
    fn new() -> Self {
        let arrivals = Arrivals::new();
        let queue = FetchQueue::new(arrivals.engine(), 0);
        Self { carrying: Arc::new(Carrying { queue, changes: Mutex::default(), changed: Condvar::new() }), arrivals }
    }

    /// From now on lane `key * 2 + 1` of that mailbox is marked whenever something comes, and of no other.
    fn attach(&self, py: Python<'_>, mailbox: &Mailbox, key: u64) {
        self.arrivals.attach(py, mailbox, key);
    }

    /// What waits, in order, as a JSON array; `None` when nothing does, and the mailbox is marked when something comes.
    fn take(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| {
            self.arrivals.look();
            self.carrying.queue.take_json()
        })
    }

    /// What a request sends; `None` when nobody wants its answer any more.
    fn body<'py>(&self, py: Python<'py>, id: u64) -> Option<Bound<'py, PyBytes>> {
        self.carrying.queue.body(id).ok().map(|body| PyBytes::new(py, &body))
    }

    /// Says the head of an answer; true: its body is wanted.
    fn respond(&self, id: u64, status: u16, headers: Vec<(String, String)>) -> PyResult<bool> {
        self.carrying.queue.respond(id, status, headers).map_err(|error| raise(&error))
    }

    /// Hands over a piece of the body. `more`; `wait`, until its `room` is taken; or `given_up`.
    fn push(&self, id: u64, piece: &[u8]) -> PyResult<&'static str> {
        match self.carrying.queue.push(id, Bytes::copy_from_slice(piece)) {
            Ok(FetchFlow::More) => Ok("more"),
            Ok(FetchFlow::Wait) => Ok("wait"),
            Ok(FetchFlow::GivenUp) => Ok("given_up"),
            Err(error) => Err(raise(&error)),
        }
    }

    /// The same on a thread of its own, which waits for room. False: given up.
    fn push_and_wait(&self, py: Python<'_>, id: u64, piece: &[u8]) -> PyResult<bool> {
        let piece = Bytes::copy_from_slice(piece);
        detached(py, || self.carrying.push_and_wait(id, piece))
    }

    /// The body is whole.
    fn end(&self, id: u64) {
        self.carrying.queue.end(id);
    }

    /// The request or its answer failed.
    fn fail(&self, id: u64, reason: &str) {
        self.carrying.queue.fail(id, reason);
    }

    /// What the host gave is no answer.
    fn misfit(&self, id: u64, what: &str) {
        self.carrying.queue.misfit(id, what);
    }
}

/// The engine's queue, and the threads that wait for room.
struct Carrying {
    queue: FetchQueue,
    changes: Mutex<u64>,
    changed: Condvar,
}

impl Carrying {
    fn push_and_wait(&self, id: u64, mut piece: Bytes) -> Result<bool> {
        loop {
            let before = *self.changes();
            match self.queue.push(id, std::mem::take(&mut piece))? {
                FetchFlow::More => return Ok(true),
                FetchFlow::GivenUp => return Ok(false),
                // Whose change it was, pushing nothing tells.
                FetchFlow::Wait => {
                    let waiting = self.changed.wait_while(self.changes(), |changes| *changes == before);
                    drop(waiting.unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
    }

    fn changes(&self) -> MutexGuard<'_, u64> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fetcher for Carrying {
    fn fetch(&self, fetch: Arc<Fetch>) {
        self.queue.fetch(fetch);
    }

    fn changed(&self, fetch: &Arc<Fetch>) {
        self.queue.changed(fetch);
        *self.changes() += 1;
        self.changed.notify_all();
    }
}
