//! One prompt and what follows from it, as JSON texts.

use lodger::embed::Turn;
use napi_derive::napi;

use crate::error::guard;

/// A running or ended turn. Letting go of it does not cancel it while the mailbox still knows it.
#[napi]
pub struct NativeTurn {
    turn: Turn,
}

impl NativeTurn {
    pub(crate) fn new(turn: Turn) -> Self {
        Self { turn }
    }
}

#[napi]
impl NativeTurn {
    /// The turn's id.
    #[napi(getter)]
    pub fn id(&self) -> napi::Result<String> {
        guard(|| Ok(self.turn.id().to_string()))
    }

    /// Makes the caller the turn's one reader.
    #[napi]
    pub fn claim_reader(&self) -> napi::Result<()> {
        guard(|| self.turn.claim_reader())
    }

    /// Up to `max` events as the text of a JSON array. `null`: none, and the events' lane rings when there are more.
    /// `[]`: none, and none will come.
    #[napi]
    pub fn drain_json(&self, max: u32) -> napi::Result<Option<String>> {
        guard(|| Ok(self.turn.drain_json(max as usize)))
    }

    /// What the requests' lane holds, as the text of a JSON array; `null` when it is empty.
    #[napi]
    pub fn take_lane_json(&self) -> napi::Result<Option<String>> {
        guard(|| Ok(self.turn.take_lane_json()))
    }

    /// Asks the turn to end, and does not wait.
    #[napi]
    pub fn cancel(&self) -> napi::Result<()> {
        guard(|| {
            self.turn.cancel();
            Ok(())
        })
    }
}
