//! The bell: one weak thread-safe function per environment. It carries nothing; ringing it makes Node's thread look
//! at the mailbox. It holds the event loop only while it is told to.

use std::sync::Arc;

use lodger::Result;
use napi::bindgen_prelude::{Env, Function, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Status, sys};

use crate::error::node;

type Rope = ThreadsafeFunction<(), Unknown<'static>, (), Status, false, true>;

/// Rings from any thread. Clones are the same bell.
#[derive(Clone)]
pub(crate) struct Bell(Arc<Rope>);

impl Bell {
    pub(crate) fn new(on_ring: &Function<'_, (), Unknown<'static>>) -> Result<Self> {
        let rope = on_ring.build_threadsafe_function::<()>().weak::<true>().build().map_err(node)?;
        Ok(Self(Arc::new(rope)))
    }

    /// Never blocks. Does nothing once the environment is gone.
    pub(crate) fn ring(&self) {
        self.0.call((), ThreadsafeFunctionCallMode::NonBlocking);
    }

    /// Makes the event loop stay (`true`) or free to end (`false`). For the environment's own thread.
    pub(crate) fn hold(&self, env: &Env, hold: bool) -> Result<()> {
        if self.0.aborted() {
            return Ok(());
        }
        // SAFETY: both functions ask for the environment's thread, and for a thread-safe function that is not
        // released. `env` exists only on that thread and only there is the function released, by the environment's
        // teardown, after which `aborted` is true; `self` holds a share of it until then.
        let status = unsafe {
            if hold {
                sys::napi_ref_threadsafe_function(env.raw(), self.0.raw())
            } else {
                sys::napi_unref_threadsafe_function(env.raw(), self.0.raw())
            }
        };
        match Status::from(status) {
            Status::Ok => Ok(()),
            other => Err(node(napi::Error::from_status(other))),
        }
    }
}
