//! How each protocol says that something went wrong: statuses, names and bodies.

use lodger_model::scripted::Fault;
use lodger_protocol::ErrorCode;
use serde_json::{Value, json};

use crate::protocol::{Platform, Protocol};

/// What went wrong, in a protocol's own words.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) status: u16,
    /// Its type, or Gemini's status.
    pub(crate) kind: &'static str,
    /// OpenAI's second name for it.
    pub(crate) code: Option<&'static str>,
    pub(crate) message: String,
    pub(crate) retry_after_ms: Option<u64>,
}

impl Failure {
    /// A failure that belongs to a code of ours.
    pub(crate) fn of(protocol: Protocol, code: ErrorCode, message: String) -> Self {
        let status = match (protocol, code) {
            (_, ErrorCode::ProviderAuth) => 401,
            (_, ErrorCode::ProviderRateLimited) => 429,
            (Protocol::Anthropic, ErrorCode::ProviderOverloaded) => 529,
            (_, ErrorCode::ProviderOverloaded) => 503,
            (_, ErrorCode::ProviderUnavailable) => 500,
            (_, ErrorCode::ProviderQuota) => 402,
            (_, ErrorCode::ModelNotFound) => 404,
            _ => 400,
        };
        let mut failure = Self::of_status(protocol, status, message);
        if protocol.is_openai() && code == ErrorCode::ContextOverflow {
            failure.code = Some("context_length_exceeded");
        }
        failure
    }

    /// A failure that belongs to a status.
    pub(crate) fn of_status(protocol: Protocol, status: u16, message: String) -> Self {
        let (kind, code) = match protocol {
            Protocol::Anthropic => (anthropic_kind(status), None),
            Protocol::OpenaiChat | Protocol::OpenaiResponses => openai_names(status),
            Protocol::Gemini => (gemini_status(status), None),
        };
        Self { status, kind, code, message, retry_after_ms: None }
    }

    /// A failure that belongs to a code of ours, in these words or in the provider's.
    pub(crate) fn saying(protocol: Protocol, code: ErrorCode, message: Option<&str>) -> Self {
        Self::of(protocol, code, message.unwrap_or_else(|| default_words(protocol, code)).to_owned())
    }

    /// What a script's fault of type `error` says.
    pub(crate) fn of_fault(protocol: Protocol, fault: &Fault) -> Self {
        let code = fault.code.unwrap_or(ErrorCode::ProviderUnavailable);
        Self { retry_after_ms: fault.retry_after_ms, ..Self::saying(protocol, code, fault.message.as_deref()) }
    }

    /// The body of an answer that is no reply; also what a stream says in its own frame.
    pub(crate) fn body(&self, protocol: Protocol) -> Value {
        let Self { status, kind, code, message, .. } = self;
        match protocol {
            Protocol::Anthropic => json!({ "type": "error", "error": { "type": kind, "message": message } }),
            Protocol::OpenaiChat | Protocol::OpenaiResponses => {
                json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
            }
            Protocol::Gemini => {
                let mut error = json!({ "code": status, "message": message, "status": kind });
                if let Some(ms) = self.retry_after_ms {
                    let seconds = ms as f64 / 1000.0;
                    error["details"] = json!([
                        { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s") },
                    ]);
                }
                json!({ "error": error })
            }
        }
    }

    /// The body of an answer that is no reply, as that platform has it.
    pub(crate) fn body_on(&self, platform: Platform, protocol: Protocol) -> Value {
        match platform {
            Platform::Bedrock => json!({ "message": self.message }),
            Platform::Vendor | Platform::Vertex => self.body(protocol),
        }
    }

    /// Headers that say how long to wait, where the body does not.
    pub(crate) fn headers(&self, protocol: Protocol) -> Vec<(&'static str, String)> {
        match (protocol, self.retry_after_ms) {
            (Protocol::Gemini, _) | (_, None) => Vec::new(),
            (_, Some(ms)) => vec![("retry-after-ms", ms.to_string())],
        }
    }
}

impl Protocol {
    pub(crate) fn is_openai(self) -> bool {
        matches!(self, Self::OpenaiChat | Self::OpenaiResponses)
    }
}

fn default_words(protocol: Protocol, code: ErrorCode) -> &'static str {
    match (protocol, code) {
        (Protocol::Anthropic, ErrorCode::ContextOverflow) => "prompt is too long: the script says so",
        (Protocol::Gemini, ErrorCode::ContextOverflow) => {
            "The input token count (9) exceeds the maximum number of tokens allowed (8)."
        }
        // Its status is that of any fault: only the words say it.
        (Protocol::Gemini, ErrorCode::ProviderOverloaded) => "The model is overloaded. Please try again later.",
        (_, ErrorCode::ContextOverflow) => "Your input exceeds the context window of this model.",
        _ => "an error, as told",
    }
}

fn anthropic_kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

fn openai_names(status: u16) -> (&'static str, Option<&'static str>) {
    match status {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        404 => ("invalid_request_error", Some("model_not_found")),
        429 => ("tokens", Some("rate_limit_exceeded")),
        503 | 529 => ("service_unavailable_error", Some("server_is_overloaded")),
        500.. => ("server_error", None),
        _ => ("invalid_request_error", None),
    }
}

fn gemini_status(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        504 => "DEADLINE_EXCEEDED",
        503 | 529 => "UNAVAILABLE",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}
