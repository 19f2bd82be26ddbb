//! What a host gives an agent: its callbacks and its context.

use std::ffi::c_void;
use std::sync::Arc;

use lodger_core::embed::{CheckHandler, Fetcher, Handlers, OpenRequest, TokenSource};
use lodger_core::protocol::{Diagnostic, DiagnosticSink};

use crate::callback::{Context, lodger_diagnostic_fn, lodger_drop_fn};
use crate::desk::Desk;
use crate::errand::{Carrier, Held};
use crate::fetch::{lodger_fetch, lodger_fetch_fn};
use crate::gate::Gate;
use crate::handle::give;
use crate::mint::{Mint, Wanted};
use crate::request::{RequestView, lodger_request, lodger_request_fn};
use crate::sized::SizedStruct;
use crate::text::lodger_str;
use crate::token::{lodger_token_fn, lodger_token_request};

/// How an agent reaches your program. Set `size` to sizeof(lodger_host) and every field that you do not use to zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct lodger_host {
    /// sizeof(lodger_host), as you compiled it.
    pub size: usize,
    /// Handed to each of the functions.
    pub ctx: *mut c_void,
    /// Frees `ctx`; may be NULL.
    pub drop: lodger_drop_fn,
    /// Gets every request: permissions, calls of your tools, questions, plans, checks. NULL: requests are refused at once,
    /// or with the option `"requests": "events"` they wait, as `request_opened` events, for lodger_agent_answer.
    pub on_request: lodger_request_fn,
    /// Gets every diagnostic of the agent, from `runtime.start` to `runtime.exit` (see "Diagnostics", on top). NULL:
    /// nobody does.
    pub on_diagnostic: lodger_diagnostic_fn,
    /// Makes the tokens for providers, in the place of the option `auth` (see "Transport", on top). NULL: `auth` says what
    /// is used.
    pub on_token: lodger_token_fn,
    /// Carries the requests to models (see "Transport", on top). NULL: the library does.
    pub on_fetch: lodger_fetch_fn,
}

// SAFETY: `repr(C)`, begins with its size; a zero pointer is NULL and a zero function is none.
unsafe impl SizedStruct for lodger_host {
    const NAME: &'static str = "lodger_host";
}

/// The same for the life of an agent.
pub(crate) struct Host {
    on_request: lodger_request_fn,
    on_diagnostic: lodger_diagnostic_fn,
    on_token: lodger_token_fn,
    on_fetch: lodger_fetch_fn,
    context: Context,
    /// Shut when the agent is closed or gone: no callback starts then.
    pub(crate) gate: Arc<Gate>,
    /// For the wakers of requests that the host carries, and shut by a close alone: of an agent that is freed while a
    /// request is under way, they say that nobody wants it any more.
    pub(crate) wakers: Arc<Gate>,
}

impl Host {
    pub(crate) fn new(host: &lodger_host) -> Self {
        Self {
            on_request: host.on_request,
            on_diagnostic: host.on_diagnostic,
            on_token: host.on_token,
            on_fetch: host.on_fetch,
            context: Context::new(host.ctx, host.drop),
            gate: Arc::default(),
            wakers: Arc::default(),
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

    /// Whether the engine calls the host outside turns and events, so that the callback thread must be there first.
    pub(crate) fn serves_the_engine(&self) -> bool {
        self.takes_diagnostics() || self.on_token.is_some() || self.on_fetch.is_some()
    }

    /// The same for the engine, which reaches the host by way of `desk`.
    pub(crate) fn handlers(
        self: &Arc<Self>,
        desk: Option<&Arc<Desk>>,
        diagnostics: Option<Arc<dyn DiagnosticSink>>,
    ) -> Handlers {
        let all = self.takes_requests();
        let token = desk.filter(|_| self.on_token.is_some());
        let fetch = desk.filter(|_| self.on_fetch.is_some());
        Handlers {
            permission: all,
            tool: all,
            question: all,
            plan: all,
            check: if all { CheckHandler::WhereNamed } else { CheckHandler::None },
            diagnostics,
            token: token.map(|desk| Arc::new(Mint::new(self, desk)) as Arc<dyn TokenSource>),
            fetch: fetch.map(|desk| Arc::new(Carrier::new(self, desk)) as Arc<dyn Fetcher>),
        }
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

    /// Has the host make a token. Without leave there is none.
    pub(crate) fn make_token(&self, wanted: Wanted) {
        if let (Some(on_token), Some(_pass)) = (self.on_token, self.gate.enter()) {
            let wanted = give::<lodger_token_request>(wanted);
            // SAFETY: the host's function with the host's pointer, which lives as long as `self`; what is wanted is the
            // host's from here on.
            self.context.call(|ctx| unsafe { on_token(ctx, wanted) });
        }
    }

    /// Has the host carry a request. Without leave it fails.
    pub(crate) fn carry(&self, errand: Held) {
        if let (Some(on_fetch), Some(_pass)) = (self.on_fetch, self.gate.enter()) {
            let fetch = give::<lodger_fetch>(errand);
            // SAFETY: the host's function with the host's pointer, which lives as long as `self`; the request is the
            // host's from here on.
            self.context.call(|ctx| unsafe { on_fetch(ctx, fetch) });
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
