//! What a host listens to.

use std::fmt;
use std::sync::Arc;

use lodger_engine::Delivery;
use lodger_model::auth::TokenSource;
use lodger_net::Fetcher;
use lodger_protocol::{DiagnosticSink, RequestDelivery, RequestKind};

/// Whether the host judges calls itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckHandler {
    /// It has no handler.
    #[default]
    None,
    /// It has one for the checks that option `checks` leaves to it.
    WhereNamed,
    /// The same, and it judges every change where option `checks` leaves none to it.
    Always,
}

/// For which kinds of request the host has a handler, where diagnostics go, who fetches, and who makes tokens.
#[derive(Clone, Default)]
pub struct Handlers {
    /// Permission requests.
    pub permission: bool,
    /// Calls of its tools.
    pub tool: bool,
    /// Questions.
    pub question: bool,
    /// Plans.
    pub plan: bool,
    /// Checks.
    pub check: CheckHandler,
    /// Gets diagnostics, from `runtime.start` to `runtime.exit`. Absent: nobody does.
    pub diagnostics: Option<Arc<dyn DiagnosticSink>>,
    /// Carries the requests to models. Absent: the library does.
    pub fetch: Option<Arc<dyn Fetcher>>,
    /// Makes the tokens for providers. Absent: option `auth` says what is used.
    pub token: Option<Arc<dyn TokenSource>>,
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("permission", &self.permission)
            .field("tool", &self.tool)
            .field("question", &self.question)
            .field("plan", &self.plan)
            .field("check", &self.check)
            .field("diagnostics", &self.diagnostics.is_some())
            .field("fetch", &self.fetch.is_some())
            .field("token", &self.token.is_some())
            .finish()
    }
}

impl Handlers {
    /// How a kind of request reaches the host.
    pub(crate) fn delivery(&self, kind: RequestKind, requests: RequestDelivery) -> Delivery {
        let handled = match kind {
            RequestKind::Permission => self.permission,
            RequestKind::Tool => self.tool,
            RequestKind::Question => self.question,
            RequestKind::Plan => self.plan,
            RequestKind::Check => self.check != CheckHandler::None,
        };
        let of_a_person = matches!(kind, RequestKind::Permission | RequestKind::Question | RequestKind::Plan);
        match (handled, requests) {
            (_, RequestDelivery::None) if of_a_person => Delivery::Refused,
            (true, _) => Delivery::Lane,
            (false, RequestDelivery::Events) => Delivery::Events,
            (false, RequestDelivery::Callback | RequestDelivery::None) => Delivery::Refused,
        }
    }
}
