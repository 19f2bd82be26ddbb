//! Server-sent events out of a body: lazily, within bounds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use lodger_net::{Frame, MAX_EVENT_BYTES, frames};
use lodger_protocol::{Error, ErrorCode};

const GAP: Duration = Duration::from_secs(60);

async fn read(pieces: Vec<Result<Bytes, Error>>) -> Vec<Result<Frame, Error>> {
    frames(stream::iter(pieces).boxed(), GAP).collect().await
}

fn bytes(text: &str) -> Result<Bytes, Error> {
    Ok(Bytes::copy_from_slice(text.as_bytes()))
}

#[tokio::test]
async fn fields_comments_and_lines_are_read_as_the_standard_says() {
    let body = ": a comment\n\nevent: one\ndata: first\ndata:second\nid: 7\n\nretry: 10\n\ndata\n\ndata: unfinished\n";
    assert_eq!(
        read(vec![bytes(body)]).await,
        [Ok(Frame { event: Some("one".to_owned()), data: "first\nsecond".to_owned() }), Ok(Frame::data("")),]
    );
}

#[tokio::test]
async fn characters_may_be_cut_between_pieces() {
    let body = "data: Grüße 🌍\n\n".as_bytes();
    for at in 0..body.len() {
        let pieces = vec![Ok(Bytes::copy_from_slice(&body[..at])), Ok(Bytes::copy_from_slice(&body[at..]))];
        assert_eq!(read(pieces).await, [Ok(Frame::data("Grüße 🌍"))], "cut at {at}");
    }
}

#[tokio::test]
async fn an_error_of_the_body_is_the_last_item_and_unchanged() {
    let error = Error::new(ErrorCode::ProviderStreamCut, "gone");
    let pieces = vec![bytes("data: a\n\ndata: b"), Err(error.clone()), bytes("\n\n")];
    assert_eq!(read(pieces).await, [Ok(Frame::data("a")), Err(error)]);
}

#[tokio::test]
async fn the_body_is_read_no_further_than_the_frames_that_are_asked_for() {
    let read = Arc::new(AtomicUsize::new(0));
    let count = read.clone();
    let body = stream::repeat_with(move || {
        count.fetch_add(1, Ordering::Relaxed);
        bytes("data: a\n\ndata: b\n\n")
    });
    let mut frames = Box::pin(frames(body.boxed(), GAP));
    assert_eq!(read.load(Ordering::Relaxed), 0);
    for _ in 0..4 {
        frames.next().await.unwrap().unwrap();
    }
    assert_eq!(read.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn an_event_without_end_is_given_up_at_the_bound() {
    let piece = Bytes::from(vec![b'x'; 1 << 20]);
    let read = Arc::new(AtomicUsize::new(0));
    let count = read.clone();
    let body = stream::iter([bytes("data: ")]).chain(stream::repeat_with(move || {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(piece.clone())
    }));
    let found: Vec<_> = frames(body.boxed(), GAP).collect().await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].as_ref().unwrap_err().code, ErrorCode::ProviderMalformed);
    assert!(read.load(Ordering::Relaxed) <= MAX_EVENT_BYTES / (1 << 20) + 2);
}

#[tokio::test]
async fn many_events_may_be_more_than_the_bound_together() {
    let event = format!("data: {}\n\n", "x".repeat(1 << 20));
    let pieces = (0..40).map(|_| bytes(&event)).collect();
    assert!(read(pieces).await.iter().all(Result::is_ok));
}

#[tokio::test(start_paused = true)]
async fn silence_counts_from_the_last_piece_and_only_while_it_is_waited_for() {
    let body = stream::iter([bytes("data: a\n\ndata: b\n\n")]).chain(stream::pending());
    let mut frames = Box::pin(frames(body.boxed(), GAP));
    assert_eq!(frames.next().await, Some(Ok(Frame::data("a"))));
    tokio::time::sleep(GAP * 10).await;
    assert_eq!(frames.next().await, Some(Ok(Frame::data("b"))));
    let asked = tokio::time::Instant::now();
    let error = frames.next().await.unwrap().unwrap_err();
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("60000 ms (limits.gapTimeoutMs)"), "{}", error.message);
    assert!(asked.elapsed() >= GAP);
    assert_eq!(frames.next().await, None);
}

#[tokio::test]
async fn bare_json_that_ends_a_body_is_its_last_frame_wherever_it_is_cut() {
    let (frame, word) = ("data: {\"a\":\n\n", "{\n  \"error\": {}\n}\n");
    for end in ["\n", "\r\n", "\r"] {
        let body = format!("{frame}{word}").replace('\n', end);
        for at in 0..body.len() {
            let frames = read(vec![bytes(&body[..at]), bytes(&body[at..])]).await;
            assert_eq!(frames, [Ok(Frame::data("{\"a\":")), Ok(Frame::data(word.replace('\n', end)))], "cut at {at}");
        }
    }
    let error = Error::new(ErrorCode::ProviderStreamCut, "gone");
    assert_eq!(read(vec![bytes(word), Err(error.clone())]).await, [Err(error)]);
}
