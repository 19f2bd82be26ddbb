//! How the tests write requests and read streams of the protocols without a network.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use lodger_model::{
    FreshIds, ModelEvent, ModelMessage, ModelRequest, Quirks, RETRY_TIME, Reply, ReplyState, Target, protocol,
};
use lodger_net::Framing;
use lodger_protocol::{Content, Effort, EndpointKind, Error, Role, ToolSpec};
use serde_json::{Value, json};

pub(crate) const KINDS: [EndpointKind; 4] =
    [EndpointKind::Anthropic, EndpointKind::OpenaiChat, EndpointKind::OpenaiResponses, EndpointKind::Gemini];

/// `provider/model` that a request of these tests asks.
pub(crate) const ASKED: &str = "acme/model-x";

/// A reply of that protocol before its first frame, to a conversation of nothing.
pub(crate) fn reply_in(kind: EndpointKind) -> Box<dyn ReplyState> {
    protocol(kind).reply(FreshIds::new(&request(vec![]), "made"))
}

/// All events of a body that comes in these pieces.
pub(crate) async fn all_events(kind: EndpointKind, pieces: Vec<Bytes>) -> Vec<ModelEvent> {
    events_of(kind, Framing::Sse, pieces).await
}

/// The same of a body that is framed so.
pub(crate) async fn events_of(kind: EndpointKind, framing: Framing, pieces: Vec<Bytes>) -> Vec<ModelEvent> {
    let body = stream::iter(pieces.into_iter().map(Ok)).boxed();
    let mut frames = Box::pin(framing.frames(body, Duration::from_secs(60)));
    let mut state = reply_in(kind);
    let mut events = Vec::new();
    while let Some(frame) = frames.next().await {
        match frame {
            Ok(frame) => state.step(&frame, &mut events),
            Err(error) => state.fail(error, &mut events),
        }
    }
    state.end(&mut events);
    events
}

/// The events of a body that comes whole, without what was used so far.
pub(crate) async fn events_in(kind: EndpointKind, body: &str) -> Vec<ModelEvent> {
    let mut events = all_events(kind, vec![Bytes::copy_from_slice(body.as_bytes())]).await;
    events.retain(|event| !matches!(event, ModelEvent::Usage(_)));
    events
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

/// The reply of a body that is a success.
pub(crate) async fn reply_of(kind: EndpointKind, body: &str) -> Reply {
    end(&events_in(kind, body).await).unwrap()
}

/// The failure of a body, and what had come.
pub(crate) async fn failure_of(kind: EndpointKind, body: &str) -> (Error, Reply) {
    end(&events_in(kind, body).await).unwrap_err()
}

/// One data frame.
pub(crate) fn frame(data: &Value) -> String {
    format!("data: {data}\n\n")
}

pub(crate) fn call(id: &str, name: &str, input: Value) -> Content {
    Content::ToolCall { tool_call_id: id.into(), tool_name: name.to_owned(), input }
}

pub(crate) fn result(id: &str, content: Vec<Content>, is_error: bool) -> Content {
    Content::ToolResult { tool_call_id: id.into(), content, is_error }
}

pub(crate) fn thinking(text: &str, signature: Option<&str>) -> Content {
    Content::Thinking { text: text.to_owned(), signature: signature.map(str::to_owned) }
}

pub(crate) fn image() -> Content {
    Content::Image { mime_type: "image/png".to_owned(), data: "aGk=".to_owned() }
}

/// A message; one of the assistant was written by the model that is asked.
pub(crate) fn message(role: Role, content: Vec<Content>) -> ModelMessage {
    let model = (role == Role::Assistant).then(|| ASKED.to_owned());
    ModelMessage { role, content, model }
}

pub(crate) fn user(text: &str) -> ModelMessage {
    message(Role::User, vec![Content::text(text)])
}

pub(crate) fn assistant(text: &str) -> ModelMessage {
    message(Role::Assistant, vec![Content::text(text)])
}

/// The same, of another model.
pub(crate) fn by_another(message: ModelMessage) -> ModelMessage {
    ModelMessage { model: Some("other/model-y".to_owned()), ..message }
}

pub(crate) fn request(messages: Vec<ModelMessage>) -> ModelRequest {
    let tool = |name: &str, input_schema| ToolSpec {
        name: name.to_owned(),
        description: format!("{name} it"),
        input_schema: Arc::new(input_schema),
    };
    let path = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    ModelRequest {
        system: "Be brief.".into(),
        messages,
        tools: vec![tool("bash", json!({ "type": "object" })), tool("read", path)].into(),
        max_output_tokens: 100,
        effort: Effort::Auto,
        retry_for: RETRY_TIME,
        output_schema: None,
    }
}

pub(crate) fn target(kind: EndpointKind, model: &str) -> Target {
    Target { name: ASKED.to_owned(), model: model.to_owned(), kind, quirks: Quirks::of(kind, "acme", model) }
}

/// The body of a request to a model of that name.
pub(crate) fn written(kind: EndpointKind, model: &str, request: &ModelRequest) -> Value {
    serde_json::from_slice(&protocol(kind).request_body(request, &target(kind, model)).unwrap()).unwrap()
}
