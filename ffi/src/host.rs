//! What a host gives an agent: its `on_request` and its context.

use std::ffi::c_void;
use std::sync::Arc;

use lodger_core::embed::OpenRequest;

use crate::callback::{Context, lodger_drop_fn, lodger_request_fn};
use crate::dispatch::Desk;
use crate::gate::Gate;
use crate::handle::give;
use crate::request::{RequestView, lodger_request};
use crate::sized::SizedStruct;

/// How an agent reaches your program. Set `size` to sizeof(lodger_host) and every field that you do not use to zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct lodger_host {
    /// sizeof(lodger_host), as you compiled it.
    pub size: usize,
    /// Handed to `on_request`.
    pub ctx: *mut c_void,
    /// Frees `ctx`; may be NULL.
    pub drop: lodger_drop_fn,
    /// Gets every request: permissions, calls of your tools, questions, plans. NULL: requests are refused at once,
    /// or with the option `"requests": "events"` they wait, as `request_opened` events, for lodger_agent_answer.
    pub on_request: lodger_request_fn,
}

// SAFETY: `repr(C)`, begins with its size; a zero pointer is NULL and a zero function is none.
unsafe impl SizedStruct for lodger_host {
    const NAME: &'static str = "lodger_host";
}

/// The same for the life of an agent.
pub(crate) struct Host {
    on_request: lodger_request_fn,
    context: Context,
    /// Shut when the agent is closed or gone: no callback starts then.
    pub(crate) gate: Gate,
}

impl Host {
    pub(crate) fn new(host: &lodger_host) -> Self {
        Self { on_request: host.on_request, context: Context::new(host.ctx, host.drop), gate: Gate::default() }
    }

    /// Whether requests are handed over.
    pub(crate) fn handles_requests(&self) -> bool {
        self.on_request.is_some()
    }

    /// Gives the host an open request. Without leave it is dropped, which refuses it.
    pub(crate) fn hand_over(self: &Arc<Self>, request: OpenRequest, desk: &Arc<Desk>) {
        if let (Some(on_request), Some(_pass)) = (self.on_request, self.gate.enter()) {
            let request = give::<lodger_request>(RequestView::new(request, Arc::clone(self), Arc::clone(desk)));
            // SAFETY: the host's function with the host's pointer, which lives as long as `self`; the request is the
            // host's from here on.
            self.context.call(|ctx| unsafe { on_request(ctx, request) });
        }
    }

    /// Calls another function of the host, unless the agent is closed.
    pub(crate) fn call(&self, function: impl FnOnce()) {
        if let Some(_pass) = self.gate.enter() {
            function();
        }
    }
}
