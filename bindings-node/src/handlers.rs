//! What JavaScript has handlers for.

use std::sync::Arc;

use lodger::embed::{CheckHandler, Fetcher, Handlers, TokenSource};
use lodger::protocol::DiagnosticSink;
use napi::bindgen_prelude::ClassInstance;
use napi_derive::napi;

use crate::diagnostics::NativeDiagnostics;
use crate::fetches::NativeFetches;
use crate::tokens::NativeTokens;

/// Which kinds of request have a handler in JavaScript, and the queues of those who are asked otherwise.
#[napi(object, object_to_js = false)]
pub struct NativeHandlers<'env> {
    /// `onPermission`.
    pub permission: Option<bool>,
    /// `tools`.
    pub tool: Option<bool>,
    /// `onQuestion`.
    pub question: Option<bool>,
    /// `onPlan`.
    pub plan: Option<bool>,
    /// `onCheck`.
    pub check: Option<bool>,
    /// `onDiagnostic`.
    pub diagnostics: Option<ClassInstance<'env, NativeDiagnostics>>,
    /// `fetch`.
    pub fetch: Option<ClassInstance<'env, NativeFetches>>,
    /// `auth.token`.
    pub token: Option<ClassInstance<'env, NativeTokens>>,
}

impl NativeHandlers<'_> {
    pub(crate) fn into_handlers(self) -> Handlers {
        let has = |handler: Option<bool>| handler.unwrap_or(false);
        Handlers {
            permission: has(self.permission),
            tool: has(self.tool),
            question: has(self.question),
            plan: has(self.plan),
            check: if has(self.check) { CheckHandler::Always } else { CheckHandler::None },
            diagnostics: self.diagnostics.map(|it| Arc::new(it.queue()) as Arc<dyn DiagnosticSink>),
            fetch: self.fetch.map(|it| Arc::new(it.queue()) as Arc<dyn Fetcher>),
            token: self.token.map(|it| Arc::new(it.queue()) as Arc<dyn TokenSource>),
        }
    }
}
