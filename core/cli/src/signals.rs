//! Ctrl-C and SIGTERM: the first cancels the turn, the second ends the command at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use lodger::embed::Agent;
use lodger::protocol::Error;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals as Arriving;

use crate::exit::Exit;

/// Watches for them.
pub(crate) struct Signals {
    /// The first one; 0 while none has come.
    first: Arc<AtomicI32>,
}

impl Signals {
    /// Begins to watch, on behalf of the turn that is about to start.
    pub(crate) fn watch(agent: Agent) -> Result<Self, Error> {
        let cannot = |error| Error::internal(format!("signals cannot be watched: {error}"));
        let mut arriving = Arriving::new([SIGINT, SIGTERM]).map_err(cannot)?;
        let came = Arc::new(AtomicI32::new(0));
        let told = Arc::clone(&came);
        let wait = move || {
            let mut arriving = arriving.forever();
            let Some(first) = arriving.next() else { return };
            told.store(first, Ordering::SeqCst);
            // If the turn is over, its end is being printed; there is nothing left to cancel. If it has not started,
            // whoever starts it looks here afterwards.
            let _ = agent.interrupt();
            let Some(second) = arriving.next() else { return };
            let exit = if second == SIGTERM { Exit::Terminated } else { Exit::Cancelled };
            std::process::exit(exit.code().into());
        };
        thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(cannot)?;
        Ok(Self { first: came })
    }

    /// One has come.
    pub(crate) fn came(&self) -> bool {
        self.first.load(Ordering::SeqCst) != 0
    }

    /// It was SIGTERM that cancelled.
    pub(crate) fn terminated(&self) -> bool {
        self.first.load(Ordering::SeqCst) == SIGTERM
    }
}
