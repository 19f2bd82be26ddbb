//! A turn, for Rust: a stream of events with a result.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;
use futures_util::task::AtomicWaker;
use lodger_protocol::{DoneReason, Error, Event, Result, TurnId, TurnResult};
use tokio::sync::watch;

use crate::embed::{self, Drained};

/// Events per look into the queue.
const BATCH: usize = 256;

/// A running or finished turn: a stream of its events, the last of which is `done`. It runs whether or not it
/// is polled, until its queue is full. Dropping it cancels it.
pub struct Turn {
    inner: embed::Turn,
    waker: Arc<AtomicWaker>,
    batch: std::vec::IntoIter<Arc<Event>>,
    result: watch::Receiver<Option<TurnResult>>,
}

impl Turn {
    pub(crate) fn new(inner: embed::Turn, result: watch::Receiver<Option<TurnResult>>) -> Self {
        let waker = Arc::new(AtomicWaker::new());
        let wake = Arc::clone(&waker);
        inner.set_waker(Box::new(move || wake.wake()));
        Self { inner, waker, batch: Vec::new().into_iter(), result }
    }

    /// The turn's id.
    #[must_use]
    pub fn id(&self) -> &TurnId {
        self.inner.id()
    }

    /// Asks the turn to end. Does not wait; go on reading to see it end.
    pub fn cancel(&self) {
        self.inner.cancel();
    }

    /// Reads what is left and returns what the turn came to.
    ///
    /// # Errors
    /// What the turn failed with. Being cancelled is no error.
    pub async fn result(mut self) -> Result<TurnResult> {
        while std::future::poll_fn(|context| Pin::new(&mut self).poll_next(context)).await.is_some() {}
        let ended = match self.result.wait_for(Option::is_some).await {
            Ok(result) => result.clone(),
            Err(_) => self.inner.result(),
        };
        match ended {
            Some(TurnResult { reason: DoneReason::Error, error: Some(error), .. }) => Err(error),
            Some(result) => Ok(result),
            None => Err(Error::internal("the turn ended without a result")),
        }
    }
}

impl Stream for Turn {
    type Item = Arc<Event>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(event) = self.batch.next() {
            return Poll::Ready(Some(event));
        }
        // Registering comes first: what arrives in between wakes us.
        self.waker.register(context.waker());
        match self.inner.drain(BATCH) {
            Drained::Events(events) => {
                self.batch = events.into_iter();
                Poll::Ready(self.batch.next())
            }
            Drained::Empty => Poll::Pending,
            Drained::End => Poll::Ready(None),
        }
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Turn({})", self.id())
    }
}
