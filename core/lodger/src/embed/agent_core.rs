//! What an agent's handle and its turns share: while one of them is held, the agent lives.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lodger_engine::Agent as Engine;
use lodger_protocol::{DiagnosticBody, Diagnostics, RequestDelivery};

use super::handlers::Handlers;
use super::lease::Lease;
use super::runtime::ForkGuard;

/// An agent and what it stands on. Dropped, it cancels what runs.
pub(super) struct AgentCore {
    pub(super) engine: Engine,
    pub(super) handlers: Handlers,
    pub(super) diagnostics: Diagnostics,
    /// Its end was told.
    pub(super) is_over: AtomicBool,
    pub(super) requests: RequestDelivery,
    pub(super) stall: Duration,
    pub(super) fork: ForkGuard,
    /// Given back by `close`.
    pub(super) lease: Lease,
}

impl AgentCore {
    /// Tells those who watch that nothing more will come, once.
    pub(super) fn tell_end(&self) {
        if !self.is_over.swap(true, Ordering::AcqRel) {
            self.diagnostics.report(|| DiagnosticBody::RuntimeExit { code: 0 });
        }
    }
}

impl Drop for AgentCore {
    fn drop(&mut self) {
        self.engine.close();
        self.tell_end();
    }
}
