//! Runtimes: threads and connections that agents share.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lodger_core::embed::{Runtime, RuntimeOptions};
use lodger_core::protocol::{Error, Result};

use crate::argument::{In, Out};
use crate::callback::{self, Context, lodger_drop_fn, lodger_thread_fn};
use crate::dispatch::Seat;
use crate::error::lodger_error;
use crate::guard::guard;
use crate::handle::{Handle, give, opaque, take_back};
use crate::hooks::ThreadHooks;
use crate::sized::{self, SizedStruct};
use crate::status::{LODGER_OK, lodger_status};

/// Worker threads, connections and one callback thread. Most hosts need none: pass NULL to lodger_agent_create and
/// all agents share a default runtime, made with the first and stopped with the last. It is yours:
/// lodger_runtime_free.
pub struct lodger_runtime(Handle<OwnedRuntime>);
opaque!(lodger_runtime, OwnedRuntime);

/// A runtime and its callback thread.
pub(crate) struct OwnedRuntime {
    pub(crate) runtime: Runtime,
    pub(crate) seat: Arc<Seat>,
}

/// Knobs of a runtime. Set `size` to sizeof(lodger_runtime_options) and every field that you do not use to zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct lodger_runtime_options {
    /// sizeof(lodger_runtime_options), as you compiled it.
    pub size: usize,
    /// Threads that do the work of all agents. 0 is 2.
    pub worker_threads: u32,
    /// Called first on every thread of the runtime that may call you back, or NULL: to announce the thread to a virtual
    /// machine, to name it, to lower its priority.
    pub on_thread_start: lodger_thread_fn,
    /// Called last on every such thread, or NULL.
    pub on_thread_stop: lodger_thread_fn,
    /// Handed to both. It belongs to the library from the call on, also when that fails.
    pub thread_ctx: *mut c_void,
    /// Frees `thread_ctx` after the last of the threads is gone; may be NULL.
    pub thread_drop: lodger_drop_fn,
}

// SAFETY: `repr(C)`, begins with its size; a zero pointer is NULL and a zero function is none.
unsafe impl SizedStruct for lodger_runtime_options {
    const NAME: &'static str = "lodger_runtime_options";
}

/// Makes a runtime of your own.
///
/// Any thread.
///
/// @param options  Knobs; NULL for the defaults. Read during the call only.
/// @param[out] out The runtime. Yours: lodger_runtime_free.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_ABI_MISMATCH, LODGER_E_INVALID_INPUT, LODGER_E_INTERNAL.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_runtime_new(
    options: *const lodger_runtime_options,
    out: *mut *mut lodger_runtime,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (options, out, err) = unsafe { (sized::read(options), Out::of(out), Out::of(err)) };
    guard(err, || {
        // First of all: whatever fails below, the context has found its owner.
        let context = Context::new(options.value.thread_ctx, options.value.thread_drop);
        let hooks = Arc::new(ThreadHooks::new(options.value.on_thread_start, options.value.on_thread_stop, context));
        let out = out.get("out")?;
        if let Some(fault) = options.fault {
            return Err(fault);
        }
        let worker_threads = usize::try_from(options.value.worker_threads).unwrap_or(0);
        let (started, stopped) = (Arc::clone(&hooks), Arc::clone(&hooks));
        let runtime = Runtime::new(RuntimeOptions {
            worker_threads,
            on_thread_start: Some(Arc::new(move || started.start())),
            on_thread_stop: Some(Arc::new(move || stopped.stop())),
        })?;
        *out = give(OwnedRuntime { runtime, seat: Arc::new(Seat::with(hooks)) });
        Ok(LODGER_OK)
    })
}

/// Ends a runtime in order: cancels the turns of its agents, ends their child processes, joins its threads. Agents
/// of it answer LODGER_E_CLOSED from then on, and call nothing back any more: close them before.
///
/// Any thread, but not inside a callback: it waits.
///
/// @param runtime    The runtime.
/// @param timeout_ms How long it may take, 0 or more. What is left over then ends by itself.
/// @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_TIMEOUT, LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_runtime_shutdown(
    runtime: *const lodger_runtime,
    timeout_ms: i64,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (runtime, err) = unsafe { (In::of(runtime), Out::of(err)) };
    guard(err, || {
        let owned = runtime.get("runtime")?;
        let timeout = limit(timeout_ms)?;
        callback::may_wait("lodger_runtime_shutdown")?;
        let until = Instant::now() + timeout;
        let ended = owned.runtime.shut_down(timeout);
        let Some(dispatcher) = owned.seat.current() else { return ended.map(|()| LODGER_OK) };
        let quiet = dispatcher.desk().settle(until) && dispatcher.stop(until);
        ended?;
        if quiet { Ok(LODGER_OK) } else { Err(still_inside(timeout)) }
    })
}

/// Frees a runtime. It does not wait. Agents of it keep what they need.
///
/// Any thread.
///
/// @param runtime The runtime. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_runtime_free(runtime: *mut lodger_runtime) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(runtime) }
}

/// A time limit that must be one.
pub(crate) fn limit(timeout_ms: i64) -> Result<Duration> {
    u64::try_from(timeout_ms).map(Duration::from_millis).map(|limit| limit.min(LONGEST)).map_err(|_| {
        Error::invalid_input(format!("`timeout_ms` is {timeout_ms}; pass 0 or more: an orderly end has a limit"))
    })
}

/// A callback of the host did not return in time.
pub(crate) fn still_inside(timeout: Duration) -> Error {
    Error::new(
        lodger_core::protocol::ErrorCode::Timeout,
        format!("a callback of the host did not return within the limit of {} ms", timeout.as_millis()),
    )
}

/// As good as for ever, and far from where adding times overflows.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
