//! What a host gives an agent: its callbacks and its context.

use std::ffi::c_void;
use std::sync::Arc;

use lodger_core::embed::{Handlers, OpenRequest};
use lodger_core::protocol::{Diagnostic, DiagnosticSink};

use crate::callback::{Context, lodger_diagnostic_fn, lodger_drop_fn};
use crate::desk::Desk;
use crate::gate::Gate;
use crate::handle::give;
use crate::request::{RequestView, lodger_request, lodger_request_fn};
use crate::sized::SizedStruct;
use crate::text::lodger_str;

/// How an agent reaches your program. Set `size` to sizeof(lodger_host) and every field that you do not use to zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct lodger_host {
    /// sizeof(lodger_host), as you compiled it.
    pub size: usize,
    /// Handed to `on_request` and `on_diagnostic`.
    pub ctx: *mut c_void,
    /// Frees `ctx`; may be NULL.
    pub drop: lodger_drop_fn,
    /// Gets every request: permissions, calls of your tools, questions, plans. NULL: requests are refused at once,
    /// or with the option `"requests": "events"` they wait, as `request_opened` events, for lodger_agent_answer.
    pub on_request: lodger_request_fn,
    /// Gets every diagnostic of the agent, from `runtime.start` to `runtime.exit` (see "Diagnostics", on top). NULL:
    /// nobody does.
    pub on_diagnostic: lodger_diagnostic_fn,
}

// SAFETY: `repr(C)`, begins with its size; a zero pointer is NULL and a zero function is none.
unsafe impl SizedStruct for lodger_host {
    const NAME: &'static str = "lodger_host";
}

/// The same for the life of an agent.
pub(crate) struct Host {
    on_request: lodger_request_fn,
    on_diagnostic: lodger_diagnostic_fn,
    context: Context,
    /// Shut when the agent is closed or gone: no callback starts then.
    pub(crate) gate: Arc<Gate>,
}

impl Host {
    pub(crate) fn new(host: &lodger_host) -> Self {
        Self {
            on_request: host.on_request,
            on_diagnostic: host.on_diagnostic,
            context: Context::new(host.ctx, host.drop),
            gate: Arc::default(),
        }
    }

    /// Whether requests are handed over.
    pub(crate) fn takes_requests(&self) -> bool {
        self.on_request.is_some()
    }

    /// Whether diagnostics are told.
    pub(crate) fn takes_diagnostics(&self) -> bool {
        self.on_diagnostic.is_some()
    }

    /// The same for the engine.
    pub(crate) fn handlers(&self, diagnostics: Option<Arc<dyn DiagnosticSink>>) -> Handlers {
        let all = self.takes_requests();
        Handlers { permission: all, tool: all, question: all, plan: all, diagnostics, ..Handlers::default() }
    }

    /// Gives the host an open request. Without leave it is dropped, which refuses it.
    pub(crate) fn hand_over(&self, request: OpenRequest, desk: &Arc<Desk>) {
        if let (Some(on_request), Some(_pass)) = (self.on_request, self.gate.enter()) {
            let request = give::<lodger_request>(RequestView::new(request, Arc::clone(&self.gate), Arc::clone(desk)));
            // SAFETY: the host's function with the host's pointer, which lives as long as `self`; the request is the
            // host's from here on.
            self.context.call(|ctx| unsafe { on_request(ctx, request) });
        }
    }

    /// Tells the host a diagnostic.
    pub(crate) fn tell(&self, diagnostic: &Diagnostic) {
        if let (Some(on_diagnostic), Some(_pass)) = (self.on_diagnostic, self.gate.enter()) {
            // Plain data with text keys: writing it cannot fail.
            let json = serde_json::to_string(diagnostic).unwrap_or_default();
            // SAFETY: the host's function with the host's pointer, which lives as long as `self`; so does the text
            // until the call returns, and the header says that the host keeps it no longer.
            self.context.call(|ctx| unsafe { on_diagnostic(ctx, lodger_str::of(&json)) });
        }
    }
}
