//! An agent, driven by JSON texts.

use std::time::Duration;

use lodger::embed::{self, Agent};
use napi::bindgen_prelude::{BufferSlice, Env, Uint8Array};
use napi_derive::napi;

use crate::environment::environment;
use crate::error::{guard, node};
use crate::handlers::NativeHandlers;
use crate::mailbox::NativeMailbox;
use crate::turn::NativeTurn;

/// An agent. Letting go of it closes it in the background.
#[napi]
pub struct NativeAgent {
    agent: Agent,
}

#[napi]
impl NativeAgent {
    /// `options` is the JSON of the agent's options, `env` that of `process.env`. With `checkpoint` the agent goes on
    /// from those bytes.
    #[napi(factory)]
    pub fn create(
        options: String,
        env: String,
        handlers: NativeHandlers<'_>,
        checkpoint: Option<Uint8Array>,
    ) -> napi::Result<Self> {
        guard(|| {
            let (env, handlers) = (environment(&env)?, handlers.into_handlers());
            let agent = match checkpoint {
                Some(bytes) => Agent::restore(None, &bytes, &options, env, handlers)?,
                None => Agent::create(None, &options, env, handlers)?,
            };
            Ok(Self { agent })
        })
    }

    /// The session's id.
    #[napi(getter)]
    pub fn session_id(&self) -> napi::Result<String> {
        guard(|| Ok(self.agent.session_id()))
    }

    /// Whether the agent was closed, or is being closed.
    #[napi(getter)]
    pub fn closed(&self) -> napi::Result<bool> {
        guard(|| Ok(self.agent.is_closed()))
    }

    /// Starts a turn that rings in `mailbox` under `key`.
    #[napi]
    pub fn prompt(&self, input: String, mailbox: &NativeMailbox, key: f64) -> napi::Result<NativeTurn> {
        guard(|| {
            let turn = self.agent.prompt(&input)?;
            mailbox.shared().attach(&turn, key as u64);
            Ok(NativeTurn::new(turn))
        })
    }

    /// The session as bytes, in memory of JavaScript's own.
    #[napi]
    pub fn checkpoint<'env>(&self, env: &'env Env) -> napi::Result<BufferSlice<'env>> {
        guard(|| BufferSlice::copy_from(env, self.agent.checkpoint()?).map_err(node))
    }

    /// Settles a request.
    #[napi]
    pub fn answer(&self, request_id: String, answer: String) -> napi::Result<()> {
        guard(|| self.agent.answer(&request_id, &answer))
    }

    /// Settles a request whose handler failed: a refusal.
    #[napi]
    pub fn fail_request(&self, request_id: String, reason: String) -> napi::Result<()> {
        guard(|| self.agent.fail_request(&request_id, &reason))
    }

    /// Shows how far a host tool is.
    #[napi]
    pub fn progress(&self, request_id: String, text: String) -> napi::Result<()> {
        guard(|| self.agent.progress(&request_id, &text))
    }

    /// Ends the running turn; `false` when there is none.
    #[napi]
    pub fn interrupt(&self) -> napi::Result<bool> {
        guard(|| Ok(self.agent.interrupt()))
    }

    /// Changes the mode.
    #[napi]
    pub fn set_mode(&self, mode: String) -> napi::Result<()> {
        guard(|| self.agent.set_mode(&mode))
    }

    /// Changes the model.
    #[napi]
    pub fn set_model(&self, model: String) -> napi::Result<()> {
        guard(|| self.agent.set_model(&model))
    }

    /// A verb of the host protocol, with parameters and result as JSON.
    #[napi]
    pub fn call(&self, method: String, params: String) -> napi::Result<String> {
        guard(|| embed::call(&self.agent, &method, &params))
    }

    /// Closes, within `timeout_ms`; then the mailbox tells of `key`.
    #[napi]
    pub fn begin_close(&self, timeout_ms: u32, mailbox: &NativeMailbox, key: f64) -> napi::Result<()> {
        guard(|| {
            let shared = mailbox.shared();
            let timeout = Duration::from_millis(timeout_ms.into());
            self.agent.begin_close(timeout, Box::new(move || shared.closing_ended(key)));
            Ok(())
        })
    }
}
