//! What every face stands on: runtimes, agents, turns, requests and mailboxes without a language.
//!
//! One primitive carries all: *drain what is there; if nothing is, arm one wake-up*. Faces translate it into
//! their language's own way of waiting. Engine threads run no code of the host but bells, and a bell may only
//! signal.

mod agent;
mod agent_core;
mod call;
mod diagnostics;
mod environment;
mod fetches;
mod handlers;
mod lane;
mod lease;
mod mailbox;
mod misfit;
mod model_list;
mod options;
mod prompt;
mod queue;
mod request;
mod runtime;
mod tokens;
mod turn;
mod turn_core;

pub use agent::Agent;
pub use call::call;
pub use diagnostics::DiagnosticQueue;
pub use environment::host_environment;
pub use fetches::{FetchItem, FetchQueue};
pub use handlers::{CheckHandler, Handlers};
pub use lane::LaneItem;
pub use lodger_model::auth::{IssuedToken, TokenRequest, TokenSource};
pub use lodger_net::{Fetch, Fetcher, Flow as FetchFlow};
pub use mailbox::Mailbox;
pub use model_list::ModelList;
pub use queue::Drained;
pub use request::OpenRequest;
pub use runtime::{Runtime, RuntimeOptions, ThreadHook};
pub use tokens::TokenQueue;
pub use turn::Turn;
pub(crate) use turn_core::TurnCore;

use std::sync::{Mutex, MutexGuard, PoisonError};

use lodger_protocol::{Error, ErrorCode, Result};

/// Version of the library.
#[must_use]
pub const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses to wait on a thread that the engine needs.
pub(crate) fn may_block(what: &str) -> Result<()> {
    if tokio::runtime::Handle::try_current().is_ok() {
        return Err(Error::new(
            ErrorCode::WouldDeadlock,
            format!("{what} waits, and this thread belongs to an async runtime; call it from a thread of your own"),
        ));
    }
    Ok(())
}
