//! The bell of what waits for whoever serves an agent at the time: a loop, or the thread that reads a turn.

use std::sync::{Arc, Mutex, PoisonError};

use lodger::embed;
use pyo3::prelude::*;

use crate::mailbox::Mailbox;

type Bell = Box<dyn Fn() + Send + Sync>;

/// Rings once for all that comes until it is looked into, wherever it is attached then.
pub(crate) struct Arrivals {
    engine: embed::Mailbox,
    bell: Arc<Mutex<Option<Bell>>>,
}

impl Arrivals {
    pub(crate) fn new() -> Self {
        let bell = Arc::<Mutex<Option<Bell>>>::default();
        let attached = Arc::clone(&bell);
        let engine = embed::Mailbox::new(Box::new(move || {
            if let Some(ring) = &*attached.lock().unwrap_or_else(PoisonError::into_inner) {
                ring();
            }
        }));
        Self { engine, bell }
    }

    /// What a queue of the engine is to mark.
    pub(crate) fn engine(&self) -> &embed::Mailbox {
        &self.engine
    }

    /// From now on lane `key * 2 + 1` of that mailbox is marked whenever something comes, and of no other. What waits
    /// already is marked at once. Holds the mailbox's descriptor no longer than the mailbox itself does.
    pub(crate) fn attach(&self, py: Python<'_>, mailbox: &Mailbox, key: u64) {
        let ring = mailbox.marker(key);
        py.detach(|| {
            *self.bell.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(ring.clone()));
            ring();
        });
    }

    /// To be called before a queue is looked into: what comes after this rings.
    pub(crate) fn look(&self) {
        drop(self.engine.take());
    }
}
