//! The protocols that the server speaks, and which of them a request is in: its path says it.

use percent_encoding::percent_decode_str;
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

/// Who serves a protocol, in a form of his own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Platform {
    /// The protocol's own vendor, and all that is compatible.
    #[default]
    Vendor,
    /// Amazon Bedrock: Anthropic Messages, framed as Amazon's event stream.
    Bedrock,
    /// Google Vertex: Anthropic Messages at a path of its own.
    Vertex,
}

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) protocol: Protocol,
    pub(crate) platform: Platform,
    /// The model, where the path names it.
    model: Option<String>,
    /// Whether the reply is a stream, where the path says it.
    streams: Option<bool>,
}

impl Route {
    /// Reads the path of a `POST`. What stands before the protocol's own part is a gateway's business.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let plain = |protocol| Some(Self { protocol, platform: Platform::Vendor, model: None, streams: None });
        let named = |protocol, platform, model: &str, streams| {
            let model = Some(percent_decode_str(model).decode_utf8().ok()?.into_owned());
            Some(Self { protocol, platform, model, streams: Some(streams) })
        };
        if let Some((_, invoked)) = path.rsplit_once("/model/") {
            let (model, streams) = match invoked.split_once('/')? {
                (model, "invoke") => (model, false),
                (model, "invoke-with-response-stream") => (model, true),
                _ => return None,
            };
            return named(Protocol::Anthropic, Platform::Bedrock, model, streams);
        }
        if let Some((before, verb)) = path.rsplit_once(':') {
            let (_, model) = before.rsplit_once("/models/")?;
            return match verb {
                "generateContent" => named(Protocol::Gemini, Platform::Vendor, model, false),
                "streamGenerateContent" => named(Protocol::Gemini, Platform::Vendor, model, true),
                "rawPredict" => named(Protocol::Anthropic, Platform::Vertex, model, false),
                "streamRawPredict" => named(Protocol::Anthropic, Platform::Vertex, model, true),
                _ => None,
            };
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
            ("/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict", Some(Protocol::Anthropic)),
            ("/model/m/invoke-with-response-stream", Some(Protocol::Anthropic)),
            ("/model/m/converse", None),
            ("/v1beta/models/m:countTokens", None),
            ("/v1/completions", None),
        ] {
            assert_eq!(Route::of(path).map(|route| route.protocol), protocol, "{path}");
        }
    }

    #[test]
    fn some_name_model_and_form_in_the_path_the_others_in_the_body() {
        let body = serde_json::json!({ "model": "b", "stream": true });
        let gemini = Route::of("/v1beta/models/a:generateContent").unwrap();
        assert_eq!((gemini.model(&body), gemini.streams(&body)), ("a".to_owned(), false));
        let bedrock = Route::of("/model/a%3A0%2Fb/invoke-with-response-stream").unwrap();
        assert_eq!((bedrock.model(&body), bedrock.streams(&body)), ("a:0/b".to_owned(), true));
        let chat = Route::of("/v1/chat/completions").unwrap();
        assert_eq!((chat.model(&body), chat.streams(&body)), ("b".to_owned(), true));
    }
}
