//! An agent in the hands of the host.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use lodger_engine::Agent as Engine;
use lodger_protocol::{
    AgentOptions, DiagnosticBody, Diagnostics, Environment, Error, ErrorCode, Mode, Prompt, RequestId, Result,
    SessionId, SystemClock, TurnId,
};

use super::agent_core::AgentCore;
use super::handlers::Handlers;
use super::lease::{Lease, Told};
use super::runtime::Runtime;
use super::turn::Turn;
use super::turn_core::TurnCore;
use super::{may_block, options, prompt};
use crate::wiring;

/// An agent. Cheap to clone; dropping the last clone, turns included, cancels what runs and lets go of the
/// runtime in the background.
#[derive(Clone)]
pub struct Agent(Arc<AgentCore>);

impl Agent {
    /// Makes an agent. Starts no process, reads no network. `options_json` is `AgentOptions`; `env` is the
    /// host's environment; without `runtime` it shares the default one.
    ///
    /// # Errors
    /// `invalid_options`, `provider_auth`, `forked`; `closed` when the runtime was shut down.
    pub fn create(runtime: Option<&Runtime>, options_json: &str, env: Environment, handlers: Handlers) -> Result<Self> {
        Self::with_options(runtime, options::read(options_json)?, None, env, handlers)
    }

    /// Makes an agent that goes on from bytes of `checkpoint`, in a session of its own. The bytes are copied.
    ///
    /// # Errors
    /// As for `create`; `checkpoint_corrupt`, `checkpoint_unsupported`, `checkpoint_invalid`,
    /// `checkpoint_too_large`.
    pub fn restore(
        runtime: Option<&Runtime>,
        checkpoint: &[u8],
        options_json: &str,
        env: Environment,
        handlers: Handlers,
    ) -> Result<Self> {
        Self::with_options(runtime, options::read(options_json)?, Some(checkpoint), env, handlers)
    }

    /// The same with options that were read already, from a checkpoint if there is one.
    ///
    /// # Errors
    /// As for `restore`.
    pub fn with_options(
        runtime: Option<&Runtime>,
        mut options: AgentOptions,
        checkpoint: Option<&[u8]>,
        env: Environment,
        handlers: Handlers,
    ) -> Result<Self> {
        options::check(&options)?;
        let runtime = match runtime {
            Some(runtime) => runtime.clone(),
            None => Runtime::shared()?,
        };
        runtime.check_usable()?;
        let requests = options.requests;
        let stall = Duration::from_millis(options.limits.stall_timeout_ms);
        let session_id = options.session_id.get_or_insert_with(SessionId::fresh).clone();
        let diagnostics = match &handlers.diagnostics {
            Some(sink) => Diagnostics::new(session_id, Arc::new(SystemClock), Arc::clone(sink)),
            None => Diagnostics::default(),
        };
        diagnostics.report(|| DiagnosticBody::RuntimeStart);
        let engine = wiring::engine(options, &handlers, checkpoint, &env, &runtime, &diagnostics)?;
        diagnostics.report(|| DiagnosticBody::RuntimeReady);
        Ok(Self(Arc::new(AgentCore {
            engine,
            handlers,
            diagnostics,
            is_over: AtomicBool::new(false),
            requests,
            stall,
            fork: runtime.fork_guard(),
            lease: Lease::new(runtime),
        })))
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub(crate) fn check_fork(&self) -> Result<()> {
        self.0.fork.check()
    }

    /// The session's id.
    #[must_use]
    pub fn session_id(&self) -> String {
        self.0.engine.session_id().to_string()
    }

    /// Starts a turn with a JSON text or a JSON array of blocks. It runs from here on.
    ///
    /// # Errors
    /// `invalid_input`, `closed`, `session_busy`, `forked`.
    pub fn prompt(&self, prompt_json: &str) -> Result<Turn> {
        self.prompt_with(prompt::read(prompt_json)?)
    }

    /// The same with a prompt that was read already.
    ///
    /// # Errors
    /// As for `prompt`.
    pub fn prompt_with(&self, prompt: Prompt) -> Result<Turn> {
        self.check_fork()?;
        self.0.lease.check_usable()?;
        let id = TurnId::fresh();
        let core = Arc::new(TurnCore::new(id.clone(), &self.0));
        self.0.engine.prompt(prompt, id, Arc::clone(&core) as _)?;
        Ok(Turn::new(core, Arc::clone(&self.0)))
    }

    /// The session as bytes: history and usage. Only between turns.
    ///
    /// # Errors
    /// `session_busy`, `closed`, `checkpoint_too_large`, `forked`.
    pub fn checkpoint(&self) -> Result<Vec<u8>> {
        self.check_fork()?;
        self.0.engine.checkpoint()
    }

    /// Answers a request by its id. An answer that does not fit is a refusal, not an error.
    ///
    /// # Errors
    /// `request_not_found`, `request_settled`, `forked`.
    pub fn answer(&self, request_id: &str, answer_json: &str) -> Result<()> {
        self.check_fork()?;
        self.0.engine.request(&RequestId::from(request_id))?.answer(answer_json)
    }

    /// Refuses a request by its id, because its handler failed.
    ///
    /// # Errors
    /// As for `answer`.
    pub fn fail_request(&self, request_id: &str, reason: &str) -> Result<()> {
        self.check_fork()?;
        self.0.engine.request(&RequestId::from(request_id))?.fail(reason)
    }

    /// Shows progress of a tool call, as far as the turn's reader has room.
    ///
    /// # Errors
    /// As for `answer`.
    pub fn progress(&self, request_id: &str, text: &str) -> Result<()> {
        self.check_fork()?;
        self.0.engine.request(&RequestId::from(request_id))?.progress(text)
    }

    /// Cancels the running turn. True when there was one.
    pub fn interrupt(&self) -> bool {
        self.check_fork().is_ok() && self.0.engine.interrupt()
    }

    /// Changes the mode. A stricter one binds at once, a looser one from the next step on.
    ///
    /// # Errors
    /// `invalid_input` for an unknown mode; `locked_by_policy` for one that is freer than a lock allows; `closed`,
    /// `forked`.
    pub fn set_mode(&self, mode: &str) -> Result<()> {
        self.check_open()?;
        let mode: Mode = serde_json::from_value(mode.into()).map_err(|_| {
            Error::invalid_input(format!("unknown mode {mode:?}; expected ask, auto-edit, full-auto or plan"))
        })?;
        self.0.engine.set_mode(mode)
    }

    /// Changes the model, from the next step on.
    ///
    /// # Errors
    /// `invalid_options`, `provider_auth`; `closed`, `forked`.
    pub fn set_model(&self, model: &str) -> Result<()> {
        self.check_open()?;
        self.0.engine.set_model(model)
    }

    pub(super) fn check_open(&self) -> Result<()> {
        self.check_fork()?;
        if self.is_closed() {
            return Err(Error::new(ErrorCode::Closed, "the agent is closed; create a new one"));
        }
        Ok(())
    }

    /// Whether it was closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.engine.is_closed()
    }

    /// Closes it: the running turn ends as cancelled, children are killed, the runtime is given back. Waits,
    /// within about `timeout`. Later calls find nothing to do; one that comes meanwhile waits for the same end.
    ///
    /// # Errors
    /// `timeout` when the turn did not end in time (the agent is closed all the same); `would_deadlock` on a
    /// thread of an async runtime; `forked`.
    pub fn close(&self, timeout: Duration) -> Result<()> {
        self.check_fork()?;
        may_block("closing an agent")?;
        self.0.engine.close();
        let ended = match self.0.lease.begin() {
            Some(closing) => {
                let ended = closing.runtime().is_none_or(|runtime| self.ends_within(runtime, timeout));
                self.0.engine.shut_down();
                self.0.tell_end();
                closing.release(timeout);
                ended
            }
            None => self.0.lease.wait(timeout),
        };
        if ended {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Timeout, format!("the turn did not end within {} ms", timeout.as_millis())))
    }

    /// Waits for the running turn without a timer of the runtime: a host's own may not be running any more.
    fn ends_within(&self, runtime: &Runtime, timeout: Duration) -> bool {
        if self.0.engine.is_idle() {
            return true;
        }
        let engine = self.0.engine.clone();
        let (ended, end) = std::sync::mpsc::sync_channel::<()>(1);
        runtime.handle().spawn(async move {
            engine.until_idle().await;
            drop(ended);
        });
        !matches!(end.recv_timeout(timeout), Err(std::sync::mpsc::RecvTimeoutError::Timeout))
    }

    /// The same for loops that must not wait: `closed` is called once, from another thread; on this one when
    /// there is nothing to wait for.
    pub fn begin_close(&self, timeout: Duration, closed: Box<dyn FnOnce() + Send>) {
        let told = Told::new(closed);
        if self.check_fork().is_err() {
            return;
        }
        self.0.engine.close();
        let closing = self.0.lease.begin();
        self.0.lease.on_closed(told);
        let Some(closing) = closing else { return };
        let Some(handle) = closing.runtime().map(|runtime| runtime.handle().clone()) else { return };
        let core = Arc::clone(&self.0);
        handle.clone().spawn(async move {
            // A turn that does not end in time is left; it ends by itself.
            let _ = tokio::time::timeout(timeout, core.engine.until_idle()).await;
            handle.spawn_blocking(move || {
                core.engine.shut_down();
                core.tell_end();
                // What the host lent goes before it hears of the end.
                drop(core);
                drop(closing);
            });
        });
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Agent({})", self.session_id())
    }
}
