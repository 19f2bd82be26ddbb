//! Server-sent events out of a body.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, stream};
use lodger_protocol::{Error, ErrorCode};
use sse_stream::SseByteStream;

use super::MAX_EVENT_BYTES;
use super::patience::Patient;
use crate::Frame;

/// Bytes that are kept of what stands in no frame.
const MAX_BARE_BYTES: usize = 64 * 1024;

/// Turns a body into frames. One piece of the body is read when the pieces before it are used up.
///
/// An error is the last item: the body's own, `timeout` when no piece arrives for `gap` while it is waited for,
/// `provider_malformed` for text that is not UTF-8 or an event over [`MAX_EVENT_BYTES`]. The end of the body is
/// the end of the frames; whether it was too early is for the protocol to say. What stands after the last blank
/// line is not a frame. Must be polled on a tokio runtime with time.
///
/// Some providers put their last word between the frames as bare JSON: a body that ends in order with it ends with a
/// frame that holds it.
pub fn frames(
    body: BoxStream<'static, Result<Bytes, Error>>,
    gap: Duration,
) -> impl Stream<Item = Result<Frame, Error>> + Send + 'static {
    let unframed = Arc::new(AtomicUsize::new(0));
    let bare = Arc::new(Mutex::new(Bare::default()));
    let watched = Watched { body: Patient::new(body, gap), unframed: unframed.clone(), bare: bare.clone() };
    let last_word = stream::once(async move { bare.lock().unwrap_or_else(PoisonError::into_inner).take() });
    let framed = SseByteStream::new(watched).filter_map(move |event| {
        let frame = match event {
            Ok(event) => {
                unframed.store(0, Ordering::Relaxed);
                event.data.map(|data| Ok(Frame { event: event.event, data }))
            }
            Err(error) => Some(Err(unwrap_error(error))),
        };
        std::future::ready(frame)
    });
    framed.chain(last_word.filter_map(|frame| std::future::ready(frame.map(Ok))))
}

fn unwrap_error(error: sse_stream::Error) -> Error {
    match error {
        sse_stream::Error::Body(inner) => match inner.downcast::<Error>() {
            Ok(own) => *own,
            Err(other) => Error::new(ErrorCode::ProviderStreamCut, other.to_string()),
        },
        other => {
            Error::new(ErrorCode::ProviderMalformed, format!("the provider's event stream cannot be read: {other}"))
        }
    }
}

/// JSON that stands in no frame: from a line that begins with it to the end of the body.
#[derive(Debug)]
struct Bare {
    text: Vec<u8>,
    /// The next byte is the first of its line.
    at_start: bool,
    /// The body came to its end.
    ended: bool,
}

impl Default for Bare {
    fn default() -> Self {
        Self { text: Vec::new(), at_start: true, ended: false }
    }
}

impl Bare {
    fn see(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while self.text.is_empty() && !rest.is_empty() {
            if self.at_start && matches!(rest.first(), Some(b'{' | b'[')) {
                break;
            }
            match memchr::memchr2(b'\n', b'\r', rest) {
                Some(end) => (self.at_start, rest) = (true, &rest[end + 1..]),
                None => (self.at_start, rest) = (false, &[]),
            }
        }
        let room = MAX_BARE_BYTES.saturating_sub(self.text.len());
        self.text.extend_from_slice(&rest[..rest.len().min(room)]);
    }

    fn take(&mut self) -> Option<Frame> {
        let text = std::mem::take(&mut self.text);
        let has_word = self.ended && !text.is_empty();
        has_word.then(|| Frame::data(String::from_utf8_lossy(&text)))
    }
}

/// The body under watch: how much of it has not become an event yet.
struct Watched {
    body: Patient,
    unframed: Arc<AtomicUsize>,
    bare: Arc<Mutex<Bare>>,
}

impl Watched {
    fn bare(&self) -> MutexGuard<'_, Bare> {
        self.bare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream for Watched {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let polled = this.body.poll_next_unpin(cx);
        match &polled {
            Poll::Ready(Some(Ok(piece))) => {
                this.bare().see(piece);
                if this.unframed.fetch_add(piece.len(), Ordering::Relaxed) > MAX_EVENT_BYTES {
                    return Poll::Ready(Some(Err(Error::new(
                        ErrorCode::ProviderMalformed,
                        format!("the provider sent more than {MAX_EVENT_BYTES} bytes without completing an event"),
                    ))));
                }
            }
            Poll::Ready(None) => this.bare().ended = true,
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }
}
