//! What the workspaces of a runtime share about files: one budget of threads, and one turn to change something.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::search_threads::SearchThreads;

/// What the workspaces of a runtime share about files: the threads that look through folders, and the turn to change a
/// file, so that of two agents that work on one file neither overwrites what the other wrote meanwhile.
#[derive(Debug, Default)]
pub struct SharedFiles {
    pub(super) threads: SearchThreads,
    turn: Mutex<()>,
}

impl SharedFiles {
    /// Held from the last look at a file to its change.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
