//! How a turn came to its end.

use lodger_protocol::{Boundary, DoneReason, Error};
use serde_json::Value;

/// Why, how whole, what it came to, and what failed.
pub(super) struct End {
    pub(super) reason: DoneReason,
    pub(super) boundary: Boundary,
    /// The answer, where one was to fit a schema.
    pub(super) structured: Option<Value>,
    pub(super) error: Option<Error>,
}

impl End {
    /// After a whole reply.
    pub(super) const fn complete(reason: DoneReason) -> Self {
        Self { reason, boundary: Boundary::Complete, structured: None, error: None }
    }

    pub(super) const fn cancelled() -> Self {
        Self { reason: DoneReason::Cancelled, boundary: Boundary::Interrupted, structured: None, error: None }
    }

    pub(super) const fn failed(error: Error) -> Self {
        Self { reason: DoneReason::Error, boundary: Boundary::Interrupted, structured: None, error: Some(error) }
    }
}
