//! What a provider's own names and words for a failure mean in the one list of errors.

use std::borrow::Cow;

use lodger_protocol::{Error, ErrorCode};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a provider complains about, in as many ways as it says it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Complaint<'a> {
    /// A number like those of HTTP: the answer's own, or one that stands in the complaint.
    pub(crate) status: Option<u16>,
    /// Its `type`, or what takes its place.
    pub(crate) kind: Option<&'a str>,
    /// Its `code`.
    pub(crate) code: Option<&'a str>,
    /// Its message.
    pub(crate) words: &'a str,
    /// How long it asks to wait, where that stands in the complaint.
    pub(crate) retry_after_ms: Option<u64>,
}

impl<'a> Complaint<'a> {
    /// Reads the shapes in which servers complain: an `error` that is an object or a text, with names and numbers
    /// in whatever place.
    pub(crate) fn of(body: &'a Value) -> Self {
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").filter(|error| error.is_object()).unwrap_or(body);
        let text = |value: &'a Value, name: &str| value.get(name).and_then(Value::as_str);
        let code = error.get("code");
        let number = code.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
        let details = error.get("details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let reason = details.iter().find_map(|detail| text(detail, "reason"));
        let words = [text(error, "message"), text(body, "message"), text(body, "error"), text(body, "detail")];
        Self {
            status: number.and_then(|number| u16::try_from(number).ok()).filter(|status| (400..600).contains(status)),
            kind: text(error, "type").filter(|kind| *kind != "error").or_else(|| text(error, "status")),
            code: code.and_then(Value::as_str).filter(|_| number.is_none()).or(reason),
            words: words.into_iter().flatten().next().unwrap_or_default(),
            retry_after_ms: details.iter().find_map(|detail| seconds_ms(text(detail, "retryDelay")?)),
        }
    }

    /// What it means. A name that says more than a status wins over it, and codes over words.
    pub(crate) fn meaning(&self) -> ErrorCode {
        let names = || [self.code, self.kind].into_iter().flatten();
        let code = names()
            .find_map(telling_name)
            .or_else(|| self.status.map(code_of_status))
            .or_else(|| names().find_map(general_name))
            .unwrap_or(ErrorCode::ProviderUnavailable);
        match code {
            ErrorCode::ProviderRejected if is_overflow(self.words) => ErrorCode::ContextOverflow,
            ErrorCode::ProviderRejected if is_unpaid(self.words) => ErrorCode::ProviderQuota,
            ErrorCode::ProviderRejected if is_unknown_model(self.words) => ErrorCode::ModelNotFound,
            ErrorCode::ProviderUnavailable if self.words.to_ascii_lowercase().contains("overloaded") => {
                ErrorCode::ProviderOverloaded
            }
            code => code,
        }
    }

    /// The error of a complaint that came within a stream, judged like a status. Holds the provider's own words:
    /// take secrets out, then shorten it, before it is shown.
    pub(crate) fn within_a_stream(&self) -> Error {
        let name = self.kind.or(self.code).unwrap_or("an error");
        let mut data = json!({ "type": name });
        if let Some(code) = self.code.filter(|_| self.kind.is_some()) {
            data["code"] = code.into();
        }
        Error::new(self.meaning(), format!("the provider reported {name} within its stream: {}", self.words))
            .with_retry_after_ms(self.retry_after_ms)
            .with_data(data)
    }
}

/// The error in a frame that is no frame of the protocol: gateways complain in the shape of another one.
pub(crate) fn complaint_of_another(data: &str) -> Option<Error> {
    let body = serde_json::from_str::<Value>(data).ok()?;
    body.get("error")?;
    Some(Complaint::of(&body).within_a_stream())
}

/// A frame that is not the protocol.
pub(crate) fn malformed(protocol: &str, what: &str) -> Error {
    Error::new(ErrorCode::ProviderMalformed, format!("the provider's stream is not {protocol}: {what}"))
}

const fn code_of_status(status: u16) -> ErrorCode {
    match status {
        401 | 403 => ErrorCode::ProviderAuth,
        402 => ErrorCode::ProviderQuota,
        404 => ErrorCode::ModelNotFound,
        429 => ErrorCode::ProviderRateLimited,
        529 => ErrorCode::ProviderOverloaded,
        408 | 500.. => ErrorCode::ProviderUnavailable,
        _ => ErrorCode::ProviderRejected,
    }
}

/// Names that say what happened, whatever the status.
fn telling_name(name: &str) -> Option<ErrorCode> {
    Some(match name {
        "context_length_exceeded"
        | "context_window_exceeded"
        | "model_context_window_exceeded"
        | "exceed_context_size_error" => ErrorCode::ContextOverflow,
        "authentication_error"
        | "permission_error"
        | "invalid_api_key"
        | "API_KEY_INVALID"
        | "UNAUTHENTICATED"
        | "accessDeniedException"
        | "expiredTokenException"
        | "unrecognizedClientException"
        | "PERMISSION_DENIED" => ErrorCode::ProviderAuth,
        "billing_error" | "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active" => {
            ErrorCode::ProviderQuota
        }
        "model_not_found" | "model_not_available" | "model_decommissioned" | "invalid_model" | "DeploymentNotFound" => {
            ErrorCode::ModelNotFound
        }
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "RESOURCE_EXHAUSTED"
        | "too_many_requests"
        | "throttlingException" => ErrorCode::ProviderRateLimited,
        "overloaded_error" | "server_is_overloaded" | "engine_overloaded_error" | "slow_down" | "UNAVAILABLE" => {
            ErrorCode::ProviderOverloaded
        }
        _ => return None,
    })
}

/// Names that say no more than a status does.
fn general_name(name: &str) -> Option<ErrorCode> {
    Some(match name {
        "api_error"
        | "timeout_error"
        | "server_error"
        | "internal_server_error"
        | "INTERNAL"
        | "UNAVAILABLE"
        | "DEADLINE_EXCEEDED"
        | "UNKNOWN"
        | "ABORTED"
        | "internalServerException"
        | "modelStreamErrorException"
        | "modelTimeoutException"
        | "serviceUnavailableException" => ErrorCode::ProviderUnavailable,
        "not_found_error" | "NOT_FOUND" | "resourceNotFoundException" => ErrorCode::ModelNotFound,
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" | "UNIMPLEMENTED" => ErrorCode::ProviderRejected,
        "invalid_request_error"
        | "validationException"
        | "request_too_large"
        | "invalid_prompt"
        | "content_filter"
        | "content_policy_violation"
        | "bio_policy"
        | "data_residency_mismatch" => ErrorCode::ProviderRejected,
        image if image.contains("image") => ErrorCode::ProviderRejected,
        _ => return None,
    })
}

/// Whether the words say that the conversation is too long: some providers have no code for it.
fn is_overflow(words: &str) -> bool {
    const SIGNS: &[&str] = &[
        "prompt is too long",
        "exceed context limit",
        "context window",
        "context length",
        "context_length_exceeded",
        "available context size",
        "maximum prompt length",
        "maximum number of tokens allowed",
        "input is too long for requested model",
        "reduce the length of the messages",
    ];
    has_one(words, SIGNS)
}

/// Whether the words say that the account is empty.
fn is_unpaid(words: &str) -> bool {
    has_one(words, &["credit balance is too low", "insufficient balance"])
}

/// Whether the words say that there is no such model.
fn is_unknown_model(words: &str) -> bool {
    has_one(words, &["model not exist", "model identifier is invalid", "is not a valid model id"])
}

fn has_one(words: &str, signs: &[&str]) -> bool {
    let words = words.to_ascii_lowercase();
    signs.iter().any(|sign| words.contains(sign))
}

/// `34s` or `1.5s` as milliseconds, rounded up.
fn seconds_ms(text: &str) -> Option<u64> {
    let seconds = text.strip_suffix('s')?.parse::<f64>().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1000.0).ceil() as u64)
}

/// Only what every frame has, to tell a frame of an unknown kind from a broken one.
#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}

/// What a frame that cannot be read is: nothing, when its kind is none of the `known`; else the complaint of a server in
/// between, or a fault of the provider.
pub(crate) fn unread(protocol: &str, known: &[&str], data: &str, error: &serde_json::Error) -> Result<(), Error> {
    match serde_json::from_str::<Kind<'_>>(data) {
        Ok(frame) if !known.contains(&frame.kind.as_ref()) => Ok(()),
        _ => Err(complaint_of_another(data)
            .unwrap_or_else(|| malformed(protocol, &format!("a frame cannot be read: {error}")))),
    }
}

/// A stream that ended without what ends a reply.
pub(crate) fn cut(missing: &str) -> Error {
    let told = format!("the provider's stream ended before the reply was complete (no {missing})");
    Error::new(ErrorCode::ProviderStreamCut, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(body: Value) -> ErrorCode {
        Complaint::of(&body).meaning()
    }

    #[test]
    fn a_code_says_more_than_a_type_and_a_type_more_than_words() {
        for (body, code) in [
            (
                json!({ "error": { "type": "invalid_request_error", "code": "context_length_exceeded", "message": "x" } }),
                ErrorCode::ContextOverflow,
            ),
            (
                json!({ "error": { "type": "insufficient_quota", "code": "insufficient_quota", "message": "x" } }),
                ErrorCode::ProviderQuota,
            ),
            (json!({ "error": { "code": 502, "message": "Provider returned error" } }), ErrorCode::ProviderUnavailable),
            (json!({ "error": { "code": "429", "message": "x" } }), ErrorCode::ProviderRateLimited),
            (
                json!({ "error": { "code": 503, "status": "UNAVAILABLE", "message": "The model is overloaded." } }),
                ErrorCode::ProviderOverloaded,
            ),
            (
                json!([{ "error": { "code": 400, "status": "INVALID_ARGUMENT", "message": "x",
                    "details": [{ "reason": "API_KEY_INVALID" }] } }]),
                ErrorCode::ProviderAuth,
            ),
            (
                json!({ "type": "error", "code": "server_error", "message": "x", "param": null }),
                ErrorCode::ProviderUnavailable,
            ),
            (
                json!({ "error": { "code": 400, "type": "exceed_context_size_error", "message": "x" } }),
                ErrorCode::ContextOverflow,
            ),
            (json!({ "object": "error", "message": "no", "code": 404 }), ErrorCode::ModelNotFound),
            (json!({ "error": "nope" }), ErrorCode::ProviderUnavailable),
        ] {
            assert_eq!(meaning(body.clone()), code, "{body}");
        }
    }

    #[test]
    fn a_request_that_is_too_long_is_known_by_its_words_where_there_is_no_code() {
        for words in [
            "prompt is too long: 210000 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000",
            "This model's maximum context length is 8192 tokens",
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            "the request exceeds the available context size. try increasing the context size",
            "Please reduce the length of the messages or completion.",
        ] {
            let complaint = Complaint { status: Some(400), words, ..Complaint::default() };
            assert_eq!(complaint.meaning(), ErrorCode::ContextOverflow, "{words}");
            let fault = Complaint { status: Some(500), words, ..Complaint::default() };
            assert_eq!(fault.meaning(), ErrorCode::ProviderUnavailable, "{words}");
        }
    }

    #[test]
    fn a_model_that_is_not_there_and_an_empty_account_are_known_in_each_providers_way() {
        for (status, kind, code, words, meaning) in [
            (404, Some("not_found_error"), None, "model: claude-x", ErrorCode::ModelNotFound),
            (404, Some("invalid_request_error"), Some("model_not_found"), "no access", ErrorCode::ModelNotFound),
            (403, Some("invalid_request_error"), Some("model_not_found"), "no access", ErrorCode::ModelNotFound),
            (404, Some("NOT_FOUND"), None, "models/x is not found", ErrorCode::ModelNotFound),
            (400, Some("invalid_request_error"), None, "Model Not Exist", ErrorCode::ModelNotFound),
            (400, None, None, "x/y is not a valid model ID", ErrorCode::ModelNotFound),
            (402, None, None, "Insufficient Balance", ErrorCode::ProviderQuota),
            (429, Some("insufficient_quota"), Some("insufficient_quota"), "x", ErrorCode::ProviderQuota),
            (
                400,
                Some("invalid_request_error"),
                None,
                "Your credit balance is too low to access the Anthropic API.",
                ErrorCode::ProviderQuota,
            ),
            (400, Some("invalid_request_error"), None, "tools: too many", ErrorCode::ProviderRejected),
        ] {
            let complaint = Complaint { status: Some(status), kind, code, words, retry_after_ms: None };
            assert_eq!(complaint.meaning(), meaning, "{complaint:?}");
        }
    }

    #[test]
    fn a_wait_may_stand_in_the_complaint() {
        let body = json!({ "error": { "code": 429, "details": [{ "retryDelay": "34.5s" }] } });
        assert_eq!(Complaint::of(&body).retry_after_ms, Some(34_500));
    }
}
