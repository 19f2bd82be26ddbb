//! What a provider's refusal means: statuses, error types and waiting times, mapped to the one list of errors.

use std::time::SystemTime;

use lodger_protocol::{Error, ErrorCode};
use serde_json::{Value, json};

/// Longest piece of a provider's own words in a message, in bytes.
const MAX_WORDS: usize = 2000;

/// An answer that is not a reply.
#[derive(Clone, Debug, Default)]
pub struct HttpFailure<'a> {
    /// The status.
    pub status: u16,
    /// The body, as far as it was read.
    pub body: &'a str,
    /// The `request-id` header.
    pub request_id: Option<&'a str>,
    /// How long the provider asked to wait.
    pub retry_after_ms: Option<u64>,
}

impl HttpFailure<'_> {
    /// The error that this stands for. Holds the provider's own words: take secrets out before it is shown.
    #[must_use]
    pub fn into_error(self) -> Error {
        let body = serde_json::from_str::<Value>(self.body).ok();
        let kind = body.as_ref().and_then(|body| body.pointer("/error/type")).and_then(Value::as_str);
        let words = body.as_ref().and_then(message_of).unwrap_or_else(|| plain_text(self.body));
        let code = match self.status {
            300..=399 => {
                return Error::new(
                    ErrorCode::ProviderRejected,
                    format!(
                        "the provider answered with a redirect ({}), which is not followed since requests carry credentials; point the endpoint at the final address",
                        self.status
                    ),
                )
                .with_data(json!({ "status": self.status }));
            }
            401 | 403 => ErrorCode::ProviderAuth,
            429 => ErrorCode::ProviderRateLimited,
            529 => ErrorCode::ProviderOverloaded,
            408 | 500.. => kind.and_then(code_of_kind).unwrap_or(ErrorCode::ProviderUnavailable),
            _ if is_overflow(&words) => ErrorCode::ContextOverflow,
            _ => ErrorCode::ProviderRejected,
        };
        let mut data = json!({ "status": self.status });
        if let Some(kind) = kind {
            data["type"] = kind.into();
        }
        if let Some(id) = self.request_id {
            data["requestId"] = id.into();
        }
        let status = self.status;
        let message = match words.is_empty() {
            true => format!("the provider answered with status {status}"),
            false => format!("the provider answered with status {status}: {words}"),
        };
        Error::new(code, message).with_retry_after_ms(self.retry_after_ms).with_data(data)
    }
}

/// The error that a provider names inside a stream, by its type, judged like a status.
pub(crate) fn error_of_kind(kind: &str, words: &str) -> Error {
    let code = match code_of_kind(kind) {
        Some(ErrorCode::ProviderRejected) | None if is_overflow(words) => ErrorCode::ContextOverflow,
        Some(code) => code,
        None => ErrorCode::ProviderUnavailable,
    };
    Error::new(code, format!("the provider reported {kind} within its stream: {}", shortened(words)))
        .with_data(json!({ "type": kind }))
}

fn code_of_kind(kind: &str) -> Option<ErrorCode> {
    Some(match kind {
        "authentication_error" | "permission_error" => ErrorCode::ProviderAuth,
        "rate_limit_error" => ErrorCode::ProviderRateLimited,
        "overloaded_error" => ErrorCode::ProviderOverloaded,
        "api_error" | "timeout_error" => ErrorCode::ProviderUnavailable,
        "invalid_request_error" | "not_found_error" | "request_too_large" | "billing_error" => {
            ErrorCode::ProviderRejected
        }
        _ => return None,
    })
}

/// Providers have no code for it, only words.
fn is_overflow(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    ["prompt is too long", "exceed context limit", "context window", "context length", "context_length_exceeded"]
        .iter()
        .any(|sign| words.contains(sign))
}

fn message_of(body: &Value) -> Option<String> {
    ["/error/message", "/message", "/error", "/detail"]
        .iter()
        .find_map(|path| body.pointer(path).and_then(Value::as_str))
        .map(shortened)
}

/// A body that is not JSON: its text, but not the page of a proxy.
fn plain_text(body: &str) -> String {
    let text = body.trim();
    if text.starts_with('<') { String::new() } else { shortened(text) }
}

fn shortened(text: &str) -> String {
    match text.len() <= MAX_WORDS {
        true => text.to_owned(),
        false => format!("{}...", &text[..text.floor_char_boundary(MAX_WORDS)]),
    }
}

/// How long a provider asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date.
/// `header` looks one up by its lower-case name. A date that has passed is 0; what cannot be read is `None`.
pub fn retry_after_ms<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Option<u64> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    // A float turns into the nearest integer that exists: no wait is too long to be said.
    if let Some(ms) = header("retry-after-ms").and_then(number) {
        return Some(ms.ceil() as u64);
    }
    let text = header("retry-after")?;
    if let Some(seconds) = number(text) {
        return Some((seconds * 1000.0).ceil() as u64);
    }
    let date = httpdate::parse_http_date(text.trim()).ok()?;
    Some(date.duration_since(now).map_or(0, |wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
}
