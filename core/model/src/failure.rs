//! What a provider's own names and words for a failure mean in the one list of errors.

use lodger_protocol::{Error, ErrorCode};
use serde_json::json;

/// Longest piece of a provider's own words in a message, in bytes.
pub(crate) const MAX_WORDS: usize = 2000;

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

/// The code for a type of error, where it is known.
pub(crate) fn code_of_kind(kind: &str) -> Option<ErrorCode> {
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

/// Whether the words say that the conversation is too long. Providers have no code for it.
pub(crate) fn is_overflow(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    ["prompt is too long", "exceed context limit", "context window", "context length", "context_length_exceeded"]
        .iter()
        .any(|sign| words.contains(sign))
}

/// The words, cut between characters where they are long.
pub(crate) fn shortened(text: &str) -> String {
    match text.len() <= MAX_WORDS {
        true => text.to_owned(),
        false => format!("{}...", &text[..text.floor_char_boundary(MAX_WORDS)]),
    }
}
