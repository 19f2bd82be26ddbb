//! A body that is waited for so long and no longer.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use lodger_protocol::{Error, ErrorCode};
use tokio::time::{Instant, Sleep, sleep};

/// A body whose silence is an error.
pub(super) struct Patient {
    body: BoxStream<'static, Result<Bytes, Error>>,
    gap: Duration,
    alarm: Option<Pin<Box<Sleep>>>,
    /// The silence counts from when the body is first found empty: a reader that does not ask is not made to pay.
    armed: bool,
}

impl Patient {
    pub(super) fn new(body: BoxStream<'static, Result<Bytes, Error>>, gap: Duration) -> Self {
        Self { body, gap, alarm: None, armed: false }
    }
}

impl Stream for Patient {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Poll::Ready(piece) = this.body.poll_next_unpin(cx) {
            this.armed = false;
            return Poll::Ready(piece);
        }
        let gap = this.gap;
        let alarm = this.alarm.get_or_insert_with(|| Box::pin(sleep(gap)));
        if !this.armed {
            this.armed = true;
            alarm.as_mut().reset(Instant::now() + gap);
        }
        alarm.as_mut().poll(cx).map(|()| {
            Some(Err(Error::new(
                ErrorCode::Timeout,
                format!("the provider sent nothing for {} ms (limits.gapTimeoutMs)", gap.as_millis()),
            )))
        })
    }
}
