//! Functions of the host, and how they are called: never under a lock of ours, never without their destructor.

use std::cell::Cell;
use std::ffi::c_void;

use lodger_core::protocol::{Error, ErrorCode, Result};

use crate::status::lodger_status;
use crate::text::lodger_str;

/// Frees what a `ctx` points to. Called exactly once for each `ctx` that you pass in, whatever the call that took it
/// answered, after the last callback with it returned, on any thread.
pub type lodger_drop_fn = Option<unsafe extern "C" fn(ctx: *mut c_void)>;

/// Wakes your own loop. Called on a thread of the engine: it must return at once and may only signal (write to a
/// pipe, post to a queue, notify a condition).
pub type lodger_wake_fn = Option<unsafe extern "C" fn(ctx: *mut c_void)>;

/// Gets a diagnostic, as JSON. Called on the callback thread of the runtime, one at a time, in order. The text is the
/// library's, until this returns.
pub type lodger_diagnostic_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, json: lodger_str)>;

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
