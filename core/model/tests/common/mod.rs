//! How the tests read a stream of the protocol without a network.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use lodger_model::anthropic::State;
use lodger_model::{ModelEvent, Reply};
use lodger_net::frames;
use lodger_protocol::Error;

pub(crate) const TEXT: &str = include_str!("../fixtures/text.sse");
pub(crate) const CALLS: &str = include_str!("../fixtures/calls.sse");

/// The events of a body that comes in these pieces.
pub(crate) async fn events_of(pieces: Vec<Bytes>) -> Vec<ModelEvent> {
    let body = stream::iter(pieces.into_iter().map(Ok)).boxed();
    let mut frames = Box::pin(frames(body, Duration::from_secs(60)));
    let mut state = State::default();
    let mut events = Vec::new();
    while let Some(frame) = frames.next().await {
        match frame {
            Ok(frame) => events.extend(state.step(&frame)),
            Err(error) => events.push(state.fail(error)),
        }
    }
    events.extend(state.end());
    events
}

/// The events of a body that comes whole.
pub(crate) async fn events(body: &str) -> Vec<ModelEvent> {
    events_of(vec![Bytes::copy_from_slice(body.as_bytes())]).await
}

/// The one end of these events.
#[allow(clippy::result_large_err)]
pub(crate) fn end(events: &[ModelEvent]) -> Result<Reply, (Error, Reply)> {
    let ends = |event: &&ModelEvent| matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed { .. });
    assert_eq!(events.iter().filter(ends).count(), 1, "exactly one end: {events:?}");
    match events.last() {
        Some(ModelEvent::Finished(reply)) => Ok(reply.clone()),
        Some(ModelEvent::Failed { error, partial }) => Err((error.clone(), partial.clone())),
        other => panic!("the end is not last: {other:?}"),
    }
}

/// One data frame.
pub(crate) fn frame(data: &serde_json::Value) -> String {
    format!("data: {data}\n\n")
}
