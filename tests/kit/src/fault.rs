//! What goes wrong on the wire, which a script cannot say.

use std::collections::BTreeMap;

use lodger_protocol::ErrorCode;
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
    /// The stream goes on normally for so many bytes of body, then the connection is reset.
    Reset {
        /// How many bytes.
        after_bytes: usize,
    },
    /// The request is read, then the connection is closed without a word.
    Close,
    /// The head of the answer claims a length. A body that is longer is cut there, in due form; one that is shorter
    /// ends with the connection.
    Length {
        /// What is claimed, in bytes.
        claims: usize,
        /// The body ends after so many bytes. Default: when all is said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after_bytes: Option<usize>,
    },
    /// The whole stream comes in pieces of so many bytes, each in a packet of its own.
    Trickle {
        /// How many bytes.
        bytes: usize,
        /// Milliseconds between two pieces. Default 0.
        #[serde(default)]
        pause_ms: u64,
    },
    /// One bit of the body is not as it was.
    Corrupt {
        /// In which byte, counted from 0.
        at_byte: usize,
    },
    /// After so many events of the stream these bytes follow, as they are, and the stream goes on.
    Insert {
        /// How many events.
        after_events: usize,
        /// What is put in.
        text: String,
    },
    /// After so many events a frame follows that is not JSON, and the stream goes on.
    Malformed {
        /// How many events.
        after_events: usize,
    },
    /// After so many events a frame follows of a kind that no client knows, and the stream goes on.
    Unknown {
        /// How many events.
        after_events: usize,
    },
    /// After so many events the provider reports an error in its own form, and the stream ends.
    Error {
        /// How many events.
        after_events: usize,
        /// What it means.
        code: ErrorCode,
        /// The provider's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

impl WireFault {
    /// After how many bytes the body goes wrong, and how.
    pub(crate) fn limit(&self) -> Option<(usize, Break)> {
        Some(match *self {
            Self::Cut { after_bytes } => (after_bytes, Break::Cut),
            Self::Reset { after_bytes } => (after_bytes, Break::Reset),
            Self::End { after_bytes } | Self::Length { after_bytes: Some(after_bytes), .. } => {
                (after_bytes, Break::End)
            }
            Self::Stall { after_bytes } => (after_bytes, Break::Stall),
            _ => return None,
        })
    }

    /// After how many events something is put in.
    pub(crate) fn after_events(&self) -> Option<usize> {
        match *self {
            Self::Insert { after_events, .. }
            | Self::Malformed { after_events }
            | Self::Unknown { after_events }
            | Self::Error { after_events, .. } => Some(after_events),
            _ => None,
        }
    }
}

/// How a body goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Break {
    Cut,
    Reset,
    End,
    Stall,
}
