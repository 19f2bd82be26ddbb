//! A request that fails before its first output is sent again: the only place of Lodger that does so.
//!
//! The provider's own word on how long to wait wins over ours where it is longer. Nothing is sent again once text,
//! thought or input came, for somebody may have seen it. Dropping the stream ends every wait.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, stream};
use lodger_protocol::Error;
use tokio::time::{Instant, Sleep, sleep};

use crate::{ModelEvent, Reply};

/// The first wait, about: it doubles with each attempt, and between nothing and as much again is added by chance.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// A wait of ours is at most so long. A provider that asks for more than [`MOST_ASKED`] is not asked again.
const MOST_WAIT: Duration = Duration::from_secs(30);
/// The longest wait that a provider may ask for.
const MOST_ASKED: Duration = Duration::from_secs(120);

/// One attempt, watched.
pub(crate) struct Retried {
    /// The attempt that failed, from 1.
    pub(crate) attempt: u32,
    /// How long it took.
    pub(crate) elapsed: Duration,
    /// How long it is until the next.
    pub(crate) delay: Duration,
}

/// Attempts, one after the other, until one says something, succeeds, or fails for good.
///
/// None begins later than `time` after the first. `open` makes the stream of an attempt, numbered from 1. `told` hears of
/// each that is followed by another.
pub(crate) fn retrying(
    max_retries: u32,
    time: Duration,
    open: impl Fn(u32) -> BoxStream<'static, ModelEvent> + Send + 'static,
    told: impl Fn(&Retried, &Error) + Send + 'static,
) -> impl Stream<Item = ModelEvent> + Send + 'static {
    let waits = ExponentialBuilder::default()
        .with_min_delay(FIRST_WAIT)
        .with_max_delay(MOST_WAIT)
        .with_max_times(usize::try_from(max_retries).unwrap_or(usize::MAX))
        .with_jitter()
        .build();
    let now = Instant::now();
    let mut trying = Trying {
        max_retries,
        time,
        open,
        told,
        waits,
        attempt: 0,
        stream: None,
        began: now,
        attempt_began: now,
        wait: None,
        is_said: false,
        has_ended: false,
    };
    stream::poll_fn(move |context| trying.poll_next(context))
}

struct Trying<O, T, W> {
    max_retries: u32,
    time: Duration,
    open: O,
    told: T,
    waits: W,
    attempt: u32,
    stream: Option<BoxStream<'static, ModelEvent>>,
    began: Instant,
    attempt_began: Instant,
    /// Runs before the next attempt.
    wait: Option<Pin<Box<Sleep>>>,
    /// Something came that somebody may have seen.
    is_said: bool,
    /// The last event was given out.
    has_ended: bool,
}

impl<O, T, W> Trying<O, T, W>
where
    O: Fn(u32) -> BoxStream<'static, ModelEvent>,
    T: Fn(&Retried, &Error),
    W: Iterator<Item = Duration>,
{
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<ModelEvent>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        if let Some(wait) = &mut self.wait {
            ready!(wait.as_mut().poll(context));
            self.wait = None;
        }
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                self.attempt_began = Instant::now();
                if self.attempt == 0 {
                    self.began = self.attempt_began;
                }
                self.attempt += 1;
                self.stream.insert((self.open)(self.attempt))
            }
        };
        match ready!(stream.poll_next_unpin(context)) {
            Some(ModelEvent::Failed { error, partial }) => Poll::Ready(Some(self.failed(error, partial))),
            event => {
                self.is_said |= event.as_ref().is_some_and(ModelEvent::is_output);
                self.has_ended = matches!(event, Some(ModelEvent::Finished(_)) | None);
                Poll::Ready(event)
            }
        }
    }

    /// What an attempt that failed is followed by: another one, or the end.
    fn failed(&mut self, error: Error, partial: Reply) -> ModelEvent {
        let Some(delay) = self.wait_after(&error) else {
            self.has_ended = true;
            return ModelEvent::Failed { error, partial };
        };
        self.stream = None;
        self.wait = Some(Box::pin(sleep(delay)));
        let (attempt, elapsed) = (self.attempt, self.attempt_began.elapsed());
        (self.told)(&Retried { attempt, elapsed, delay }, &error);
        ModelEvent::Retry { attempt, max_attempts: self.max_retries.saturating_add(1), delay, error }
    }

    /// How long to wait before the next attempt. `None`: there is none.
    fn wait_after(&mut self, error: &Error) -> Option<Duration> {
        if self.is_said || !error.retryable {
            return None;
        }
        let asked = Duration::from_millis(error.retry_after_ms.unwrap_or(0));
        let wait = self.waits.next()?.max(asked);
        (asked <= MOST_ASKED && self.began.elapsed() + wait <= self.time).then_some(wait)
    }
}

#[cfg(test)]
mod tests;
