//! What the targets share: a body goes through the framing and a protocol, and what must hold of any reply is checked.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use lodger_model::{FreshIds, ModelEvent, ModelRequest, RETRY_TIME, protocol};
use lodger_net::{Frame, Framing};
use lodger_protocol::{Content, Effort, EndpointKind, Error};

/// Longer than any run: nothing waits here.
const GAP: Duration = Duration::from_secs(3600);

/// The pieces of a body that is cut at these places.
pub fn cut(body: &Bytes, cuts: &[u16]) -> Vec<Bytes> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| usize::from(*cut) % (body.len() + 1)).collect();
    cuts.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in cuts.into_iter().chain([body.len()]) {
        pieces.push(body.slice(from..cut));
        from = cut;
    }
    pieces
}

/// The frames of a body that comes in these pieces.
pub fn framed(framing: Framing, pieces: Vec<Bytes>) -> Vec<Result<Frame, Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(framing.frames(stream::iter(pieces.into_iter().map(Ok)).boxed(), GAP).collect())
}

/// Reads a body as a reply of that protocol: there is one end, nothing after it, and no half call.
pub fn read(kind: EndpointKind, body: &[u8]) {
    let request = ModelRequest {
        system: "".into(),
        messages: Vec::new(),
        tools: Vec::new().into(),
        max_output_tokens: 1,
        effort: Effort::Auto,
        retry_for: RETRY_TIME,
        output_schema: None,
    };
    let mut state = protocol(kind).reply(FreshIds::new(&request, "made"));
    let mut events = Vec::new();
    for frame in framed(Framing::Sse, vec![Bytes::copy_from_slice(body)]) {
        match frame {
            Ok(frame) => state.step(&frame, &mut events),
            Err(error) => state.fail(error, &mut events),
        }
    }
    state.end(&mut events);
    let is_end = |event: &ModelEvent| matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed { .. });
    assert_eq!(events.iter().filter(|event| is_end(event)).count(), 1);
    assert!(events.last().is_some_and(is_end));
    if let Some(ModelEvent::Failed { partial, .. }) = events.last() {
        for block in &partial.content {
            assert!(!matches!(block, Content::ToolCall { input, .. } if !input.is_object()));
        }
    }
}
