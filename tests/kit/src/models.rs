//! The lists of models, in pages where the protocol has pages.

use hyper::{HeaderMap, Uri};
use serde_json::{Value, json};

use crate::protocol::Protocol;

/// The protocol of a `GET` for the list of models, if it is one.
pub(crate) fn protocol(path: &str, headers: &HeaderMap) -> Option<Protocol> {
    let path = path.strip_suffix("/models")?;
    Some(match () {
        // Google's own clients have left `v1beta` for a path that is OpenAI's too.
        () if path.ends_with("/v1beta") || headers.contains_key("x-goog-api-key") => Protocol::Gemini,
        () if headers.contains_key("anthropic-version") => Protocol::Anthropic,
        () => Protocol::OpenaiChat,
    })
}

/// The list, or the page of it that the query asks for.
pub(crate) fn list(protocol: Protocol, uri: &Uri, names: &[String]) -> Value {
    match protocol {
        Protocol::Anthropic => {
            let page = Page::of(names, asked(uri, "limit"), asked(uri, "after_id"));
            let models: Vec<_> = page.names.iter().map(|name| anthropic(name)).collect();
            json!({
                "data": models,
                "has_more": page.more,
                "first_id": page.names.first(),
                "last_id": page.names.last(),
            })
        }
        Protocol::OpenaiChat | Protocol::OpenaiResponses => {
            let models: Vec<_> = names.iter().map(|name| openai(name)).collect();
            json!({ "object": "list", "data": models })
        }
        Protocol::Gemini => {
            let page = Page::of(names, asked(uri, "pageSize"), asked(uri, "pageToken"));
            let models: Vec<_> = page.names.iter().map(|name| gemini(name)).collect();
            let mut list = json!({ "models": models });
            if let Some(last) = page.names.last().filter(|_| page.more) {
                list["nextPageToken"] = last.as_str().into();
            }
            list
        }
    }
}

/// A page of names.
struct Page<'a> {
    names: &'a [String],
    more: bool,
}

impl<'a> Page<'a> {
    /// The page that follows the name `after`.
    fn of(names: &'a [String], size: Option<&str>, after: Option<&str>) -> Self {
        let start = after.and_then(|after| names.iter().position(|name| name == after)).map_or(0, |place| place + 1);
        let size = size.and_then(|size| size.parse().ok()).unwrap_or(20).max(1);
        let end = names.len().min(start + size);
        Self { names: &names[start..end], more: end < names.len() }
    }
}

fn asked<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    let mut pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find_map(|(key, value)| (key == name).then_some(value))
}

fn anthropic(name: &str) -> Value {
    json!({
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": 200_000,
        "max_tokens": 64_000,
    })
}

fn openai(name: &str) -> Value {
    json!({ "id": name, "object": "model", "created": 1_700_000_000, "owned_by": "mock" })
}

fn gemini(name: &str) -> Value {
    json!({
        "name": format!("models/{name}"),
        "version": "001",
        "displayName": name,
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    })
}
