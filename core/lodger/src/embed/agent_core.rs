//! What an agent's handle and its turns share: while one of them is held, the agent lives.

use std::time::Duration;

use lodger_engine::Agent as Engine;
use lodger_protocol::RequestDelivery;

use super::handlers::Handlers;
use super::lease::Lease;
use super::runtime::ForkGuard;

/// An agent and what it stands on. Dropped, it cancels what runs.
pub(super) struct AgentCore {
    pub(super) engine: Engine,
    pub(super) handlers: Handlers,
    pub(super) requests: RequestDelivery,
    pub(super) stall: Duration,
    pub(super) fork: ForkGuard,
    /// Given back by `close`.
    pub(super) lease: Lease,
}

impl Drop for AgentCore {
    fn drop(&mut self) {
        self.engine.close();
    }
}
