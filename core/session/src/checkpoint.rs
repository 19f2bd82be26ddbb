//! A session as bytes: history and usage, to be kept by the host and brought back later, here or elsewhere.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `LDGR` |
//! | 2 | version, little-endian |
//! | 2 | zero |
//! | 4 | length of the payload, little-endian |
//! | 32 | SHA-256 of the payload |
//! | rest | the payload, JSON |
//!
//! No credentials, instructions, tools or settings are in it.

use std::sync::Arc;

use lodger_protocol::{Entry, Error, ErrorCode, Event, EventBody, Result, TurnId, Usage};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 4] = b"LDGR";
const VERSION: u16 = 1;
const HEADER: usize = 44;

/// What a checkpoint holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Checkpoint {
    /// The conversation, oldest first.
    pub history: Vec<Kept>,
    /// What it used.
    pub usage: Usage,
}

/// One entry of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// Unix milliseconds.
    pub ts: u64,
    /// The turn that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
}

impl Checkpoint {
    /// The part of a transcript that is history, with what it used.
    #[must_use]
    pub fn of(transcript: &[Arc<Event>], usage: Usage) -> Self {
        let history = transcript.iter().filter_map(|event| match &event.body {
            EventBody::Entry(entry) if is_history(entry) => {
                Some(Kept { ts: event.ts, turn_id: event.turn_id.clone(), entry: entry.clone() })
            }
            EventBody::Entry(_) | EventBody::Passing(_) => None,
        });
        Self { history: history.collect(), usage }
    }

    /// The bytes.
    ///
    /// # Errors
    /// `checkpoint_too_large` over `max_bytes`.
    pub fn to_bytes(&self, max_bytes: usize) -> Result<Vec<u8>> {
        let payload = serde_json::to_vec(self)
            .map_err(|error| Error::internal(format!("the session could not be written: {error}")))?;
        check_size(HEADER + payload.len(), max_bytes)?;
        let length = u32::try_from(payload.len()).map_err(|_| too_large(payload.len(), u32::MAX as usize))?;
        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0, 0]);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&Sha256::digest(&payload));
        bytes.extend_from_slice(&payload);
        Ok(bytes)
    }

    /// Reads bytes of `to_bytes`.
    ///
    /// # Errors
    /// `checkpoint_too_large` over `max_bytes`; `checkpoint_corrupt` for damaged bytes, `checkpoint_unsupported`
    /// for those of a newer version, `checkpoint_invalid` for whole bytes that are no conversation.
    pub fn from_bytes(bytes: &[u8], max_bytes: usize) -> Result<Self> {
        check_size(bytes.len(), max_bytes)?;
        let (header, payload) = bytes.split_at_checked(HEADER).ok_or_else(|| corrupt("it is too short"))?;
        if header[..4] != *MAGIC {
            return Err(corrupt("it does not begin like one"));
        }
        let version = u16::from_le_bytes([header[4], header[5]]);
        // What a newer version puts after its number is not for us to judge.
        if version > VERSION {
            return Err(Error::new(
                ErrorCode::CheckpointUnsupported,
                format!("the checkpoint has version {version}; this library reads up to {VERSION}. Use a newer one"),
            ));
        }
        if version == 0 || header[6..8] != [0, 0] {
            return Err(corrupt("its header is damaged"));
        }
        let length = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
        if usize::try_from(length) != Ok(payload.len()) {
            return Err(corrupt("its length is not as it says"));
        }
        if header[12..] != Sha256::digest(payload)[..] {
            return Err(corrupt("its checksum does not fit"));
        }
        let read: Self = serde_json::from_slice(payload).map_err(|error| invalid(&error.to_string()))?;
        match read.history.iter().find(|kept| !is_history(&kept.entry)) {
            None => Ok(read),
            Some(_) => Err(invalid("it holds entries that are no history")),
        }
    }
}

/// Whether an entry is part of what was said and done, rather than of how the session was set or asked.
const fn is_history(entry: &Entry) -> bool {
    match entry {
        Entry::UserMessage { .. }
        | Entry::TurnStart { .. }
        | Entry::AssistantMessage { .. }
        | Entry::ToolCall { .. }
        | Entry::ToolResult { .. }
        | Entry::OutputRejected { .. }
        | Entry::BackgroundTaskEnded { .. }
        | Entry::Compacted { .. }
        | Entry::Done { .. } => true,
        Entry::ToolDenied { .. }
        | Entry::FileChanged { .. }
        | Entry::RequestOpened { .. }
        | Entry::RequestResolved { .. }
        | Entry::ModeChanged { .. }
        | Entry::ModelChanged { .. }
        | Entry::SubagentStart { .. }
        | Entry::SubagentEnd { .. }
        | Entry::CheckpointCreated { .. } => false,
    }
}

fn check_size(bytes: usize, max_bytes: usize) -> Result<()> {
    if bytes > max_bytes { Err(too_large(bytes, max_bytes)) } else { Ok(()) }
}

fn too_large(bytes: usize, max_bytes: usize) -> Error {
    Error::new(
        ErrorCode::CheckpointTooLarge,
        format!("the checkpoint has {bytes} bytes; limits.maxCheckpointBytes allows {max_bytes}"),
    )
}

fn corrupt(how: &str) -> Error {
    Error::new(ErrorCode::CheckpointCorrupt, format!("the bytes are no whole checkpoint: {how}"))
}

fn invalid(how: &str) -> Error {
    Error::new(ErrorCode::CheckpointInvalid, format!("the checkpoint describes no conversation: {how}"))
}

#[cfg(test)]
mod tests {
    use lodger_protocol::{Content, Mode, SystemClock};

    use super::*;
    use crate::SessionLog;

    const MAX: usize = 1 << 20;

    fn checkpoint() -> Checkpoint {
        let log = SessionLog::new("s".into(), Arc::new(SystemClock));
        log.append(
            Some(&"t".into()),
            Entry::UserMessage { message_id: "m".into(), content: vec![Content::text("hi")] },
            drop,
        );
        log.append(None, Entry::ModeChanged { mode: Mode::Plan }, drop);
        Checkpoint::of(&log.transcript(), Usage { input_tokens: Some(3), ..Usage::default() })
    }

    fn code(bytes: &[u8]) -> ErrorCode {
        Checkpoint::from_bytes(bytes, MAX).unwrap_err().code
    }

    #[test]
    fn what_was_written_is_read_again_and_settings_are_not_in_it() {
        let checkpoint = checkpoint();
        let bytes = checkpoint.to_bytes(MAX).unwrap();
        assert_eq!(checkpoint.history.len(), 1);
        assert_eq!(Checkpoint::from_bytes(&bytes, MAX).unwrap(), checkpoint);
    }

    #[test]
    fn no_byte_can_change_unseen() {
        let bytes = checkpoint().to_bytes(MAX).unwrap();
        for place in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] ^= flip;
                let code = code(&damaged);
                let newer = (4..6).contains(&place) && code == ErrorCode::CheckpointUnsupported;
                assert!(newer || code == ErrorCode::CheckpointCorrupt, "byte {place}: {code}");
            }
        }
    }

    #[test]
    fn no_cut_goes_unseen() {
        let bytes = checkpoint().to_bytes(MAX).unwrap();
        for length in 0..bytes.len() {
            assert_eq!(code(&bytes[..length]), ErrorCode::CheckpointCorrupt, "{length} bytes");
        }
        assert_eq!(code(&[bytes, vec![0]].concat()), ErrorCode::CheckpointCorrupt);
    }

    #[test]
    fn a_newer_version_is_told_apart_from_damage() {
        let mut bytes = checkpoint().to_bytes(MAX).unwrap();
        bytes[4] = 2;
        assert_eq!(code(&bytes), ErrorCode::CheckpointUnsupported);
    }

    #[test]
    fn whole_bytes_that_are_no_conversation_are_invalid() {
        for payload in ["[]", "{}", r#"{"history":[{"ts":1,"type":"mode_changed","mode":"ask"}],"usage":{}}"#] {
            let mut bytes = MAGIC.to_vec();
            bytes.extend_from_slice(&[1, 0, 0, 0]);
            bytes.extend_from_slice(&u32::try_from(payload.len()).unwrap().to_le_bytes());
            bytes.extend_from_slice(&Sha256::digest(payload));
            bytes.extend_from_slice(payload.as_bytes());
            assert_eq!(code(&bytes), ErrorCode::CheckpointInvalid, "{payload}");
        }
    }

    #[test]
    fn the_bound_holds_both_ways() {
        let kept = checkpoint();
        let bytes = kept.to_bytes(MAX).unwrap();
        assert_eq!(kept.to_bytes(bytes.len()).unwrap(), bytes);
        assert_eq!(kept.to_bytes(bytes.len() - 1).unwrap_err().code, ErrorCode::CheckpointTooLarge);
        assert_eq!(Checkpoint::from_bytes(&bytes, bytes.len() - 1).unwrap_err().code, ErrorCode::CheckpointTooLarge);
    }
}
