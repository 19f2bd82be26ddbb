//! What the machinery does, for those who watch it: beside the events, never part of a conversation.
//!
//! A diagnostic carries no credential, no header and nothing of what was said. The core never logs: this is how it
//! speaks.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Clock, ErrorCode, Outcome, SessionId, TargetKind};

/// One thing that happened inside an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Unix milliseconds.
    pub ts: u64,
    /// Whose agent.
    pub session_id: SessionId,
    /// What happened.
    #[serde(flatten)]
    pub body: DiagnosticBody,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum DiagnosticBody {
    /// The agent is being made.
    #[serde(rename = "runtime.start")]
    RuntimeStart,
    /// The agent takes prompts.
    #[serde(rename = "runtime.ready")]
    RuntimeReady,
    /// The agent is closed: always the last one, once.
    #[serde(rename = "runtime.exit")]
    RuntimeExit {
        /// 0.
        code: i32,
    },
    /// A request to the model begins.
    #[serde(rename = "transport.start")]
    TransportStart {
        /// 1, and one more for each retry of the same model call.
        attempt: u32,
        /// The HTTP method.
        method: String,
        /// Scheme, host and path; never a query, which may carry a key.
        endpoint: String,
        /// `provider/model`.
        model: String,
    },
    /// It had to wait for its turn, since as many requests as may be were under way to its host. Told when the wait is
    /// over.
    #[serde(rename = "transport.queued")]
    TransportQueued {
        /// As in `transport.start`.
        attempt: u32,
        /// Milliseconds that it waited; they are part of what `elapsedMs` says later.
        queued_ms: u64,
        /// `provider/model`.
        model: String,
    },
    /// The head of its answer came.
    #[serde(rename = "transport.response")]
    TransportResponse {
        /// As in `transport.start`.
        attempt: u32,
        /// The HTTP status.
        status: u16,
        /// Milliseconds since `transport.start`.
        elapsed_ms: u64,
        /// What the provider calls the request, if it said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
        /// `provider/model`.
        model: String,
        /// The part of the model's name before the `/`.
        provider: String,
    },
    /// No answer, or one that is an error, or an answer that broke.
    #[serde(rename = "transport.error")]
    TransportError {
        /// As in `transport.start`.
        attempt: u32,
        /// Milliseconds since `transport.start`.
        elapsed_ms: u64,
        /// Its code. The message is in the turn's own error.
        error: ErrorCode,
    },
    /// The same model call is tried again after a wait.
    #[serde(rename = "transport.retry")]
    TransportRetry {
        /// The attempt that failed.
        attempt: u32,
        /// Milliseconds since its `transport.start`.
        elapsed_ms: u64,
        /// Why.
        error: ErrorCode,
        /// The attempt to come.
        next_attempt: u32,
        /// Milliseconds until it.
        delay_ms: u64,
    },
    /// The reader of a turn is slower than its sources, which now wait. Once in a turn.
    #[serde(rename = "output.backpressure")]
    OutputBackpressure {
        /// Bytes that lie unread, about.
        buffered_bytes: u64,
        /// Events that lie unread.
        buffered_events: u64,
    },
    /// A call needs leave.
    #[serde(rename = "permission.request")]
    PermissionRequest {
        /// Name of the tool.
        tool_name: String,
        /// What the call acts on.
        kind: TargetKind,
    },
    /// A call that needed leave has its answer.
    #[serde(rename = "permission.decision")]
    PermissionDecision {
        /// Name of the tool.
        tool_name: String,
        /// What the call acts on.
        kind: TargetKind,
        /// How it was decided.
        outcome: Outcome,
    },
    /// The host did not take its diagnostics for so long that some were lost, between this one and the one before.
    #[serde(rename = "diagnostics.dropped")]
    Dropped {
        /// How many.
        count: u64,
    },
}

/// Takes diagnostics, in the order in which they happened. Called on any thread of the engine: it must return at
/// once, and may only keep or pass on what it got.
pub trait DiagnosticSink: Send + Sync {
    /// Takes one.
    fn report(&self, diagnostic: Diagnostic);
}

/// Where an agent's parts report to. Without a sink, reporting costs nothing. Cheap to clone.
#[derive(Clone, Default)]
pub struct Diagnostics(Option<Arc<Source>>);

struct Source {
    session_id: SessionId,
    clock: Arc<dyn Clock>,
    sink: Arc<dyn DiagnosticSink>,
}

impl Diagnostics {
    /// Reports of that session, with the time of `clock`.
    #[must_use]
    pub fn new(session_id: SessionId, clock: Arc<dyn Clock>, sink: Arc<dyn DiagnosticSink>) -> Self {
        Self(Some(Arc::new(Source { session_id, clock, sink })))
    }

    /// Tells the sink, if there is one; `what` is made only then.
    pub fn report(&self, what: impl FnOnce() -> DiagnosticBody) {
        if let Some(source) = &self.0 {
            let (ts, session_id) = (source.clock.now_ms(), source.session_id.clone());
            source.sink.report(Diagnostic { ts, session_id, body: what() });
        }
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Diagnostics({})", if self.0.is_some() { "watched" } else { "unwatched" })
    }
}
