//! The threads that look through trees: one budget for all agents of a runtime, however many look at once.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::StopFlag;

/// More than this gain nothing on one disk.
const MAX_SEARCH_THREADS: usize = 8;
/// How often who waits looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// A budget of threads. A walk takes what is free and waits for at least one.
#[derive(Debug)]
pub(super) struct SearchThreads {
    free: Mutex<usize>,
    given_back: Condvar,
}

impl Default for SearchThreads {
    /// As many as the machine has processors, at most 8.
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self { free: Mutex::new(processors.min(MAX_SEARCH_THREADS)), given_back: Condvar::new() }
    }
}

impl SearchThreads {
    /// Takes all that are free, waiting for one; nothing once `stop` is raised. They are given back when it is dropped.
    pub(super) fn take(&self, stop: &StopFlag) -> Option<Taken<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 && !stop.is_raised() {
            free = self.given_back.wait_timeout(free, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        let count = std::mem::take(&mut *free);
        (count > 0).then(|| Taken { threads: self, count })
    }
}

/// Some threads of the budget.
pub(super) struct Taken<'a> {
    threads: &'a SearchThreads,
    pub(super) count: usize,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self.threads.free.lock().unwrap_or_else(PoisonError::into_inner) += self.count;
        self.threads.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_are_given_than_there_are_and_who_waits_gets_them_next() {
        let threads = SearchThreads { free: Mutex::new(3), given_back: Condvar::new() };
        let first = threads.take(&StopFlag::default()).unwrap();
        assert_eq!(first.count, 3);
        thread::scope(|scope| {
            let second = scope.spawn(|| threads.take(&StopFlag::default()).unwrap().count);
            drop(first);
            assert_eq!(second.join().unwrap(), 3);
        });
        assert_eq!(*threads.free.lock().unwrap(), 3);
    }

    #[test]
    fn who_is_to_stop_waits_no_longer() {
        let threads = SearchThreads { free: Mutex::new(1), given_back: Condvar::new() };
        let _first = threads.take(&StopFlag::default());
        let stop = StopFlag::default();
        stop.raise();
        assert!(threads.take(&stop).is_none());
    }
}
