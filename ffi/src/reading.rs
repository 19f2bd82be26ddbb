//! How the events of a turn reach the host: it pulls them, or they are pushed. The first use decides.

use std::ffi::c_int;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use lodger_core::embed::{Drained, Turn};
use lodger_core::protocol::{Error, ErrorCode, Result};

use crate::bell::Bell;
use crate::callback;
use crate::host::Host;
use crate::listener::{Listener, Target};
use crate::os::Signal;
use crate::owned::OwnedAgent;

/// A turn in the host's hands.
pub(crate) struct OwnedTurn {
    pub(crate) turn: Turn,
    way: OnceLock<Way>,
    /// Whether the engine knows of the reader; the lock is held while somebody reads.
    reader: Mutex<bool>,
    taps: Arc<Taps>,
    /// A turn keeps its agent.
    agent: Arc<OwnedAgent>,
}

enum Way {
    Pulled,
    Pushed(Arc<Listener>),
}

/// What tells a host that pulls that there is more.
struct Taps {
    signal: OnceLock<Signal>,
    bell: Mutex<Option<Arc<Bell>>>,
    host: Arc<Host>,
}

impl Taps {
    fn bell(&self) -> MutexGuard<'_, Option<Arc<Bell>>> {
        self.bell.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        // No callback of the host, so a closed agent's turns have it too: the loop that waits must see the end.
        if let Some(signal) = self.signal.get() {
            signal.raise();
        }
        let bell = self.bell().clone();
        if let Some(bell) = bell {
            self.host.gate.pass(|| bell.ring());
        }
    }
}

impl OwnedTurn {
    /// Starts one.
    pub(crate) fn start(agent: &Arc<OwnedAgent>, prompt_json: &str) -> Result<Self> {
        let turn = agent.prompt(prompt_json)?;
        let taps = Taps { signal: OnceLock::new(), bell: Mutex::new(None), host: agent.host() };
        let (way, reader) = (OnceLock::new(), Mutex::new(false));
        Ok(Self { turn, way, reader, taps: Arc::new(taps), agent: Arc::clone(agent) })
    }

    /// Up to `max` events, for one reader at a time.
    pub(crate) fn read(&self, max: usize, wait: Wait) -> Result<Drained> {
        self.pull()?;
        let mut claimed = match self.reader.try_lock() {
            Ok(claimed) => claimed,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(busy("another thread is reading this turn; events are read by one thread at a time"));
            }
        };
        if !*claimed {
            self.turn.claim_reader()?;
            *claimed = true;
        }
        let drained = match wait {
            Wait::Not => self.turn.drain(max),
            Wait::For(timeout) => self.turn.read(max, Some(timeout))?,
            Wait::Forever => self.turn.read(max, None)?,
        };
        if let Some(signal) = self.taps.signal.get() {
            self.level(signal);
        }
        Ok(drained)
    }

    /// Puts the descriptor where the queue is: raised while there is something to read, or the end.
    fn level(&self, signal: &Signal) {
        if self.turn.arm() {
            return signal.raise();
        }
        signal.lower();
        // What came in between rang for a signal that was still raised.
        if self.turn.arm() {
            signal.raise();
        }
    }

    /// The descriptor, made when it is first asked for.
    pub(crate) fn waitable(&self) -> Result<c_int> {
        self.pull()?;
        if let Some(signal) = self.taps.signal.get() {
            return Ok(signal.descriptor());
        }
        let fresh = Signal::new()?;
        let signal = self.taps.signal.get_or_init(|| fresh);
        self.watch();
        Ok(signal.descriptor())
    }

    /// Puts a new bell in the place of the one before, which is silent from then on.
    pub(crate) fn set_bell(&self, bell: Bell) -> Result<()> {
        self.pull()?;
        let before = self.taps.bell().replace(Arc::new(bell));
        if let Some(before) = before {
            before.silence();
        }
        self.watch();
        Ok(())
    }

    /// Has the engine ring the taps: at once if there is something.
    fn watch(&self) {
        let taps = Arc::clone(&self.taps);
        self.turn.set_waker(Box::new(move || taps.ring()));
    }

    /// Has the events pushed from now on.
    pub(crate) fn set_listener(&self, target: Target) -> Result<()> {
        let desk = Arc::clone(self.agent.dispatcher()?.desk());
        let listener = Listener::new(self.turn.clone(), self.agent.host(), desk, target);
        if self.way.set(Way::Pushed(Arc::clone(&listener))).is_err() {
            return Err(busy(
                "the events of this turn are read, or have a listener; set one listener, before anything else",
            ));
        }
        self.turn.claim_reader()?;
        listener.start();
        Ok(())
    }

    /// Takes the listener's pause back.
    pub(crate) fn resume(&self) -> Result<()> {
        match self.way.get() {
            Some(Way::Pushed(listener)) => {
                listener.resume();
                Ok(())
            }
            Some(Way::Pulled) | None => {
                Err(Error::invalid_input("the turn has no listener that could pause; see lodger_turn_set_listener"))
            }
        }
    }

    /// The events are pulled from now on.
    fn pull(&self) -> Result<()> {
        match self.way.get_or_init(|| Way::Pulled) {
            Way::Pulled => Ok(()),
            Way::Pushed(_) => Err(busy("the events of this turn go to its listener; they cannot be read as well")),
        }
    }
}

impl Drop for OwnedTurn {
    fn drop(&mut self) {
        if let Some(bell) = self.taps.bell().take() {
            bell.silence();
        }
        if let Some(Way::Pushed(listener)) = self.way.get() {
            listener.stop();
        }
        // Lets go of the host's context now, not with the last trace of the turn.
        self.turn.set_waker(Box::new(|| {}));
        // The callback thread may hold the turn too; it is the host's leave that ends it.
        self.turn.cancel();
    }
}

/// How long a call may wait.
#[derive(Clone, Copy)]
pub(crate) enum Wait {
    Not,
    For(Duration),
    Forever,
}

impl Wait {
    pub(crate) fn of(timeout_ms: i64, call: &str) -> Result<Self> {
        let wait = match timeout_ms {
            0 => return Ok(Self::Not),
            -1 => Self::Forever,
            _ => Self::For(crate::runtime::limit(timeout_ms)?),
        };
        callback::may_wait(call)?;
        Ok(wait)
    }
}

fn busy(message: &str) -> Error {
    Error::new(ErrorCode::ReaderBusy, message)
}
