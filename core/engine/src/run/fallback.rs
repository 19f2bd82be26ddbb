//! Another model carries on with the step when one has failed before anybody saw anything of its reply.

use std::time::Duration;

use lodger_model::RETRY_TIME;
use lodger_protocol::{Error, Passing};
use tokio::time::Instant;

use super::reply::status_of;
use crate::context::StepContext;
use crate::models::Cure;
use crate::turn::Turn;

/// The time in which attempts for one reply may begin, of all models together.
pub(super) struct RetryTime(Instant);

impl RetryTime {
    pub(super) fn begin() -> Self {
        Self(Instant::now())
    }

    pub(super) fn left(&self) -> Duration {
        RETRY_TIME.saturating_sub(self.0.elapsed())
    }
}

/// Chooses the model that carries on and tells the reader. False: there is none, or no time for it, or none would help.
pub(super) fn carry_on(turn: &Turn, context: &StepContext, error: &Error, time: &RetryTime) -> bool {
    let Some(cure) = Cure::of(error).filter(|_| !time.left().is_zero()) else { return false };
    let Some(next) = turn.shared.carry_on(&context.model, cure) else { return false };
    turn.pass(Passing::Fallback {
        from_model: context.model.name().to_owned(),
        to_model: next.name().to_owned(),
        reason: error.to_string(),
        status: status_of(error),
    });
    true
}
