//! A request that fails before its first output is sent again: the only place of Lodger that does so.
//!
//! The provider's own word on how long to wait wins over ours where it is longer. Nothing is sent again once text,
//! thought or input came, for somebody may have seen it. Dropping the stream ends every wait.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, stream};
use lodger_protocol::Error;
use tokio::time::{Instant, sleep};

use crate::ModelEvent;

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
    let first = Trying {
        max_retries,
        time,
        open,
        told,
        waits,
        attempt: 0,
        stream: None,
        began: now,
        attempt_began: now,
        delay: None,
        is_said: false,
    };
    stream::unfold(Some(Box::new(first)), |trying| async {
        let mut trying = trying?;
        let event = trying.next().await?;
        let ended = matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed { .. });
        Some((event, (!ended).then_some(trying)))
    })
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
    delay: Option<Duration>,
    /// Something came that somebody may have seen.
    is_said: bool,
}

impl<O, T, W> Trying<O, T, W>
where
    O: Fn(u32) -> BoxStream<'static, ModelEvent>,
    T: Fn(&Retried, &Error),
    W: Iterator<Item = Duration>,
{
    async fn next(&mut self) -> Option<ModelEvent> {
        if let Some(delay) = self.delay.take() {
            sleep(delay).await;
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
        match stream.next().await? {
            ModelEvent::Failed { error, partial } => match self.wait_after(&error) {
                None => Some(ModelEvent::Failed { error, partial }),
                Some(delay) => {
                    self.stream = None;
                    self.delay = Some(delay);
                    let (attempt, elapsed) = (self.attempt, self.attempt_began.elapsed());
                    (self.told)(&Retried { attempt, elapsed, delay }, &error);
                    let max_attempts = self.max_retries.saturating_add(1);
                    Some(ModelEvent::Retry { attempt, max_attempts, delay, error })
                }
            },
            event => {
                self.is_said |= event.is_output();
                Some(event)
            }
        }
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
