//! The host's handlers, by kind of request.

use std::collections::HashMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lodger_model::auth::{IssuedToken, TokenRequest, TokenSource};
use lodger_net::Fetcher;
use lodger_protocol::{
    Answer, CheckAnswer, CheckRequest, Diagnostic, DiagnosticSink, PermissionAnswer, PermissionRequest, PlanAnswer,
    PlanRequest, QuestionAnswer, QuestionRequest, RequestId, Result, ToolCallId,
};
use tokio_util::sync::CancellationToken;

use crate::embed::{self, CheckHandler};
use crate::tool::ToolHandler;

/// A request in the hands of a handler.
#[derive(Clone, Debug)]
pub struct Asked<T> {
    /// The request.
    pub request_id: RequestId,
    /// The call that it is about.
    pub tool_call_id: Option<ToolCallId>,
    /// Unix milliseconds after which it is refused.
    pub expires_at: Option<u64>,
    /// What is asked.
    pub body: T,
    /// Cancelled when the request is settled without this handler: its answer no longer counts.
    pub withdrawn: CancellationToken,
}

type Handler<T> = Arc<dyn Fn(Asked<T>) -> BoxFuture<'static, Answer> + Send + Sync>;

/// All handlers of one agent.
#[derive(Clone, Default)]
pub(crate) struct HandlerSet {
    pub(crate) permission: Option<Handler<PermissionRequest>>,
    pub(crate) question: Option<Handler<QuestionRequest>>,
    pub(crate) plan: Option<Handler<PlanRequest>>,
    pub(crate) check: Option<Handler<CheckRequest>>,
    pub(crate) tools: HashMap<String, ToolHandler>,
    pub(crate) diagnostics: Option<Arc<dyn DiagnosticSink>>,
    pub(crate) fetch: Option<Arc<dyn Fetcher>>,
    pub(crate) token: Option<Arc<dyn TokenSource>>,
}

impl HandlerSet {
    pub(crate) fn kinds(&self) -> embed::Handlers {
        embed::Handlers {
            permission: self.permission.is_some(),
            tool: !self.tools.is_empty(),
            question: self.question.is_some(),
            plan: self.plan.is_some(),
            check: if self.check.is_some() { CheckHandler::Always } else { CheckHandler::None },
            diagnostics: self.diagnostics.clone(),
            fetch: self.fetch.clone(),
            token: self.token.clone(),
        }
    }
}

/// A closure that gets diagnostics. What it does wrong is its own business: a panic ends there.
pub(crate) struct Watcher<F>(pub(crate) F);

impl<F: Fn(Diagnostic) + Send + Sync> DiagnosticSink for Watcher<F> {
    fn report(&self, diagnostic: Diagnostic) {
        // Nothing of ours is inside, so nothing of ours is broken by its panic.
        let _ = catch_unwind(AssertUnwindSafe(|| (self.0)(diagnostic)));
    }
}

/// A closure that makes tokens.
pub(crate) struct Tokens<M>(pub(crate) M);

impl<M, F> TokenSource for Tokens<M>
where
    M: Fn(TokenRequest) -> F + Send + Sync,
    F: Future<Output = Result<IssuedToken>> + Send + 'static,
{
    fn token(&self, wanted: TokenRequest) -> BoxFuture<'static, Result<IssuedToken>> {
        (self.0)(wanted).boxed()
    }
}

/// Turns an async closure into a handler.
pub(crate) fn handler<T, A, F>(handle: impl Fn(Asked<T>) -> F + Send + Sync + 'static) -> Handler<T>
where
    A: IntoAnswer + 'static,
    F: Future<Output = A> + Send + 'static,
{
    Arc::new(move |asked| handle(asked).map(IntoAnswer::into_answer).boxed())
}

/// Typed answers as answers.
pub(crate) trait IntoAnswer {
    fn into_answer(self) -> Answer;
}

impl IntoAnswer for PermissionAnswer {
    fn into_answer(self) -> Answer {
        Answer::Permission(self)
    }
}

impl IntoAnswer for QuestionAnswer {
    fn into_answer(self) -> Answer {
        Answer::Question(self)
    }
}

impl IntoAnswer for CheckAnswer {
    fn into_answer(self) -> Answer {
        Answer::Check(self)
    }
}

impl IntoAnswer for PlanAnswer {
    fn into_answer(self) -> Answer {
        Answer::Plan(self)
    }
}
