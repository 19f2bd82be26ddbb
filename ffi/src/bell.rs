//! Bells: what tells a host that there is more to read.

use lodger_core::protocol::Result;

use crate::argument::null;
use crate::callback::{Context, lodger_wake_fn};
use crate::gate::Gate;

/// A bell that the engine rings, until it is silenced.
pub(crate) struct Bell {
    ring: Box<dyn Fn() + Send + Sync>,
    gate: Gate,
}

impl Bell {
    pub(crate) fn new(ring: impl Fn() + Send + Sync + 'static) -> Self {
        Self { ring: Box::new(ring), gate: Gate::default() }
    }

    /// A bell that calls a function of the host; NULL is an error. Either way the context has found its owner.
    pub(crate) fn of_host(wake: lodger_wake_fn, context: Context) -> Result<Self> {
        let Some(wake) = wake else { return Err(null("wake")) };
        // SAFETY: the host's function with the host's pointer, which the bell keeps.
        Ok(Self::new(move || context.call(|ctx| unsafe { wake(ctx) })))
    }

    /// Rings, unless it was silenced.
    pub(crate) fn ring(&self) {
        self.gate.pass(&self.ring);
    }

    /// No ring starts after this returned; one under way may still finish.
    pub(crate) fn silence(&self) {
        self.gate.shut();
    }
}
