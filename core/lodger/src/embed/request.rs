//! A request in the hands of the host.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lodger_engine::Pending;
use lodger_protocol::{Request, Result};

/// An open request. Answer it from any thread, at any time. Dropping it unanswered refuses it.
pub struct OpenRequest {
    pending: Arc<Pending>,
    json: String,
    detached: AtomicBool,
}

impl OpenRequest {
    /// Hands a request over; its time counts from here.
    pub(crate) fn hand_over(pending: Arc<Pending>) -> Self {
        pending.hand_over();
        // A request is plain data with text keys: writing it cannot fail.
        let json = serde_json::to_string(&pending.request).unwrap_or_default();
        Self { pending, json, detached: AtomicBool::new(false) }
    }

    /// What is asked.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.pending.request
    }

    /// The same as JSON.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Settles it with an answer in JSON. What does not fit is a refusal, not an error.
    ///
    /// # Errors
    /// `request_settled` when it is settled already.
    pub fn answer(&self, answer_json: &str) -> Result<()> {
        self.pending.answer(answer_json)
    }

    /// Settles it with a typed answer.
    ///
    /// # Errors
    /// `request_settled` when it is settled already.
    pub fn settle(&self, answer: lodger_protocol::Answer) -> Result<()> {
        self.pending.settle(answer)
    }

    /// Settles it as refused, because the handler failed.
    ///
    /// # Errors
    /// `request_settled` when it is settled already.
    pub fn fail(&self, reason: &str) -> Result<()> {
        self.pending.fail(reason)
    }

    /// Shows progress of a tool, as far as the reader has room.
    ///
    /// # Errors
    /// `request_settled` when the call is over.
    pub fn progress(&self, text: &str) -> Result<()> {
        self.pending.progress(text)
    }

    /// Whether it is settled, by whomever.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.pending.is_settled()
    }

    /// Calls `hook` once it is settled, from the thread that settles it; at once if it is already.
    pub fn on_settled(&self, hook: Box<dyn FnOnce() + Send>) {
        self.pending.on_settled(hook);
    }

    /// Leaves it to be answered by its id.
    pub(crate) fn detach(&self) -> serde_json::Value {
        self.detached.store(true, Ordering::SeqCst);
        serde_json::to_value(&self.pending.request).unwrap_or_default()
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if !self.detached.load(Ordering::SeqCst) {
            // Settled already is fine: then there is nothing to refuse.
            let _ = self.pending.fail("the host dropped the request without an answer");
        }
    }
}

impl std::fmt::Debug for OpenRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OpenRequest({})", self.pending.request.request_id)
    }
}
