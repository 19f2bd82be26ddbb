//! The environment's mailbox: what became ready, and what must end with the environment.
//!
//! Keys are whole numbers that JavaScript counts, so that they cross as its numbers without loss.

use std::collections::HashMap;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodger::embed::{Mailbox, Turn};
use napi::bindgen_prelude::{Env, Function, Unknown};
use napi_derive::napi;

use crate::bell::Bell;
use crate::error::{guard, node};

/// One per environment (the main thread, each worker).
#[napi]
pub struct NativeMailbox {
    shared: Arc<Shared>,
}

/// What the mailbox, its turns and closing agents share.
pub(crate) struct Shared {
    bell: Bell,
    mailbox: Mailbox,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Turns that run, so that they are cancelled with the environment.
    turns: HashMap<u64, Turn>,
    /// Closings that came to their end and were not taken yet.
    closed: Vec<f64>,
}

impl Shared {
    /// Lets the turn ring here, under `key`, until it is forgotten.
    pub(crate) fn attach(&self, turn: &Turn, key: u64) {
        self.state().turns.insert(key, turn.clone());
        turn.attach(&self.mailbox, key);
    }

    /// For queues that ring here.
    pub(crate) const fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// For an engine thread: a closing is through.
    pub(crate) fn closing_ended(&self, key: f64) {
        self.state().closed.push(key);
        self.bell.ring();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held, and each write leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The environment ends: nothing rings any more, and nothing runs on without a reader.
    fn tear_down(&self) {
        self.mailbox.close();
        let turns = take(&mut self.state().turns);
        for turn in turns.values() {
            turn.cancel();
        }
    }
}

#[napi]
impl NativeMailbox {
    /// `on_ring` is called on this environment's thread when something is ready. It must not throw.
    #[napi(constructor)]
    pub fn new(env: Env, on_ring: Function<'_, (), Unknown<'static>>) -> napi::Result<Self> {
        guard(|| {
            let bell = Bell::new(&on_ring)?;
            let mailbox = Mailbox::new({
                let bell = bell.clone();
                Box::new(move || bell.ring())
            });
            let shared = Arc::new(Shared { bell, mailbox, state: Mutex::default() });
            env.add_env_cleanup_hook(shared.clone(), |shared| shared.tear_down()).map_err(node)?;
            Ok(Self { shared })
        })
    }

    /// The lanes that became ready: `key * 2` is a turn's events, `key * 2 + 1` its requests, or what else has a key.
    #[napi]
    pub fn take(&self) -> napi::Result<Vec<f64>> {
        guard(|| Ok(self.shared.mailbox.take().into_iter().map(|lane| lane as f64).collect()))
    }

    /// The keys of closings that came to their end.
    #[napi]
    pub fn take_closed(&self) -> napi::Result<Vec<f64>> {
        guard(|| Ok(take(&mut self.shared.state().closed)))
    }

    /// Whether the bell keeps the event loop from ending.
    #[napi]
    pub fn hold(&self, env: Env, hold: bool) -> napi::Result<()> {
        guard(|| self.shared.bell.hold(&env, hold))
    }

    /// The turn under `key` has ended.
    #[napi]
    pub fn forget(&self, key: f64) -> napi::Result<()> {
        guard(|| {
            let turn = self.shared.state().turns.remove(&(key as u64));
            // Not under the lock: the last share of a turn may do work when it goes.
            drop(turn);
            Ok(())
        })
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }
}
