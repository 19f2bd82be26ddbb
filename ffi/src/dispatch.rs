//! The callback thread: one for each runtime that has an agent with callbacks, and nothing where there is none.
//!
//! It works off its [`Desk`] and calls the host, one callback at a time. It is no worker of the engine, so a host that
//! thinks for an hour inside a callback stops nobody's work.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use lodger_core::embed::Mailbox;
use lodger_core::protocol::{Error, Result};

use crate::desk::Desk;
use crate::hooks::ThreadHooks;
use crate::os;

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
        let mailbox = Mailbox::new(Box::new(move || bell.ring()));
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

    /// What the thread works off.
    pub(crate) fn desk(&self) -> &Arc<Desk> {
        &self.desk
    }

    /// What rings for it.
    pub(crate) fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Ends the thread after the callback that it is in, and waits for that. False when it took too long.
    pub(crate) fn stop(&self, until: Instant) -> bool {
        self.desk.stop();
        let ended = self.desk.wait_for_end(until);
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
        self.desk.stop();
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
        if let Some(there) = usable(&seat) {
            return Ok(there);
        }
        let dispatcher = Dispatcher::start(self.hooks.clone())?;
        *seat = Arc::downgrade(&dispatcher);
        Ok(dispatcher)
    }

    /// The thread that is there.
    pub(crate) fn current(&self) -> Option<Arc<Dispatcher>> {
        usable(&self.taken_by.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A thread of the process before a fork is not there, and one that was told to stop takes nothing more.
fn usable(seat: &Weak<Dispatcher>) -> Option<Arc<Dispatcher>> {
    let there = seat.upgrade()?;
    if there.process != os::process_id() {
        // The copy of a thread's owner: left alone, like every handle from before a fork.
        std::mem::forget(there);
        return None;
    }
    (!there.desk.is_stopping()).then_some(there)
}
