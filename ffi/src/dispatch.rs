//! The callback thread: one for each runtime that has an agent with callbacks, and nothing where there is none.
//!
//! It takes open requests out of the lanes of its turns, and events to listeners, and hands them to the host, one at a
//! time. It is no worker of the engine, so a host that thinks for an hour inside a callback stops nobody's work.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use lodger_core::embed::{LaneItem, Mailbox, Turn};
use lodger_core::protocol::{Error, Result};

use crate::host::Host;
use crate::os;
use crate::runtime::ThreadHooks;

/// Something else to do on the callback thread.
type Job = Box<dyn FnOnce() + Send>;

/// A turn whose requests go to a host.
#[derive(Clone)]
struct Served {
    turn: Turn,
    host: Arc<Host>,
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
    /// In the order in which it came up.
    tasks: VecDeque<Task>,
    /// Turns by their key in the mailbox. They leave with their end.
    turns: HashMap<u64, Served>,
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

    fn serve(self: &Arc<Self>, lane: u64) {
        let key = lane / 2;
        let Some(Served { turn, host }) = self.state().turns.get(&key).cloned() else { return };
        for item in turn.take_lane() {
            match item {
                LaneItem::Opened(request) => host.hand_over(request, self),
                LaneItem::Ended(_) => {
                    let served = self.state().turns.remove(&key);
                    // Outside the lock: it may be the last of a turn, or of a host's context.
                    drop(served);
                }
                // A host hears of a withdrawn request by `lodger_request_on_settled`; C holds no loop open.
                LaneItem::Withdrawn(_) | LaneItem::Stalled | LaneItem::Moving => {}
            }
        }
    }

    fn run(self: &Arc<Self>, mailbox: &Mailbox) {
        while let Some(task) = self.next() {
            crate::guard::quietly((), || match task {
                Task::Job(job) => job(),
                Task::Lanes => mailbox.take().into_iter().for_each(|lane| self.serve(lane)),
            });
        }
        mailbox.close();
        let (tasks, turns) = {
            let mut state = self.state();
            (std::mem::take(&mut state.tasks), std::mem::take(&mut state.turns))
        };
        crate::guard::quietly((), || drop((tasks, turns)));
        self.change(|state| state.ended = true);
    }
}

/// Owns the callback thread. It ends with its last owner.
pub(crate) struct Dispatcher {
    desk: Arc<Desk>,
    mailbox: Mailbox,
    thread: Mutex<Option<JoinHandle<()>>>,
    process: u32,
}

impl Dispatcher {
    fn start(hooks: Option<Arc<ThreadHooks>>) -> Result<Arc<Self>> {
        let desk = Arc::new(Desk::default());
        let bell = Arc::clone(&desk);
        let mailbox = Mailbox::new(Box::new(move || bell.change(|state| state.tasks.push_back(Task::Lanes))));
        let (its_desk, its_mailbox) = (Arc::clone(&desk), mailbox.clone());
        let thread = thread::Builder::new()
            .name("lodger-cb".to_owned())
            .spawn(move || {
                os::block_signals();
                hooks.iter().for_each(|hooks| hooks.start());
                its_desk.run(&its_mailbox);
                hooks.iter().for_each(|hooks| hooks.stop());
            })
            .map_err(|error| Error::internal(format!("the system gave no thread for callbacks: {error}")))?;
        Ok(Arc::new(Self { desk, mailbox, thread: Mutex::new(Some(thread)), process: os::process_id() }))
    }

    /// Where requests of `turn` go from now on.
    pub(crate) fn serve(&self, turn: &Turn, host: &Arc<Host>) {
        let mut state = self.desk.state();
        if state.stopping {
            return;
        }
        let key = state.next_key;
        state.next_key += 1;
        state.turns.insert(key, Served { turn: turn.clone(), host: Arc::clone(host) });
        drop(state);
        turn.attach_requests(&self.mailbox, key);
    }

    pub(crate) fn desk(&self) -> Arc<Desk> {
        Arc::clone(&self.desk)
    }

    /// Waits until everything that was to be done when this was called is done. False when that took too long.
    pub(crate) fn settle(&self, until: Instant) -> bool {
        let desk = Arc::clone(&self.desk);
        let mark = {
            let mut state = self.desk.state();
            state.marks_set += 1;
            let mark = state.marks_set;
            if !state.stopping {
                let reach = move || desk.change(|state| state.marks_reached = mark);
                state.tasks.push_back(Task::Job(Box::new(reach)));
            }
            mark
        };
        self.desk.changed.notify_all();
        self.desk.wait_until(until, |state| state.ended || state.marks_reached >= mark)
    }

    /// Ends the thread after the callback that it is in, and waits for that. False when it took too long.
    pub(crate) fn stop(&self, until: Instant) -> bool {
        self.desk.change(|state| state.stopping = true);
        let ended = self.desk.wait_until(until, |state| state.ended);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread.filter(|_| ended) {
            // It has nothing left to do but to go. It ran no code that could panic unseen.
            let _ = thread.join();
        }
        ended
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        // Never waits: this may be a callback's thread, or one of the engine's.
        self.desk.change(|state| state.stopping = true);
    }
}

/// Where a runtime keeps its callback thread, for as long as agents hold on to it.
pub(crate) struct Seat {
    taken_by: Mutex<Weak<Dispatcher>>,
    hooks: Option<Arc<ThreadHooks>>,
}

impl Seat {
    /// A seat with nobody in it.
    pub(crate) const fn new() -> Self {
        Self { taken_by: Mutex::new(Weak::new()), hooks: None }
    }

    /// The same, for threads that the host wants to see.
    pub(crate) fn with(hooks: Arc<ThreadHooks>) -> Self {
        Self { hooks: Some(hooks), ..Self::new() }
    }

    /// The thread that is there, or a new one.
    pub(crate) fn taken(&self) -> Result<Arc<Dispatcher>> {
        let mut seat = self.taken_by.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = self.usable(&seat) {
            return Ok(there);
        }
        let dispatcher = Dispatcher::start(self.hooks.clone())?;
        *seat = Arc::downgrade(&dispatcher);
        Ok(dispatcher)
    }

    /// The thread that is there.
    pub(crate) fn current(&self) -> Option<Arc<Dispatcher>> {
        let seat = self.taken_by.lock().unwrap_or_else(PoisonError::into_inner);
        self.usable(&seat)
    }

    /// A thread of the process before a fork is not there, and one that was told to stop takes nothing more.
    fn usable(&self, seat: &Weak<Dispatcher>) -> Option<Arc<Dispatcher>> {
        let there = seat.upgrade()?;
        if there.process != os::process_id() {
            // The copy of a thread's owner: left alone, like every handle from before a fork.
            std::mem::forget(there);
            return None;
        }
        let stopping = there.desk.state().stopping;
        (!stopping).then_some(there)
    }
}
