//! What an answer that is not a reply means: its status, its body, how long it asks to wait.

use std::time::SystemTime;

use lodger_protocol::{Error, ErrorCode};
use serde_json::{Value, json};

use crate::failure::{code_of_kind, is_overflow, shortened};

/// An answer that is not a reply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusal<'a> {
    /// The status.
    pub(crate) status: u16,
    /// The body, as far as it was read.
    pub(crate) body: &'a str,
    /// The `request-id` header.
    pub(crate) request_id: Option<&'a str>,
    /// How long the provider asked to wait.
    pub(crate) retry_after_ms: Option<u64>,
}

impl Refusal<'_> {
    /// The error that this stands for. Holds the provider's own words: take secrets out before it is shown.
    #[must_use]
    pub(crate) fn into_error(self) -> Error {
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

/// How long a provider asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date.
/// `header` looks one up by its lower-case name. A date that has passed is 0; what cannot be read is `None`.
pub(crate) fn retry_after_ms<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::failure::MAX_WORDS;

    fn error(status: u16, body: &str) -> Error {
        Refusal { status, body, ..Default::default() }.into_error()
    }

    #[test]
    fn the_providers_own_words_are_in_the_message_and_its_names_in_the_data() {
        let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"tools: too many"}}"#;
        let error = Refusal { status: 400, body, request_id: Some("req_1"), retry_after_ms: None }.into_error();
        assert_eq!(error.code, ErrorCode::ProviderRejected);
        assert!(error.message.ends_with(": tools: too many"), "{}", error.message);
        assert_eq!(error.data, Some(json!({ "status": 400, "type": "invalid_request_error", "requestId": "req_1" })));
    }

    #[test]
    fn words_are_found_in_the_shapes_that_servers_use_and_a_page_is_not_one() {
        for (body, words) in [
            (r#"{"error":"nope"}"#, ": nope"),
            (r#"{"message":"nope"}"#, ": nope"),
            (r#"{"detail":"nope"}"#, ": nope"),
            ("nope\n", ": nope"),
            ("<html><title>502 Bad Gateway</title></html>", "status 502"),
            ("", "status 502"),
        ] {
            let message = error(502, body).message;
            assert!(message.ends_with(words), "{message}");
        }
    }

    #[test]
    fn a_request_that_is_too_long_is_an_overflow_only_when_the_words_say_so() {
        for words in [
            "prompt is too long: 210000 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000",
            "This model's maximum context length is 8192 tokens",
        ] {
            assert_eq!(error(400, words).code, ErrorCode::ContextOverflow, "{words}");
        }
        assert_eq!(error(400, "max_tokens: must be positive").code, ErrorCode::ProviderRejected);
        assert_eq!(error(500, "context window service is down").code, ErrorCode::ProviderUnavailable);
    }

    #[test]
    fn an_overload_that_a_gateway_reports_under_another_status_is_an_overload() {
        let body = r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#;
        assert_eq!(error(503, body).code, ErrorCode::ProviderOverloaded);
        assert_eq!(error(408, "").code, ErrorCode::ProviderUnavailable);
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let message = error(400, &"ü".repeat(5000)).message;
        assert!(message.len() < MAX_WORDS + 100 && message.ends_with("ü..."), "{}", message.len());
    }

    #[test]
    fn a_wait_is_read_as_seconds_milliseconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let wait = |name: &str, value: &str| retry_after_ms(|asked| (asked == name).then_some(value), now);
        assert_eq!(wait("retry-after", "2"), Some(2000));
        assert_eq!(wait("retry-after", " 0.25 "), Some(250));
        assert_eq!(wait("retry-after-ms", "1500.5"), Some(1501));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), Some(30_000));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT"), Some(0));
        for nonsense in ["", "soon", "-1", "NaN", "inf"] {
            assert_eq!(wait("retry-after", nonsense), None, "{nonsense}");
        }
        assert_eq!(wait("retry-after", "1e300"), Some(u64::MAX));
    }
}
