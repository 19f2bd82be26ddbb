//! Agents: how they begin and end.

use std::ffi::c_void;
use std::sync::Arc;

use lodger_core::embed::{self, Agent, Handlers, Runtime};
use lodger_core::protocol::{Environment, Result};

use crate::argument::{Bytes, In, Out, Text, null};
use crate::blob::lodger_blob;
use crate::callback::{self, Context, lodger_closed_fn, lodger_drop_fn};
use crate::error::lodger_error;
use crate::guard::guard;
use crate::handle::{Handle, give, opaque, take_back};
use crate::host::{Host, lodger_host};
use crate::owned::OwnedAgent;
use crate::runtime::{limit, lodger_runtime};
use crate::sized::{self, Reading};
use crate::status::{LODGER_OK, lodger_status};
use crate::text::{lodger_bytes, lodger_str};

/// One agent: a conversation, its tools and its rules. It is yours: lodger_agent_free.
pub struct lodger_agent(Handle<Arc<OwnedAgent>>);
opaque!(lodger_agent, Arc<OwnedAgent>);

/// Creates an agent. It starts no process and reads no network; the library takes a copy of the environment of your
/// process now and never looks at it again.
///
/// Any thread.
///
/// @param runtime      Where it runs; NULL for the shared default. It need not outlive the agent.
/// @param options_json A JSON object; `model` is the only key that is needed, `cwd` gives file and shell tools. An
///                     unknown key is an error that names the likely word. The keys are in docs/options.md.
/// @param host         Your callbacks; NULL for none. Read during the call only. `ctx` belongs to the library from
///                     now on, also when the call fails.
/// @param[out] out     The agent. Yours: lodger_agent_free.
/// @param[out] err     The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_OPTIONS, LODGER_E_PROVIDER_AUTH when there is no key, LODGER_E_INVALID_INPUT,
///         LODGER_E_ABI_MISMATCH, LODGER_E_CLOSED, LODGER_E_FORKED, LODGER_E_INTERNAL.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_create(
    runtime: *const lodger_runtime,
    options_json: lodger_str,
    host: *const lodger_host,
    out: *mut *mut lodger_agent,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (runtime, options, host, out, err) =
        unsafe { (In::of(runtime), Text::of(options_json), sized::read(host), Out::of(out), Out::of(err)) };
    guard(err, || {
        make(runtime, &host, out, |runtime, env, handlers| {
            Agent::create(runtime, options.get("options_json")?, env, handlers)
        })
    })
}

/// Creates an agent that goes on where a checkpoint was taken: with its history and its usage, in a session of its own.
/// Everything else comes from `options_json`, as for lodger_agent_create; nothing in the bytes can change that. Bytes
/// that were damaged or made up are refused.
///
/// Any thread.
///
/// @param runtime      Where it runs; NULL for the shared default. It need not outlive the agent.
/// @param checkpoint   What lodger_agent_checkpoint gave, perhaps elsewhere. Copied before the call returns.
/// @param options_json As for lodger_agent_create.
/// @param host         As for lodger_agent_create. `ctx` belongs to the library from now on, also when the call fails.
/// @param[out] out     The agent. Yours: lodger_agent_free.
/// @param[out] err     The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_CHECKPOINT_CORRUPT, LODGER_E_CHECKPOINT_UNSUPPORTED, LODGER_E_CHECKPOINT_INVALID,
///         LODGER_E_CHECKPOINT_TOO_LARGE, and what lodger_agent_create answers.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_restore(
    runtime: *const lodger_runtime,
    checkpoint: lodger_bytes,
    options_json: lodger_str,
    host: *const lodger_host,
    out: *mut *mut lodger_agent,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (runtime, checkpoint, options, host, out, err) = unsafe {
        (In::of(runtime), Bytes::of(checkpoint), Text::of(options_json), sized::read(host), Out::of(out), Out::of(err))
    };
    guard(err, || {
        make(runtime, &host, out, |runtime, env, handlers| {
            Agent::restore(runtime, checkpoint.get("checkpoint")?, options.get("options_json")?, env, handlers)
        })
    })
}

/// What creating and restoring have in common.
fn make(
    runtime: In<'_, lodger_runtime>,
    host: &Reading<lodger_host>,
    out: Out<'_, *mut lodger_agent>,
    how: impl FnOnce(Option<&Runtime>, Environment, Handlers) -> Result<Agent>,
) -> Result<lodger_status> {
    // First of all: whatever fails below, the context has found its owner.
    let callbacks = Arc::new(Host::new(&host.value));
    let out = out.get("out")?;
    if let Some(fault) = &host.fault {
        return Err(fault.clone());
    }
    let runtime = runtime.get_optional()?;
    let seat = runtime.map(|owned| Arc::clone(&owned.seat));
    let agent = OwnedAgent::make(callbacks, seat, |handlers| {
        how(runtime.map(|owned| &owned.runtime), embed::host_environment(), handlers)
    })?;
    *out = give(Arc::new(agent));
    Ok(LODGER_OK)
}

/// The id of the agent's session, which stands in each of its events as `sessionId`.
///
/// Any thread.
///
/// @param agent The agent; it keeps the text. NULL gives no text.
/// @return The id.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_session_id(agent: *const lodger_agent) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let agent = unsafe { In::of(agent) };
    lodger_str::of_optional(agent.peek().map(|agent| agent.session_id()))
}

/// Takes the conversation so far as bytes: history and usage, no option, no key, no file. Only between turns. Keep them
/// where you like; lodger_agent_restore goes on from them, also on another machine.
///
/// Any thread.
///
/// @param agent    The agent.
/// @param[out] out The bytes. Yours: lodger_blob_free.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_SESSION_BUSY, LODGER_E_CLOSED, LODGER_E_CHECKPOINT_TOO_LARGE, LODGER_E_INVALID_INPUT,
///         LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_checkpoint(
    agent: *const lodger_agent,
    out: *mut *mut lodger_blob,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, out, err) = unsafe { (In::of(agent), Out::of(out), Out::of(err)) };
    guard(err, || {
        let (agent, out) = (agent.get("agent")?, out.get("out")?);
        *out = give(agent.agent.checkpoint()?);
        Ok(LODGER_OK)
    })
}

/// Closes an agent in order: cancels its turn, refuses its open requests, ends its child processes. When this
/// returned LODGER_OK, no callback of the agent runs or will run. Closing again is fine.
///
/// Any thread, but not inside a callback: it waits.
///
/// @param agent      The agent.
/// @param timeout_ms How long it may take, 0 or more. After LODGER_E_TIMEOUT no further callback starts either.
/// @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_TIMEOUT, LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_close(
    agent: *const lodger_agent,
    timeout_ms: i64,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, err) = unsafe { (In::of(agent), Out::of(err)) };
    guard(err, || {
        let agent = agent.get("agent")?;
        let timeout = limit(timeout_ms)?;
        callback::may_wait("lodger_agent_close")?;
        agent.close(timeout)?;
        Ok(LODGER_OK)
    })
}

/// The same for those who must not wait: closes on a thread of its own and calls `closed` when it is over.
///
/// Any thread, also inside a callback.
///
/// @param agent      The agent. You may free it at once.
/// @param timeout_ms How long it may take, 0 or more.
/// @param closed     Told how it went, once, on a thread of the library that ends with it. It may call everything but
///                   what waits.
/// @param ctx        Handed to `closed`. It belongs to the library from now on, also when the call fails.
/// @param drop       Frees `ctx`; may be NULL.
/// @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED, LODGER_E_INTERNAL when the system gives no thread.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_begin_close(
    agent: *const lodger_agent,
    timeout_ms: i64,
    closed: lodger_closed_fn,
    ctx: *mut c_void,
    drop: lodger_drop_fn,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, err) = unsafe { (In::of(agent), Out::of(err)) };
    guard(err, || {
        let context = Context::new(ctx, drop);
        let closed = closed.ok_or_else(|| null("closed"))?;
        // SAFETY: the host's function with the host's pointer, which `context` keeps until after the call.
        let end = move |status| context.call(|ctx| unsafe { closed(ctx, status) });
        agent.get("agent")?.begin_close(limit(timeout_ms)?, end)?;
        Ok(LODGER_OK)
    })
}

/// Frees an agent. It does not wait. A turn that you still hold keeps the agent going; with the last of them the
/// agent is cancelled and cleared away in the background, and no further callback starts.
///
/// Any thread.
///
/// @param agent The agent. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_free(agent: *mut lodger_agent) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(agent) }
}
