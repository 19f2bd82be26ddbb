//! Amazon's event stream: binary messages with checksums, in whose chunks the frames stand as Base64.
//!
//! Checksums are the crate's business, but for that of the lengths: a message that lies about how long it is would be
//! waited for.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Duration;

use aws_smithy_eventstream::frame::read_message_from;
use aws_smithy_types::base64;
use aws_smithy_types::event_stream::Message;
use bytes::{Bytes, BytesMut};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, stream};
use lodger_protocol::{Error, ErrorCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::MAX_EVENT_BYTES;
use super::patience::Patient;
use crate::Frame;

/// What a message begins with: its length, that of its headers, and their checksum.
const PRELUDE: usize = 12;
/// The shortest message: without headers and payload.
const LEAST: usize = PRELUDE + 4;

/// What a chunk says.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    bytes: Cow<'a, str>,
}

pub(super) fn frames(
    body: BoxStream<'static, Result<Bytes, Error>>,
    gap: Duration,
) -> impl Stream<Item = Result<Frame, Error>> + Send + 'static {
    let reader = Reader { body: Patient::new(body, gap), held: BytesMut::new() };
    stream::unfold(Some(reader), |reader| async {
        let mut reader = reader?;
        match reader.next().await? {
            Ok(frame) => Some((Ok(frame), Some(reader))),
            Err(error) => Some((Err(error), None)),
        }
    })
}

struct Reader {
    body: Patient,
    /// What has not become a frame yet.
    held: BytesMut,
}

impl Reader {
    async fn next(&mut self) -> Option<Result<Frame, Error>> {
        loop {
            match self.message() {
                Ok(None) => match self.body.next().await? {
                    Ok(piece) => self.held.extend_from_slice(&piece),
                    Err(error) => return Some(Err(error)),
                },
                Ok(Some(message)) => {
                    if let Some(frame) = frame(&message).transpose() {
                        return Some(frame);
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// The next message, where it is whole.
    fn message(&mut self) -> Result<Option<Message>, Error> {
        let Some((prelude, checksum)) = self.held.first_chunk::<PRELUDE>().map(|prelude| prelude.split_at(8)) else {
            return Ok(None);
        };
        if crc32fast::hash(prelude).to_be_bytes() != *checksum {
            return Err(malformed("the checksum of a message's lengths is wrong"));
        }
        let length = prelude.first_chunk().map_or(0, |length| u32::from_be_bytes(*length) as usize);
        if !(LEAST..=MAX_EVENT_BYTES).contains(&length) {
            return Err(malformed(format!("a message claims {length} bytes, and {MAX_EVENT_BYTES} are the most")));
        }
        if self.held.len() < length {
            return Ok(None);
        }
        read_message_from(self.held.split_to(length).freeze()).map(Some).map_err(malformed)
    }
}

/// What a message says. `None`: it is of a kind that is not known.
fn frame(message: &Message) -> Result<Option<Frame>, Error> {
    let header = |name: &str| {
        let found = message.headers().iter().find(|header| header.name().as_str() == name)?;
        found.value().as_string().ok().map(|value| value.as_str())
    };
    let payload = message.payload();
    match (header(":message-type"), header(":event-type")) {
        (Some("event"), Some("chunk")) => chunk(payload).map(Some),
        (Some("exception"), _) => {
            let said = serde_json::from_slice::<Value>(payload).unwrap_or_default();
            let words = said["message"].as_str().map_or_else(|| String::from_utf8_lossy(payload), Cow::Borrowed);
            let name = header(":exception-type").unwrap_or("exception");
            Ok(Some(complaint(name, &words, &said["originalStatusCode"])))
        }
        (Some("error"), _) => {
            let (name, words) = (header(":error-code"), header(":error-message"));
            Ok(Some(complaint(name.unwrap_or("error"), words.unwrap_or_default(), &Value::Null)))
        }
        (Some(_), _) => Ok(None),
        (None, _) => Err(malformed("a message does not say of which kind it is")),
    }
}

fn chunk(payload: &[u8]) -> Result<Frame, Error> {
    let chunk: Chunk<'_> = serde_json::from_slice(payload).map_err(malformed)?;
    let data = base64::decode(chunk.bytes).map_err(malformed)?;
    String::from_utf8(data).map(Frame::data).map_err(malformed)
}

/// An exception in the form in which gateways report an error within a stream of any protocol.
fn complaint(name: &str, words: &str, status: &Value) -> Frame {
    let error = json!({ "type": name, "message": words, "code": status });
    Frame { event: Some("error".to_owned()), data: json!({ "error": error }).to_string() }
}

fn malformed(what: impl Display) -> Error {
    Error::new(ErrorCode::ProviderMalformed, format!("the provider's event stream cannot be read: {what}"))
}
