//! The protocols that the server speaks, and which of them a request is in: its path says it.

use serde_json::Value;

/// A protocol between agents and models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Gemini, `generateContent`.
    Gemini,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenaiChat, Self::OpenaiResponses, Self::Gemini];
}

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) protocol: Protocol,
    /// The model, where the path names it.
    model: Option<String>,
    /// Whether the reply is a stream, where the path says it.
    streams: Option<bool>,
}

impl Route {
    /// Reads the path of a `POST`. What stands before the protocol's own part is a gateway's business.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let plain = |protocol| Some(Self { protocol, model: None, streams: None });
        if let Some((before, verb)) = path.rsplit_once(':') {
            let streams = match verb {
                "generateContent" => false,
                "streamGenerateContent" => true,
                _ => return None,
            };
            let (_, model) = before.rsplit_once("/models/")?;
            return Some(Self { protocol: Protocol::Gemini, model: Some(model.to_owned()), streams: Some(streams) });
        }
        match path {
            _ if path.ends_with("/messages") => plain(Protocol::Anthropic),
            _ if path.ends_with("/chat/completions") => plain(Protocol::OpenaiChat),
            _ if path.ends_with("/responses") => plain(Protocol::OpenaiResponses),
            _ => None,
        }
    }

    /// The model's name.
    pub(crate) fn model(&self, body: &Value) -> String {
        self.model.clone().unwrap_or_else(|| body["model"].as_str().unwrap_or_default().to_owned())
    }

    /// Whether the reply is to be a stream.
    pub(crate) fn streams(&self, body: &Value) -> bool {
        self.streams.unwrap_or_else(|| body["stream"] == true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_says_the_protocol_whatever_stands_before_it() {
        for (path, protocol) in [
            ("/v1/messages", Some(Protocol::Anthropic)),
            ("/anthropic/v1/messages", Some(Protocol::Anthropic)),
            ("/v1/chat/completions", Some(Protocol::OpenaiChat)),
            ("/openai/deployments/d/chat/completions", Some(Protocol::OpenaiChat)),
            ("/v1/responses", Some(Protocol::OpenaiResponses)),
            ("/v1beta/models/m:streamGenerateContent", Some(Protocol::Gemini)),
            ("/v1beta/models/m:countTokens", None),
            ("/v1/completions", None),
        ] {
            assert_eq!(Route::of(path).map(|route| route.protocol), protocol, "{path}");
        }
    }

    #[test]
    fn gemini_names_model_and_form_in_the_path_the_others_in_the_body() {
        let body = serde_json::json!({ "model": "b", "stream": true });
        let gemini = Route::of("/v1beta/models/a:generateContent").unwrap();
        assert_eq!((gemini.model(&body), gemini.streams(&body)), ("a".to_owned(), false));
        let chat = Route::of("/v1/chat/completions").unwrap();
        assert_eq!((chat.model(&body), chat.streams(&body)), ("b".to_owned(), true));
    }
}
