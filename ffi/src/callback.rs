//! Functions of the host, and how they are called: never under a lock of ours, never without their destructor.

use std::cell::Cell;
use std::ffi::c_void;

use lodger_core::protocol::{Error, ErrorCode, Result};

use crate::argument::null;
use crate::event::lodger_event;
use crate::gate::Gate;
use crate::request::lodger_request;
use crate::status::lodger_status;

/// Frees what a `ctx` points to. Called exactly once for each `ctx` that you pass in, whatever the call that took it
/// answered, after the last callback with it returned, on any thread.
pub type lodger_drop_fn = Option<unsafe extern "C" fn(ctx: *mut c_void)>;

/// Wakes your own loop. Called on a thread of the engine: it must return at once and may only signal (write to a
/// pipe, post to a queue, notify a condition).
pub type lodger_wake_fn = Option<unsafe extern "C" fn(ctx: *mut c_void)>;

/// Gets an open request. Called on the callback thread of the runtime, one at a time. The request is yours: answer it
/// here or later, from any thread, and free it.
pub type lodger_request_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, request: *mut lodger_request)>;

/// What a listener wants: one of `LODGER_FLOW_...`. Any other number is LODGER_FLOW_CANCEL.
pub type lodger_flow = i32;

/// The next event, please.
pub const LODGER_FLOW_CONTINUE: i32 = 0;
/// No event until lodger_turn_resume; `done` waits for it too.
pub const LODGER_FLOW_PAUSE: i32 = 1;
/// Cancel the turn, like lodger_turn_cancel. The events up to `done` still come.
pub const LODGER_FLOW_CANCEL: i32 = 2;

/// Gets an event. Called on the callback thread of the runtime, one at a time. The event is yours: free it here or
/// later.
pub type lodger_event_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, event: *mut lodger_event) -> lodger_flow>;

/// Is told that an agent was closed, and how that went: LODGER_OK or LODGER_E_TIMEOUT.
pub type lodger_closed_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, status: lodger_status)>;

/// Gets to see a thread of the library, on that thread. It must return soon, and may call nothing of this library.
pub type lodger_thread_fn = Option<unsafe extern "C" fn(ctx: *mut c_void)>;

thread_local! {
    /// How many callbacks of the host stand on this thread's stack.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
}

/// Marks the thread as being inside a callback for as long as it lives.
struct Inside;

impl Inside {
    fn mark() -> Self {
        INSIDE.with(|depth| depth.set(depth.get() + 1));
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.with(|depth| depth.set(depth.get() - 1));
    }
}

/// Whether this thread is inside a callback of the host.
pub(crate) fn inside() -> bool {
    // A thread that is going down has no marker, and no callback either.
    INSIDE.try_with(|depth| depth.get() > 0).unwrap_or(false)
}

/// Refuses a call that waits when it is made from inside a callback: what it waits for may need this very thread.
pub(crate) fn may_wait(call: &str) -> Result<()> {
    if inside() {
        return Err(Error::new(
            ErrorCode::WouldDeadlock,
            format!("{call} waits, and was called from inside a callback; call it from another thread"),
        ));
    }
    Ok(())
}

/// The host's `ctx` with its destructor.
pub(crate) struct Context {
    ctx: *mut c_void,
    drop: lodger_drop_fn,
}

// SAFETY: the header says that callbacks and `drop` come on threads of the library; the pointer is only handed back.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(crate) fn new(ctx: *mut c_void, drop: lodger_drop_fn) -> Self {
        Self { ctx, drop }
    }

    /// Calls a function of the host with the context.
    pub(crate) fn call(&self, function: impl FnOnce(*mut c_void)) {
        let _inside = Inside::mark();
        function(self.ctx);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            // SAFETY: the host's destructor with the host's pointer; this is the only call.
            self.call(|ctx| unsafe { drop(ctx) });
        }
    }
}

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
        if let Some(_pass) = self.gate.enter() {
            (self.ring)();
        }
    }

    /// No ring starts after this returned; one under way may still finish.
    pub(crate) fn silence(&self) {
        self.gate.shut();
    }
}
