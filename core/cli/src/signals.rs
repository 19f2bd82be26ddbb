//! Ctrl-C and SIGTERM: the first cancels the turn, the second ends the command at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use lodger::embed::Agent;
use lodger::protocol::Error;
use nix::sys::signal::{SigSet, Signal};

use crate::exit::Exit;

/// Watches for them. No handler is installed: they are blocked, and a thread waits for them.
pub(crate) struct Signals {
    terminated: Arc<AtomicBool>,
}

impl Signals {
    /// Begins to watch, on behalf of a turn that runs. To be called on the main thread, which is the only one whose
    /// signals are open.
    pub(crate) fn watch(agent: Agent) -> Result<Self, Error> {
        let cannot = |error: &dyn std::fmt::Display| Error::internal(format!("signals cannot be watched: {error}"));
        let watched = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM]);
        watched.thread_block().map_err(|error| cannot(&error))?;
        let terminated = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&terminated);
        let wait = move || {
            let Ok(first) = watched.wait() else { return };
            told.store(first == Signal::SIGTERM, Ordering::Relaxed);
            // If the turn is over, its end is being printed; there is nothing left to cancel.
            let _ = agent.interrupt();
            let Ok(second) = watched.wait() else { return };
            let exit = if second == Signal::SIGTERM { Exit::Terminated } else { Exit::Cancelled };
            std::process::exit(exit.code().into());
        };
        thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(|error| cannot(&error))?;
        Ok(Self { terminated })
    }

    /// It was SIGTERM that cancelled.
    pub(crate) fn terminated(&self) -> bool {
        self.terminated.load(Ordering::Relaxed)
    }
}
