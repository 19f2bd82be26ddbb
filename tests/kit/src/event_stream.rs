//! Frames as Bedrock writes them: messages of Amazon's event stream, the data in Base64, errors as exceptions.

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::base64;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use serde_json::{Value, json};

/// The bytes of one message: a chunk, or the exception that an error of Anthropic's is there.
pub(crate) fn written(name: Option<&str>, data: &str) -> Vec<u8> {
    let (kind, event, payload) = match name {
        Some("error") => exception(&serde_json::from_str(data).unwrap_or_default()),
        _ => ("event", "chunk", json!({ "bytes": base64::encode(data), "p": "abcdefghijkl" })),
    };
    let header = |name: &'static str, value: &'static str| Header::new(name, HeaderValue::String(value.into()));
    let message = Message::new(payload.to_string())
        .add_header(header(if kind == "event" { ":event-type" } else { ":exception-type" }, event))
        .add_header(header(":content-type", "application/json"))
        .add_header(header(":message-type", kind));
    let mut out = Vec::new();
    // Nothing here is longer than a message may be.
    let _ = write_message_to(&message, &mut out);
    out
}

fn exception(body: &Value) -> (&'static str, &'static str, Value) {
    let error = &body["error"];
    let message = &error["message"];
    let kind = error["type"].as_str().unwrap_or_default();
    let payload = match kind {
        "overloaded_error" => json!({ "message": message, "originalStatusCode": 529, "originalMessage": message }),
        _ => json!({ "message": message }),
    };
    ("exception", exception_name(kind), payload)
}

/// What an error of Anthropic's is called there.
pub(crate) fn exception_name(kind: &str) -> &'static str {
    match kind {
        "authentication_error" | "permission_error" => "accessDeniedException",
        "not_found_error" => "resourceNotFoundException",
        "rate_limit_error" => "throttlingException",
        "overloaded_error" => "modelStreamErrorException",
        "api_error" => "internalServerException",
        _ => "validationException",
    }
}
