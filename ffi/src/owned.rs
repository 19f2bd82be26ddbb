//! An agent in the host's hands: its callbacks, its share of the callback thread, its end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use lodger_core::embed::{Agent, Handlers, Turn};
use lodger_core::protocol::{Error, ErrorCode, Result};

use crate::dispatch::{Dispatcher, Seat};
use crate::guard::status_of;
use crate::host::Host;
use crate::lanes::{self, Watch};
use crate::os;
use crate::runtime::still_inside;
use crate::status::{LODGER_OK, lodger_status};

/// Where agents without a runtime of their own find their callback thread: it goes with the last of them, like the
/// default runtime itself.
pub(crate) static DEFAULT_SEAT: Seat = Seat::new();

/// An agent and its host.
pub(crate) struct OwnedAgent {
    pub(crate) agent: Agent,
    /// Kept as text, so that it can be looked at without asking anybody.
    session_id: String,
    host: Arc<Host>,
    seat: Option<Arc<Seat>>,
    callbacks: Mutex<Callbacks>,
}

/// An agent's share of the callback thread: none before the first need. After a close nothing new goes there, but
/// whoever closes at the same time waits for what is there too.
enum Callbacks {
    None,
    Served(Arc<Dispatcher>),
    Over(Weak<Dispatcher>),
}

impl OwnedAgent {
    /// Makes one by `how`. `seat` is that of its runtime; the default one without.
    pub(crate) fn make(
        host: Arc<Host>,
        seat: Option<Arc<Seat>>,
        how: impl FnOnce(Handlers) -> Result<Agent>,
    ) -> Result<Self> {
        let dispatcher = match host.serves_the_engine() {
            true => Some(seat.as_deref().unwrap_or(&DEFAULT_SEAT).taken()?),
            false => None,
        };
        let watch = dispatcher.as_deref().filter(|_| host.takes_diagnostics()).map(Watch::new);
        let desk = dispatcher.as_deref().map(Dispatcher::desk);
        let agent = how(host.handlers(desk, watch.as_ref().map(Watch::sink)))?;
        if let Some(watch) = watch {
            watch.begin(&host);
        }
        let callbacks = dispatcher.map_or(Callbacks::None, Callbacks::Served);
        let session_id = agent.session_id();
        Ok(Self { agent, session_id, host, seat, callbacks: Mutex::new(callbacks) })
    }

    pub(crate) fn session_id(&self) -> &str {
        &self.session_id
    }

    pub(crate) fn host(&self) -> Arc<Host> {
        Arc::clone(&self.host)
    }

    fn callbacks(&self) -> MutexGuard<'_, Callbacks> {
        self.callbacks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The callback thread, which is there from now on until the close.
    pub(crate) fn dispatcher(&self) -> Result<Arc<Dispatcher>> {
        let mut callbacks = self.callbacks();
        match &*callbacks {
            Callbacks::Served(dispatcher) => Ok(Arc::clone(dispatcher)),
            Callbacks::Over(_) => Err(Error::new(ErrorCode::Closed, "the agent is closed, and calls you back no more")),
            Callbacks::None => {
                let dispatcher = self.seat.as_deref().unwrap_or(&DEFAULT_SEAT).taken()?;
                *callbacks = Callbacks::Served(Arc::clone(&dispatcher));
                Ok(dispatcher)
            }
        }
    }

    /// Starts a turn, and has its requests handed over if the host takes them.
    pub(crate) fn prompt(&self, prompt_json: &str) -> Result<Turn> {
        let dispatcher = if self.host.takes_requests() { Some(self.dispatcher()?) } else { None };
        let turn = self.agent.prompt(prompt_json)?;
        if let Some(dispatcher) = dispatcher {
            lanes::hand_over_requests(&dispatcher, &turn, &self.host);
        }
        Ok(turn)
    }

    /// Ends it in order. When this went well, no callback of the agent runs or will run.
    pub(crate) fn close(&self, timeout: Duration) -> Result<()> {
        let until = Instant::now() + timeout;
        let closed = self.agent.close(timeout);
        let dispatcher = self.end_callbacks();
        // What was settled by the close is told first; then nothing passes any more, wakers of turns included.
        let told = dispatcher.as_ref().is_none_or(|dispatcher| dispatcher.desk().settle(until));
        let empty = self.host.gate.shut_and_wait(until) && self.host.wakers.shut_and_wait(until);
        // The last agent of a runtime takes the callback thread along.
        let ended = dispatcher.and_then(Arc::into_inner).is_none_or(|last| last.stop(until));
        closed?;
        if told && empty && ended { Ok(()) } else { Err(still_inside(timeout)) }
    }

    fn end_callbacks(&self) -> Option<Arc<Dispatcher>> {
        let mut callbacks = self.callbacks();
        let dispatcher = match &*callbacks {
            Callbacks::None => None,
            Callbacks::Served(dispatcher) => Some(Arc::clone(dispatcher)),
            Callbacks::Over(dispatcher) => dispatcher.upgrade(),
        };
        *callbacks = Callbacks::Over(dispatcher.as_ref().map_or_else(Weak::new, Arc::downgrade));
        dispatcher
    }

    /// The same on a thread of its own, which then tells how it went.
    pub(crate) fn begin_close(
        self: &Arc<Self>,
        timeout: Duration,
        closed: impl FnOnce(lodger_status) + Send + 'static,
    ) -> Result<()> {
        let agent = Arc::clone(self);
        thread::Builder::new()
            .name("lodger-close".to_owned())
            .spawn(move || {
                os::block_signals();
                let status = status_of(|| agent.close(timeout).map(|()| LODGER_OK));
                // Whoever is told may expect that nothing of the agent is left.
                drop(agent);
                closed(status);
            })
            .map(drop)
            .map_err(|error| Error::internal(format!("the system gave no thread to close on: {error}")))
    }
}

impl Drop for OwnedAgent {
    fn drop(&mut self) {
        self.host.gate.shut();
    }
}
