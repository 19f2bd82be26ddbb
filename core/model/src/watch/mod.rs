//! Those who watch how an agent talks to its model: diagnostics for the host, and the wire trace for whoever looks
//! for a fault. Nothing here changes what is said.

mod held_secrets;
mod redact;
mod trace;

use std::sync::Arc;
use std::time::{Duration, Instant};

use lodger_net::Frame;
use lodger_protocol::{DiagnosticBody, Diagnostics, Error, Secret};
use serde_json::json;

use crate::call::Call;
use crate::retry::Retried;
pub use held_secrets::HeldSecrets;
pub use redact::Redactor;
pub use trace::WireTrace;

/// Longest name of a request, in characters.
const MAX_REQUEST_ID: usize = 200;

/// Who watches the requests of an agent. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Gets `transport.*`.
    pub diagnostics: Diagnostics,
    /// Takes every word, if there is one.
    pub trace: Option<WireTrace>,
    /// Remembers the credentials that are sent.
    pub held: HeldSecrets,
}

/// One attempt at a model call, as it is watched.
pub(crate) struct Attempt {
    watch: Watch,
    /// `provider/model`.
    model: String,
    number: u32,
    began: Instant,
    /// What must not be shown when the other side repeats it.
    secrets: Vec<Secret>,
}

impl Watch {
    /// An attempt begins.
    pub(crate) fn begin(&self, model: &str, number: u32, call: &Call<'_>, secrets: Vec<Secret>) -> Attempt {
        self.held.note(&secrets);
        let attempt = Attempt { watch: self.clone(), model: model.to_owned(), number, began: Instant::now(), secrets };
        let endpoint = without_query(call.url);
        self.diagnostics.report(|| DiagnosticBody::TransportStart {
            attempt: number,
            method: call.method.as_str().to_owned(),
            endpoint: endpoint.to_owned(),
            model: model.to_owned(),
        });
        attempt.trace("request", || {
            let body =
                serde_json::from_slice(&call.body).unwrap_or_else(|_| json!(String::from_utf8_lossy(&call.body)));
            json!({ "endpoint": endpoint, "body": body })
        });
        attempt
    }
}

impl Watch {
    /// An attempt failed and is followed by another.
    pub(crate) fn retries(&self, retried: &Retried, error: &Error) {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.diagnostics.report(|| DiagnosticBody::TransportRetry {
            attempt: retried.attempt,
            elapsed_ms: ms(retried.elapsed),
            error: error.code,
            next_attempt: retried.attempt.saturating_add(1),
            delay_ms: ms(retried.delay),
        });
    }
}

impl Attempt {
    /// Whoever is to hear how long the request waited for its turn.
    pub(crate) fn queued(&self) -> Arc<dyn Fn(Duration) + Send + Sync> {
        let (diagnostics, model, attempt) = (self.watch.diagnostics.clone(), self.model.clone(), self.number);
        Arc::new(move |wait| {
            diagnostics.report(|| DiagnosticBody::TransportQueued {
                attempt,
                queued_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                model: model.clone(),
            });
        })
    }

    /// The head of an answer came.
    pub(crate) fn answered(&self, status: u16, request_id: Option<&str>) {
        // Whatever a server sends back, it may be the key.
        let request_id = request_id.map(|id| self.hide_in(&id.chars().take(MAX_REQUEST_ID).collect::<String>()));
        self.watch.diagnostics.report(|| DiagnosticBody::TransportResponse {
            attempt: self.number,
            status,
            elapsed_ms: self.elapsed_ms(),
            request_id: request_id.clone(),
            model: self.model.clone(),
            provider: self.model.split('/').next().unwrap_or_default().to_owned(),
        });
        self.trace("response", || json!({ "status": status, "requestId": request_id, "elapsedMs": self.elapsed_ms() }));
    }

    /// A frame of the stream came.
    pub(crate) fn framed(&self, frame: &Frame) {
        self.trace("frame", || {
            let data = serde_json::from_str(&frame.data).unwrap_or_else(|_| json!(frame.data));
            json!({ "event": frame.event, "data": data })
        });
    }

    /// No answer, an answer that is an error, or one that broke.
    pub(crate) fn failed(&self, error: &Error) {
        self.watch.diagnostics.report(|| DiagnosticBody::TransportError {
            attempt: self.number,
            elapsed_ms: self.elapsed_ms(),
            error: error.code,
        });
        self.trace("error", || json!({ "code": error.code, "message": error.message }));
    }

    /// The text without our secrets.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| secret.hide_in(&text))
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn trace(&self, what: &str, record: impl FnOnce() -> serde_json::Value) {
        if let Some(trace) = &self.watch.trace {
            trace.write(what, &self.model, self.number, record(), &self.secrets);
        }
    }
}

/// A URL without what may carry a key.
fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}
