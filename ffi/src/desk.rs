//! What is to be done on the callback thread, in the order in which it came up.
//!
//! It knows lanes of a mailbox and jobs, not what they do for a host: that is [`Served`].

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use lodger_core::embed::Mailbox;

use crate::contain::quietly;

/// Something else to do on the callback thread.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// Something whose lane in the mailbox the callback thread looks into.
pub(crate) trait Served: Send + Sync {
    /// Takes what the lane holds to the host.
    fn serve(&self, desk: &Arc<Desk>) -> Lane;
}

/// What may be expected of a lane.
#[derive(PartialEq, Eq)]
pub(crate) enum Lane {
    Open,
    /// Nothing comes any more.
    Over,
}

/// What is to be done.
enum Task {
    /// Look into the mailbox. At most one is waiting: the mailbox rings once until it is looked into.
    Lanes,
    /// At most one for each registration of the host, and for each turn with a listener.
    Job(Job),
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    /// By their key in the mailbox. They leave with their end.
    served: HashMap<u64, Arc<dyn Served>>,
    next_key: u64,
    /// How many marks were set in `tasks`, and how many of them were reached.
    marks_set: u64,
    marks_reached: u64,
    stopping: bool,
    ended: bool,
}

#[derive(Default)]
pub(crate) struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, how: impl FnOnce(&mut State)) {
        how(&mut self.state());
        self.changed.notify_all();
    }

    /// The mailbox has something. For any thread of the engine.
    pub(crate) fn ring(&self) {
        self.change(|state| state.tasks.push_back(Task::Lanes));
    }

    /// Has something done on the callback thread. After its end nothing is done, and `job` is dropped here.
    pub(crate) fn post(&self, job: Job) {
        let late = {
            let mut state = self.state();
            if state.stopping {
                Some(job)
            } else {
                state.tasks.push_back(Task::Job(job));
                None
            }
        };
        drop(late);
        self.changed.notify_all();
    }

    /// Puts a job that `make` makes behind all others, unless `holds`. Since that is asked under the lock, nothing that
    /// somebody puts there once it holds can come before such a job. Whether the job waits, or nothing is done any more.
    pub(crate) fn post_unless(&self, holds: impl FnOnce() -> bool, make: impl FnOnce() -> Job) -> bool {
        let mut state = self.state();
        if state.stopping {
            return true;
        }
        if holds() {
            return false;
        }
        // Whoever calls this is the callback thread: nobody needs to be told.
        state.tasks.push_back(Task::Job(make()));
        true
    }

    /// A key for the mailbox that nobody else has.
    pub(crate) fn fresh_key(&self) -> u64 {
        let mut state = self.state();
        state.next_key += 1;
        state.next_key
    }

    /// Serves the lane of that key from now on, until it is over.
    pub(crate) fn serve(&self, key: u64, served: Arc<dyn Served>) {
        let late = {
            let mut state = self.state();
            if state.stopping { Some(served) } else { state.served.insert(key, served) }
        };
        drop(late);
    }

    /// Looks into the lane of that key without being told by the mailbox.
    pub(crate) fn look_into(self: &Arc<Self>, key: u64) {
        let desk = Arc::clone(self);
        self.post(Box::new(move || desk.take_lane(key)));
    }

    fn take_lane(self: &Arc<Self>, key: u64) {
        let Some(served) = self.state().served.get(&key).cloned() else { return };
        if served.serve(self) == Lane::Over {
            let over = self.state().served.remove(&key);
            // Outside the lock: it may be the last of a turn, or of a host's context.
            drop(over);
        }
    }

    /// What is to be done next; `None` when the thread is to end.
    fn next(&self) -> Option<Task> {
        let mut state = self.state();
        loop {
            if state.stopping {
                return None;
            }
            if let Some(task) = state.tasks.pop_front() {
                return Some(task);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The work of the callback thread, until it is to stop.
    pub(crate) fn run(self: &Arc<Self>, mailbox: &Mailbox) {
        while let Some(task) = self.next() {
            quietly((), || match task {
                Task::Job(job) => job(),
                // Of a lane's two numbers, `key * 2 + 1` is the one that is used here.
                Task::Lanes => mailbox.take().into_iter().for_each(|lane| self.take_lane(lane / 2)),
            });
        }
        mailbox.close();
        let left = {
            let mut state = self.state();
            (std::mem::take(&mut state.tasks), std::mem::take(&mut state.served))
        };
        quietly((), || drop(left));
        self.change(|state| state.ended = true);
    }

    /// Waits until everything that was to be done when this was called is done. False when that took too long.
    pub(crate) fn settle(self: &Arc<Self>, until: Instant) -> bool {
        let desk = Arc::clone(self);
        let mark = {
            let mut state = self.state();
            state.marks_set += 1;
            let mark = state.marks_set;
            if !state.stopping {
                let reach = move || desk.change(|state| state.marks_reached = mark);
                state.tasks.push_back(Task::Job(Box::new(reach)));
            }
            mark
        };
        self.changed.notify_all();
        self.wait_until(until, |state| state.ended || state.marks_reached >= mark)
    }

    /// Lets the thread end after the callback that it is in.
    pub(crate) fn stop(&self) {
        self.change(|state| state.stopping = true);
    }

    /// Whether it was told to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.state().stopping
    }

    /// Waits until the thread has done its last. False when that took too long.
    pub(crate) fn wait_for_end(&self, until: Instant) -> bool {
        self.wait_until(until, |state| state.ended)
    }

    fn wait_until(&self, until: Instant, reached: impl Fn(&State) -> bool) -> bool {
        let mut state = self.state();
        while !reached(&state) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}
