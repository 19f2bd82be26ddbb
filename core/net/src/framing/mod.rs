//! How a body is cut into frames: one of the choices of which a way to a model is made.
//!
//! Reading is lazy, and bounded in time and size. What a frame says is for the protocol to know.

#[cfg(feature = "http")]
mod aws;
#[cfg(feature = "http")]
mod patience;
#[cfg(feature = "http")]
mod sse;

use serde::{Deserialize, Serialize};

#[cfg(feature = "http")]
pub use sse::frames;

/// Bytes that may arrive without completing a frame.
#[cfg(feature = "http")]
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// How the frames of an answer stand in its body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// As server-sent events.
    #[default]
    Sse,
    /// As messages of Amazon's event stream, in whose chunks the frames stand as Base64.
    AwsEventStream,
}

impl Framing {
    /// The type of a body that is framed so.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Sse => "text/event-stream",
            Self::AwsEventStream => "application/vnd.amazon.eventstream",
        }
    }

    /// Turns a body into frames. One piece of the body is read when the pieces before it are used up.
    ///
    /// An error is the last item: the body's own, `timeout` when no piece arrives for `gap` while it is waited for,
    /// `provider_malformed` for what cannot be a frame or has more than [`MAX_EVENT_BYTES`]. The end of the body is the
    /// end of the frames; whether it was too early is for the protocol to say. A frame that is not whole then is none.
    /// Must be polled on a tokio runtime with time.
    #[cfg(feature = "http")]
    pub fn frames(
        self,
        body: futures_util::stream::BoxStream<'static, Result<bytes::Bytes, lodger_protocol::Error>>,
        gap: std::time::Duration,
    ) -> impl futures_util::Stream<Item = Result<crate::Frame, lodger_protocol::Error>> + Send + 'static {
        use futures_util::future::Either;
        match self {
            Self::Sse => Either::Left(frames(body, gap)),
            Self::AwsEventStream => Either::Right(aws::frames(body, gap)),
        }
    }
}
