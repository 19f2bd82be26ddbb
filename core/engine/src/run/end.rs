//! How a turn came to its end.

use lodger_protocol::{Boundary, DoneReason, Error};

/// Why, how whole, and what failed.
pub(super) struct End {
    pub(super) reason: DoneReason,
    pub(super) boundary: Boundary,
    pub(super) error: Option<Error>,
}

impl End {
    pub(super) const fn cancelled() -> Self {
        Self { reason: DoneReason::Cancelled, boundary: Boundary::Interrupted, error: None }
    }

    pub(super) const fn failed(error: Error) -> Self {
        Self { reason: DoneReason::Error, boundary: Boundary::Interrupted, error: Some(error) }
    }
}
