//! What goes wrong on the wire, which a script cannot say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A fault, and the request that it strikes. Of several rules for a request the first holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FaultRule {
    /// Which request, counted from 1 over the life of the server. Absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<u64>,
    /// What happens to it.
    pub fault: WireFault,
}

impl FaultRule {
    /// Strikes the request of that number.
    #[must_use]
    pub fn on(request: u64, fault: WireFault) -> Self {
        Self { request: Some(request), fault }
    }

    /// Strikes every request.
    #[must_use]
    pub fn always(fault: WireFault) -> Self {
        Self { request: None, fault }
    }
}

/// What happens to a request or its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum WireFault {
    /// An answer of this status in place of a stream.
    Status {
        /// The status.
        status: u16,
        /// More headers: `retry-after`, `location`.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// The body. Default: an error of the kind that belongs to the status.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<String>,
    },
    /// The request is read and never answered.
    Silence,
    /// The stream goes on normally for so many bytes of body, then the connection breaks.
    Cut {
        /// How many bytes.
        after_bytes: usize,
    },
    /// The stream goes on normally for so many bytes of body, then ends in due form.
    End {
        /// How many bytes.
        after_bytes: usize,
    },
    /// The stream goes on normally for so many bytes of body, then nothing more comes.
    Stall {
        /// How many bytes.
        after_bytes: usize,
    },
    /// After so many events of the stream these bytes follow, as they are, and the stream goes on.
    Insert {
        /// How many events.
        after_events: usize,
        /// What is put in.
        text: String,
    },
}
