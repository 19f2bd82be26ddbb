//! Thought that its provider does not take back: a stored block that was changed on its way, cut, or sealed by a key that
//! no longer counts would have every later request refused. It is left out whole, and the request sent once more.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use lodger_protocol::{Content, Error, ErrorCode};

use crate::ModelRequest;

/// How providers say that they refuse thought of theirs, in lower case.
const SIGNS: &[&str] = &[
    // Anthropic.
    "`signature` in `thinking` block",
    "invalid signature in thinking block",
    "thinking.signature: field required",
    "`data` in `redacted_thinking` block",
    "each thinking block must contain thinking",
    "`redacted_thinking` blocks in the latest assistant message cannot be modified",
    // OpenAI.
    "encrypted content",
    "of type 'reasoning' was provided without",
    "without its required 'reasoning' item",
    "item with id 'rs_",
    // Google.
    "thought signature",
    "thought_signature",
];
/// The same, as codes.
const CODES: &[&str] = &["invalid_encrypted_content", "thinking_signature_invalid"];

/// Whether a provider refuses a request for the thought in it.
pub(crate) fn is_refusal(error: &Error) -> bool {
    let code = error.data.as_ref().and_then(|data| data.get("code")?.as_str());
    let words = error.message.to_ascii_lowercase();
    matches!(error.code, ErrorCode::ProviderRejected | ErrorCode::ModelNotFound)
        && (code.is_some_and(|code| CODES.contains(&code)) || SIGNS.iter().any(|sign| words.contains(sign)))
}

/// What is not shown to a model any more: the thought up to the one that is marked here, as long as that is still part of
/// the conversation.
#[derive(Default)]
pub(crate) struct Forgotten(Mutex<Option<u64>>);

impl Forgotten {
    /// The request without what was forgotten before.
    pub(crate) fn left_out(&self, request: Arc<ModelRequest>) -> Arc<ModelRequest> {
        let Some(mark) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) else { return request };
        let last = request.messages.iter().rposition(|message| marks(&message.content).any(|other| other == mark));
        match last {
            Some(last) => without_thought(&request, last + 1),
            None => request,
        }
    }

    /// Forgets all thought in a request. `None`: there is none in it.
    pub(crate) fn forget(&self, request: &ModelRequest) -> Option<Arc<ModelRequest>> {
        let last = request.messages.iter().rev().find_map(|message| marks(&message.content).last())?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
        Some(without_thought(request, request.messages.len()))
    }
}

/// A number for each thought of a message.
fn marks(content: &[Content]) -> impl Iterator<Item = u64> {
    content.iter().filter_map(|block| {
        let kept = match block {
            Content::Thinking { text, signature } => (text.as_str(), signature.as_deref()),
            Content::RedactedThinking { data } => (data.as_str(), None),
            _ => return None,
        };
        let mut hasher = DefaultHasher::new();
        kept.hash(&mut hasher);
        Some(hasher.finish())
    })
}

/// The request without the thought of its first messages.
fn without_thought(request: &ModelRequest, count: usize) -> Arc<ModelRequest> {
    let mut request = request.clone();
    for message in request.messages.iter_mut().take(count) {
        message.content.retain(|block| !matches!(block, Content::Thinking { .. } | Content::RedactedThinking { .. }));
    }
    Arc::new(request)
}

#[cfg(test)]
mod tests {
    use lodger_protocol::{Effort, Role};
    use serde_json::json;

    use super::*;
    use crate::{ModelMessage, RETRY_TIME};

    fn thought(signature: &str) -> Content {
        Content::Thinking { text: "hm".to_owned(), signature: Some(signature.to_owned()) }
    }

    fn request(thoughts: &[&str]) -> Arc<ModelRequest> {
        let message = |signature: &&str| ModelMessage {
            role: Role::Assistant,
            content: vec![thought(signature), Content::text("said")],
            model: None,
        };
        Arc::new(ModelRequest {
            system: "".into(),
            messages: thoughts.iter().map(message).collect(),
            tools: Vec::new().into(),
            max_output_tokens: 1,
            effort: Effort::Auto,
            output_schema: None,
            retry_for: RETRY_TIME,
        })
    }

    fn thoughts(request: &ModelRequest) -> Vec<usize> {
        request.messages.iter().map(|message| marks(&message.content).count()).collect()
    }

    #[test]
    fn what_was_refused_stays_away_and_what_comes_after_it_does_not() {
        let forgotten = Forgotten::default();
        assert_eq!(thoughts(&forgotten.left_out(request(&["a", "b"]))), [1, 1]);
        assert_eq!(thoughts(&forgotten.forget(&request(&["a", "b"])).unwrap()), [0, 0]);
        assert_eq!(thoughts(&forgotten.left_out(request(&["a", "b", "c"]))), [0, 0, 1]);
        assert_eq!(thoughts(&forgotten.left_out(request(&["c"]))), [1], "a conversation without it");
    }

    #[test]
    fn without_thought_there_is_nothing_to_forget() {
        assert!(Forgotten::default().forget(&request(&[])).is_none());
    }

    #[test]
    fn only_a_refusal_of_thought_is_one() {
        let rejected = |message: &str| Error::new(ErrorCode::ProviderRejected, message);
        for words in [
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            "The encrypted content gAAA could not be verified.",
            "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
            "Corrupted thought signature.",
        ] {
            assert!(is_refusal(&rejected(words)), "{words}");
            assert!(!is_refusal(&Error::new(ErrorCode::ProviderUnavailable, words)), "{words}");
        }
        assert!(is_refusal(&rejected("x").with_data(json!({ "code": "invalid_encrypted_content" }))));
        assert!(!is_refusal(&rejected("max_tokens: must be greater than thinking.budget_tokens")));
    }
}
