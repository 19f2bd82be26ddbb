//! What a host does with the threads of its runtime.

use crate::callback::{Context, lodger_thread_fn};

/// The host's functions for the beginning and the end of a thread.
pub(crate) struct ThreadHooks {
    on_start: lodger_thread_fn,
    on_stop: lodger_thread_fn,
    context: Context,
}

impl ThreadHooks {
    pub(crate) fn new(on_start: lodger_thread_fn, on_stop: lodger_thread_fn, context: Context) -> Self {
        Self { on_start, on_stop, context }
    }

    /// This thread begins.
    pub(crate) fn start(&self) {
        self.call(self.on_start);
    }

    /// This thread ends.
    pub(crate) fn stop(&self) {
        self.call(self.on_stop);
    }

    fn call(&self, hook: lodger_thread_fn) {
        if let Some(hook) = hook {
            // SAFETY: the host's function with the host's pointer, which `self` keeps.
            self.context.call(|ctx| unsafe { hook(ctx) });
        }
    }
}
