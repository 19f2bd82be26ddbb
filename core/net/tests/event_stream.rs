//! Amazon's event stream out of a body: what is whole is read, what is damaged is known as such.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use lodger_net::{Frame, Framing, MAX_EVENT_BYTES};
use lodger_protocol::{Error, ErrorCode};

const GAP: Duration = Duration::from_secs(60);

/// `{"a":1}` in a chunk, with the padding that Bedrock adds.
const CHUNK: &str = r#"{"bytes":"eyJhIjoxfQ==","p":"abcdef"}"#;

async fn read(pieces: Vec<Result<Bytes, Error>>) -> Vec<Result<Frame, Error>> {
    Framing::AwsEventStream.frames(stream::iter(pieces).boxed(), GAP).collect().await
}

async fn read_whole(body: &[u8]) -> Vec<Result<Frame, Error>> {
    read(vec![Ok(Bytes::copy_from_slice(body))]).await
}

fn code(read: &[Result<Frame, Error>]) -> ErrorCode {
    read.last().unwrap().as_ref().unwrap_err().code
}

/// A message, put together by hand.
fn message(headers: &[(&str, &str)], payload: &str) -> Vec<u8> {
    let mut named = Vec::new();
    for (name, value) in headers {
        named.push(u8::try_from(name.len()).unwrap());
        named.extend(name.bytes());
        named.push(7);
        named.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        named.extend(value.bytes());
    }
    let mut out = u32::try_from(16 + named.len() + payload.len()).unwrap().to_be_bytes().to_vec();
    out.extend(u32::try_from(named.len()).unwrap().to_be_bytes());
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out.extend(named);
    out.extend(payload.bytes());
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out
}

fn event(kind: &str, payload: &str) -> Vec<u8> {
    message(&[(":event-type", kind), (":content-type", "application/json"), (":message-type", "event")], payload)
}

#[tokio::test]
async fn the_frames_stand_in_the_chunks_and_the_rest_is_passed_over() {
    let body = [
        event("initial-response", "{}"),
        event("chunk", CHUNK),
        message(&[(":message-type", "news")], "?"),
        event("chunk", r#"{"bytes":"R3LDvMOfZQ=="}"#),
    ];
    assert_eq!(read_whole(&body.concat()).await, [Ok(Frame::data(r#"{"a":1}"#)), Ok(Frame::data("Grüße"))]);
}

#[tokio::test]
async fn messages_may_be_cut_anywhere() {
    let body = [event("chunk", CHUNK), event("chunk", CHUNK)].concat();
    for at in 0..body.len() {
        let pieces = [&body[..at], &body[at..]].map(|piece| Ok(Bytes::copy_from_slice(piece)));
        assert_eq!(read(pieces.into()).await, read_whole(&body).await, "cut at {at}");
    }
    let bytes = body.iter().map(|byte| Ok(Bytes::copy_from_slice(&[*byte]))).collect();
    assert_eq!(read(bytes).await, read_whole(&body).await);
}

#[tokio::test]
async fn a_message_that_is_not_whole_at_the_end_is_none() {
    let body = [event("chunk", CHUNK), event("chunk", CHUNK)].concat();
    for end in body.len() / 2..body.len() {
        assert_eq!(read_whole(&body[..end]).await, [Ok(Frame::data(r#"{"a":1}"#))], "ends at {end}");
    }
}

#[tokio::test]
async fn a_bit_that_turned_over_anywhere_is_noticed_before_more_is_waited_for() {
    let body = event("chunk", CHUNK);
    for at in 0..body.len() * 8 {
        let mut damaged = body.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        let pending = stream::iter([Ok(Bytes::from(damaged))]).chain(stream::pending());
        let first = Box::pin(Framing::AwsEventStream.frames(pending.boxed(), GAP)).next().await.unwrap();
        assert_eq!(first.unwrap_err().code, ErrorCode::ProviderMalformed, "bit {at}");
    }
}

#[tokio::test]
async fn a_length_beyond_the_bound_or_too_short_for_a_message_is_an_error_at_once() {
    for length in [0, 15, u32::try_from(MAX_EVENT_BYTES).unwrap() + 1, u32::MAX] {
        let mut prelude = length.to_be_bytes().to_vec();
        prelude.extend([0; 4]);
        prelude.extend(crc32fast::hash(&prelude).to_be_bytes());
        assert_eq!(code(&read_whole(&prelude).await), ErrorCode::ProviderMalformed, "{length}");
    }
}

#[tokio::test]
async fn exceptions_are_told_as_gateways_tell_their_errors() {
    let exception =
        |payload| message(&[(":exception-type", "throttlingException"), (":message-type", "exception")], payload);
    for (payload, data) in [
        (r#"{"message":"slow down"}"#, r#"{"error":{"code":null,"message":"slow down","type":"throttlingException"}}"#),
        (
            r#"{"message":"busy","originalStatusCode":529}"#,
            r#"{"error":{"code":529,"message":"busy","type":"throttlingException"}}"#,
        ),
        ("plain", r#"{"error":{"code":null,"message":"plain","type":"throttlingException"}}"#),
    ] {
        let frame = Frame { event: Some("error".to_owned()), data: data.to_owned() };
        assert_eq!(read_whole(&exception(payload)).await, [Ok(frame)]);
    }
    let error = [(":message-type", "error"), (":error-code", "500"), (":error-message", "broken")];
    let read = read_whole(&message(&error, "")).await;
    assert!(read[0].as_ref().unwrap().data.contains("broken"), "{read:?}");
}

#[tokio::test]
async fn what_is_no_chunk_is_malformed() {
    for body in [
        event("chunk", "{}"),
        event("chunk", "not JSON"),
        event("chunk", r#"{"bytes":"?"}"#),
        event("chunk", r#"{"bytes":"/w=="}"#),
        message(&[], CHUNK),
        b"data: {\"type\":\"ping\"}\n\n".to_vec(),
    ] {
        let read = read_whole(&body).await;
        assert_eq!((read.len(), code(&read)), (1, ErrorCode::ProviderMalformed), "{read:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn silence_is_an_error_after_so_long() {
    let body = stream::iter([Ok(Bytes::from(event("chunk", CHUNK)))]).chain(stream::pending());
    let read: Vec<_> = Framing::AwsEventStream.frames(body.boxed(), GAP).collect().await;
    assert_eq!((read.len(), code(&read)), (2, ErrorCode::Timeout));
}

#[tokio::test]
async fn an_error_of_the_body_is_the_last_item_and_unchanged() {
    let gone = Error::new(ErrorCode::ProviderStreamCut, "gone");
    let pieces = vec![Ok(Bytes::from(event("chunk", CHUNK))), Err(gone.clone()), Ok(Bytes::from_static(b"x"))];
    assert_eq!(read(pieces).await, [Ok(Frame::data(r#"{"a":1}"#)), Err(gone)]);
}
