//! What an answer that is not a reply means: its status, its body, how long it asks to wait.

use std::time::{Duration, SystemTime};

use lodger_protocol::{Error, ErrorCode};
use serde_json::{Value, json};

use crate::failure::Complaint;

/// An answer that is not a reply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusal<'a> {
    /// The status.
    pub(crate) status: u16,
    /// The body, as far as it was read.
    pub(crate) body: &'a str,
    /// What the provider calls the request.
    pub(crate) request_id: Option<&'a str>,
    /// How long the provider asked to wait.
    pub(crate) retry_after_ms: Option<u64>,
    /// Whether to ask again, in the provider's own word: the `x-should-retry` header.
    pub(crate) should_retry: Option<&'a str>,
}

impl Refusal<'_> {
    /// The error that this stands for. Holds the provider's own words: take secrets out, then shorten it, before it
    /// is shown.
    #[must_use]
    pub(crate) fn into_error(self) -> Error {
        let status = self.status;
        if (300..400).contains(&status) {
            return Error::new(
                ErrorCode::ProviderRejected,
                format!(
                    "the provider answered with a redirect ({status}), which is not followed since requests carry credentials; point the endpoint at the final address"
                ),
            )
            .with_data(json!({ "status": status }));
        }
        let body = serde_json::from_str::<Value>(self.body).ok();
        let mut complaint = body.as_ref().map(Complaint::of).unwrap_or_default();
        complaint.status = Some(status);
        if body.is_none() {
            complaint.words = plain_text(self.body);
        }
        let mut data = json!({ "status": status });
        for (name, value) in [("type", complaint.kind), ("code", complaint.code), ("requestId", self.request_id)] {
            if let Some(value) = value {
                data[name] = value.into();
            }
        }
        let message = match complaint.words {
            "" => format!("the provider answered with status {status}"),
            words => format!("the provider answered with status {status}: {words}"),
        };
        let mut error = Error::new(complaint.meaning(), message)
            .with_retry_after_ms(self.retry_after_ms.or(complaint.retry_after_ms))
            .with_data(data);
        match self.should_retry {
            Some("true") => error.retryable = true,
            Some("false") => error.retryable = false,
            _ => {}
        }
        error
    }
}

/// A body that is not JSON: its text, but not the page of a proxy.
fn plain_text(body: &str) -> &str {
    let text = body.trim();
    if text.starts_with('<') { "" } else { text }
}

/// How long a provider asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date, or
/// when the counters of its `x-ratelimit-` or `anthropic-ratelimit-` headers start anew. `header` looks one up by its lower-case name. A date
/// that has passed is 0; what cannot be read is `None`.
pub(crate) fn retry_after_ms<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Option<u64> {
    if let Some(ms) = header("retry-after-ms").and_then(number) {
        return Some(whole(ms));
    }
    match header("retry-after") {
        Some(text) => match number(text) {
            Some(seconds) => Some(whole(seconds * 1000.0)),
            None => httpdate::parse_http_date(text.trim()).ok().map(|date| until(date, now)),
        },
        None => counters_reset_ms(header, now),
    }
}

/// The latest reset of those counters that are used up.
fn counters_reset_ms<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Option<u64> {
    let named = ["requests", "tokens"].into_iter().filter_map(|counter| {
        let left = header(&format!("x-ratelimit-remaining-{counter}")).and_then(number)?;
        (left <= 0.0).then(|| header(&format!("x-ratelimit-reset-{counter}")).and_then(duration_ms)).flatten()
    });
    let plain = header("x-ratelimit-reset").and_then(number).map(|reset| match reset {
        // Milliseconds since 1970, seconds since then, or seconds from now.
        1e12.. => until(SystemTime::UNIX_EPOCH + Duration::from_millis(whole(reset.min(1e15))), now),
        1e9.. => until(SystemTime::UNIX_EPOCH + Duration::from_secs(whole(reset)), now),
        _ => whole(reset * 1000.0),
    });
    let dated = ["requests", "tokens", "input-tokens", "output-tokens"].into_iter().filter_map(|counter| {
        let left = header(&format!("anthropic-ratelimit-{counter}-remaining")).and_then(number)?;
        (left <= 0.0).then(|| header(&format!("anthropic-ratelimit-{counter}-reset")).and_then(date)).flatten()
    });
    named.chain(plain).chain(dated.map(|date| until(date, now))).max()
}

/// A date as RFC 3339 has it.
fn date(text: &str) -> Option<SystemTime> {
    chrono::DateTime::parse_from_rfc3339(text.trim()).ok().map(SystemTime::from)
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)
}

/// A float turns into the nearest integer that exists: no wait is too long to be said.
fn whole(ms: f64) -> u64 {
    ms.ceil() as u64
}

fn until(date: SystemTime, now: SystemTime) -> u64 {
    date.duration_since(now).map_or(0, |wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
}

/// `6m0s`, `1.5s` or `120ms`, as milliseconds.
fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut ms = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (amount, tail) = rest.split_at(digits);
        let unit = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit);
        let worth = match unit {
            "h" => 3_600_000.0,
            "m" => 60_000.0,
            "s" => 1000.0,
            "ms" => 1.0,
            _ => return None,
        };
        ms += amount.parse::<f64>().ok()? * worth;
        rest = tail;
    }
    (ms > 0.0).then(|| whole(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(status: u16, body: &str) -> Error {
        Refusal { status, body, ..Default::default() }.into_error()
    }

    #[test]
    fn the_providers_own_words_are_in_the_message_and_its_names_in_the_data() {
        let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"tools: too many"}}"#;
        let error = Refusal { status: 400, body, request_id: Some("req_1"), ..Refusal::default() }.into_error();
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
    fn an_overload_that_a_gateway_reports_under_another_status_is_an_overload() {
        let body = r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#;
        assert_eq!(error(503, body).code, ErrorCode::ProviderOverloaded);
        assert_eq!(error(408, "").code, ErrorCode::ProviderUnavailable);
    }

    #[test]
    fn whether_to_ask_again_is_for_the_provider_to_say() {
        let retryable =
            |status, should_retry| Refusal { status, should_retry, ..Refusal::default() }.into_error().retryable;
        assert!(retryable(409, Some("true")) && !retryable(409, None));
        assert!(retryable(503, None) && !retryable(503, Some("false")));
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

    #[test]
    fn without_a_wait_the_counters_that_are_used_up_say_when_they_start_anew() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let wait = |headers: &[(&str, &'static str)]| {
            let headers = headers.to_vec();
            retry_after_ms(move |asked| headers.iter().find(|(name, _)| *name == asked).map(|(_, value)| *value), now)
        };
        let (left, reset) = ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens");
        assert_eq!(wait(&[(left, "0"), (reset, "6m0.5s")]), Some(360_500));
        assert_eq!(wait(&[(left, "0"), (reset, "120ms")]), Some(120));
        assert_eq!(wait(&[(left, "500"), (reset, "6m0s")]), None);
        assert_eq!(wait(&[(left, "0"), (reset, "soon")]), None);
        assert_eq!(wait(&[("x-ratelimit-reset", "1700000003")]), Some(3000));
        assert_eq!(wait(&[("x-ratelimit-reset", "1700000003500")]), Some(3500));
        assert_eq!(wait(&[("x-ratelimit-reset", "2")]), Some(2000));
        assert_eq!(wait(&[("retry-after", "1"), (left, "0"), (reset, "6m0s")]), Some(1000));
        let (left, reset) = ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset");
        assert_eq!(wait(&[(left, "0"), (reset, "2023-11-14T22:13:50Z")]), Some(30_000));
        assert_eq!(wait(&[(left, "0"), (reset, "2023-11-14T22:13:10Z")]), Some(0));
        assert_eq!(wait(&[(left, "100"), (reset, "2023-11-14T22:13:50Z")]), None);
        assert_eq!(wait(&[(left, "0"), (reset, "in a minute")]), None);
    }
}
