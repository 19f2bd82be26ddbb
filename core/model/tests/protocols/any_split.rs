//! A body is the same reply however it is cut on its way.

use bytes::Bytes;
use lodger_model::ModelEvent;
use lodger_protocol::EndpointKind;
use proptest::prelude::*;

use lodger_kit::bedrock_frames;
use lodger_net::Framing;

use crate::common::{KINDS, all_events, events_of};
use crate::same_conversation::recorded;

const TEXT: &str = include_str!("fixtures/anthropic_text.sse");
const CALLS: &str = include_str!("fixtures/anthropic_calls.sse");

fn bodies() -> Vec<(EndpointKind, String)> {
    let mut bodies = vec![(EndpointKind::Anthropic, TEXT.to_owned()), (EndpointKind::Anthropic, CALLS.to_owned())];
    for kind in KINDS {
        bodies.extend(recorded(kind).map(|body| (kind, body.to_owned())));
    }
    bodies
}

/// The same body with other ends of lines, comments between its frames, or a byte order mark.
fn dressed(body: &str) -> Vec<String> {
    let plain = body.replace("\r\n", "\n");
    vec![
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        format!("\u{feff}{plain}"),
        format!(": hello\n\n{}", plain.replace("\n\n", "\n\n: keep-alive\n\n")),
        plain.replace("data: ", "data:"),
        plain,
    ]
}

fn events(kind: EndpointKind, pieces: Vec<Bytes>) -> Vec<ModelEvent> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(all_events(kind, pieces))
}

#[test]
fn ends_of_lines_comments_and_a_byte_order_mark_change_nothing() {
    for (kind, body) in bodies() {
        let plain = events(kind, vec![Bytes::from(body.clone())]);
        assert!(matches!(plain.last(), Some(ModelEvent::Finished(_))), "{plain:?}");
        for dressed in dressed(&body) {
            let start: String = dressed.chars().take(40).collect();
            assert_eq!(events(kind, vec![Bytes::from(dressed)]), plain, "{kind:?}: {start:?}");
        }
    }
}

/// The pieces of a body that is cut at these places.
fn pieces(body: &Bytes, cuts: &[prop::sample::Index]) -> Vec<Bytes> {
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(body.len())).collect();
    cuts.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in cuts.into_iter().chain([body.len()]) {
        pieces.push(body.slice(from..cut));
        from = cut;
    }
    pieces
}

/// A reply with thought, text and calls as Bedrock frames it.
fn bedrock() -> Bytes {
    let steps = r#"{ "steps": [{ "reply": [
        { "type": "thinking", "text": "hm", "signature": "c2ln" },
        { "type": "text", "text": "Grüße", "chunks": 2 },
        { "type": "tool_call", "toolName": "look", "input": { "at": "one" }, "chunks": 3 }
    ] }] }"#;
    let script = lodger_model::scripted::Script::parse(steps).unwrap();
    bedrock_frames(&script, 0, "m").concat().into()
}

fn bedrock_events(pieces: Vec<Bytes>) -> Vec<ModelEvent> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(events_of(EndpointKind::Anthropic, Framing::AwsEventStream, pieces))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_split_of_an_event_stream_gives_the_same_events(
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let whole = bedrock_events(vec![bedrock()]);
        prop_assert!(matches!(whole.last(), Some(ModelEvent::Finished(_))), "{:?}", whole);
        prop_assert_eq!(bedrock_events(pieces(&bedrock(), &cuts)), whole);
    }

    #[test]
    fn any_split_of_any_body_gives_the_same_events(
        which in 0..10_usize, dress in 0..6_usize, cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let (kind, body) = bodies().swap_remove(which);
        let body = Bytes::from(dressed(&body).swap_remove(dress));
        prop_assert_eq!(events(kind, pieces(&body, &cuts)), events(kind, vec![body]));
    }
}

#[test]
fn a_body_may_come_byte_by_byte() {
    for (kind, body) in bodies() {
        let bytes = body.bytes().map(|byte| Bytes::copy_from_slice(&[byte])).collect();
        assert_eq!(events(kind, bytes), events(kind, vec![Bytes::from(body)]), "{kind:?}");
    }
}
