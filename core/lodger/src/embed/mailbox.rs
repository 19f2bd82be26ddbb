//! One wake-up for any number of turns.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::locked;

type Bell = Box<dyn Fn() + Send + Sync>;

/// Collects which lanes have something, and rings once until they are taken. Cheap to clone.
#[derive(Clone)]
pub struct Mailbox(Arc<Inner>);

struct Inner {
    ready: Mutex<Ready>,
    bell: RwLock<Option<Bell>>,
}

#[derive(Default)]
struct Ready {
    order: VecDeque<u64>,
    marked: HashSet<u64>,
    rung: bool,
}

impl Mailbox {
    /// A mailbox whose bell is rung from engine threads, at most once until `take`. The bell may only signal
    /// the host's own loop: it must not wait and must not come back into this library but for `take`.
    #[must_use]
    pub fn new(bell: Bell) -> Self {
        Self(Arc::new(Inner { ready: Mutex::default(), bell: RwLock::new(Some(bell)) }))
    }

    /// The lanes that have something, in the order in which they got it. The next mark rings again.
    #[must_use]
    pub fn take(&self) -> Vec<u64> {
        let mut ready = locked(&self.0.ready);
        ready.rung = false;
        ready.marked.clear();
        ready.order.drain(..).collect()
    }

    /// Rings no more once it returned; waits for a ring under way.
    pub fn close(&self) {
        let bell = self.0.bell.write().unwrap_or_else(PoisonError::into_inner).take();
        drop(bell);
        *locked(&self.0.ready) = Ready::default();
    }

    pub(crate) fn mark(&self, lane: u64) {
        let ring = {
            let mut ready = locked(&self.0.ready);
            if ready.marked.insert(lane) {
                ready.order.push_back(lane);
            }
            !std::mem::replace(&mut ready.rung, true)
        };
        if ring && let Some(bell) = &*self.0.bell.read().unwrap_or_else(PoisonError::into_inner) {
            bell();
        }
    }
}

impl std::fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mailbox")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn counted() -> (Mailbox, Arc<AtomicUsize>) {
        let rings = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&rings);
        let bell = move || {
            count.fetch_add(1, Ordering::SeqCst);
        };
        (Mailbox::new(Box::new(bell)), rings)
    }

    #[test]
    fn many_marks_ring_once_until_taken() {
        let (mailbox, rings) = counted();
        for lane in [4, 2, 4] {
            mailbox.mark(lane);
        }
        assert_eq!((mailbox.take(), rings.load(Ordering::SeqCst)), (vec![4, 2], 1));
        mailbox.mark(4);
        assert_eq!(rings.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_closed_mailbox_rings_no_more() {
        let (mailbox, rings) = counted();
        mailbox.close();
        mailbox.mark(1);
        assert_eq!(rings.load(Ordering::SeqCst), 0);
    }
}
