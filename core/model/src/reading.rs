//! A reply while it is read: frames in, events out, each made when it is asked for.
//!
//! Every delta of every reply comes through here, so that nothing is moved or boxed for one.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream;
use lodger_net::Frame;
use lodger_protocol::Error;
use tokio::time::{Sleep, sleep};

use crate::bound::{Allowance, MAX_REPLY_WIRE_BYTES};
use crate::http::make_presentable;
use crate::watch::Attempt;
use crate::{ModelEvent, ReplyState};

/// How long the end of a body is waited for after the reply is complete, so that its connection can be used again.
const DRAIN: Duration = Duration::from_millis(50);

/// The events of a reply, up to its end.
pub(crate) fn read(
    frames: impl Stream<Item = Result<Frame, Error>> + Send + 'static,
    state: Box<dyn ReplyState>,
    attempt: Attempt,
) -> impl Stream<Item = ModelEvent> + Send + 'static {
    let mut reading = Reading {
        frames: Box::pin(frames),
        state,
        attempt,
        allowance: Allowance::of(MAX_REPLY_WIRE_BYTES),
        said: Vec::new(),
        has_ended: false,
        patience: None,
    };
    stream::poll_fn(move |context| reading.poll_next(context))
}

struct Reading<F> {
    frames: Pin<Box<F>>,
    state: Box<dyn ReplyState>,
    attempt: Attempt,
    /// What the reply may still have.
    allowance: Allowance,
    /// What the last frame said and was not asked for yet, last first.
    said: Vec<ModelEvent>,
    /// The last event was given out.
    has_ended: bool,
    /// Runs while the end of the body is waited for.
    patience: Option<Pin<Box<Sleep>>>,
}

impl<F: Stream<Item = Result<Frame, Error>>> Reading<F> {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<ModelEvent>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        while self.said.is_empty() {
            match ready!(self.frames.as_mut().poll_next(context)) {
                Some(Ok(frame)) => self.take(&frame),
                Some(Err(error)) => self.state.fail(error, &mut self.said),
                None => self.state.end(&mut self.said),
            }
            self.said.reverse();
        }
        match self.said.last_mut() {
            Some(ModelEvent::Finished(_)) => {
                ready!(self.poll_rest(context));
                self.has_ended = true;
            }
            Some(ModelEvent::Failed { error, .. }) => {
                make_presentable(error, &self.attempt);
                self.attempt.failed(error);
                self.has_ended = true;
            }
            _ => {}
        }
        Poll::Ready(self.said.pop())
    }

    fn take(&mut self, frame: &Frame) {
        self.attempt.framed(frame);
        match self.allowance.take(frame) {
            Ok(()) => self.state.step(frame, &mut self.said),
            Err(error) => self.state.fail(error, &mut self.said),
        }
    }

    /// Reads what follows a whole reply. It is nothing of interest, but an early end costs the next request a new
    /// connection.
    fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let patience = self.patience.get_or_insert_with(|| Box::pin(sleep(DRAIN)));
        loop {
            if patience.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            match ready!(self.frames.as_mut().poll_next(context)) {
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Poll::Ready(()),
            }
        }
    }
}
