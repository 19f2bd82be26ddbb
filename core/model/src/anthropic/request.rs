//! A request as the body of `POST /v1/messages`.

use bytes::Bytes;
use lodger_protocol::{Content, Error, Role, ToolSpec};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{ModelMessage, ModelRequest};

/// How many places of a request may be marked for the provider's cache.
pub const CACHE_MARKERS: usize = 4;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Marker>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    content: Vec<Block<'a>>,
}

/// A block, and whether the prefix that ends with it is to be cached.
#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Marker>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind<'a> {
    Text {
        text: std::borrow::Cow<'a, str>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: std::borrow::Cow<'a, Value>,
    },
    ToolResult {
        tool_use_id: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        content: Vec<Block<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    Image {
        source: Source<'a>,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source<'a> {
    Base64 { media_type: &'a str, data: &'a str },
}

#[derive(Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Marker {
    Ephemeral,
}

/// Writes the body of a request for `model`, the provider's own name of it.
///
/// Left out, since the provider refuses them: blank text, thought without a signature, messages that this leaves
/// empty. Neighbouring messages of one role become one, tool results first. A call whose input is not an object is
/// sent as `{"invalidInput": ...}`. Marked for the cache, at most [`CACHE_MARKERS`] times: the system prompt, the
/// last tool, the last block, and the last block of the user message before, where the request before had its mark.
///
/// # Errors
/// `internal` when the body cannot be written.
pub fn request_body(request: &ModelRequest, model: &str) -> Result<Bytes, Error> {
    let mut messages = merge(&request.messages);
    mark_messages(&mut messages);
    let body = Body {
        model,
        max_tokens: request.max_output_tokens,
        stream: true,
        system: system(&request.system),
        tools: tools(&request.tools),
        messages,
    };
    serde_json::to_vec(&body)
        .map(Bytes::from)
        .map_err(|error| Error::internal(format!("the request cannot be written: {error}")))
}

fn system(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<_> = block_of_text(text).into_iter().collect();
    if let Some(block) = blocks.last_mut() {
        block.cache_control = Some(Marker::Ephemeral);
    }
    blocks
}

fn tools(specs: &[ToolSpec]) -> Vec<Tool<'_>> {
    let last = specs.len().saturating_sub(1);
    specs
        .iter()
        .enumerate()
        .map(|(place, spec)| Tool {
            name: &spec.name,
            description: &spec.description,
            input_schema: &spec.input_schema,
            cache_control: (place == last).then_some(Marker::Ephemeral),
        })
        .collect()
}

fn merge(messages: &[ModelMessage]) -> Vec<Message<'_>> {
    let mut out: Vec<Message<'_>> = Vec::with_capacity(messages.len());
    for message in messages {
        let blocks = message.content.iter().filter_map(block);
        match out.last_mut() {
            Some(last) if last.role == message.role => last.content.extend(blocks),
            _ => {
                let content: Vec<_> = blocks.collect();
                if !content.is_empty() {
                    out.push(Message { role: message.role, content });
                }
            }
        }
    }
    for message in &mut out {
        // Stable: only moves results in front of what the user says besides.
        message.content.sort_by_key(|block| !matches!(block.kind, Kind::ToolResult { .. }));
    }
    out
}

fn mark_messages(messages: &mut [Message<'_>]) {
    let last = messages.len().saturating_sub(1);
    let before = messages[..last].iter().rposition(|message| message.role == Role::User);
    for place in [Some(last), before].into_iter().flatten() {
        let carrier = messages.get_mut(place).and_then(|message| {
            message
                .content
                .iter_mut()
                .rev()
                .find(|block| !matches!(block.kind, Kind::Thinking { .. } | Kind::RedactedThinking { .. }))
        });
        if let Some(block) = carrier {
            block.cache_control = Some(Marker::Ephemeral);
        }
    }
}

fn block(content: &Content) -> Option<Block<'_>> {
    let kind = match content {
        Content::Text { text } => return block_of_text(text),
        Content::Thinking { text, signature } => {
            Kind::Thinking { thinking: text, signature: signature.as_deref().filter(|sign| !sign.is_empty())? }
        }
        Content::RedactedThinking { data } => Kind::RedactedThinking { data },
        Content::ToolCall { tool_call_id, tool_name, input } => Kind::ToolUse {
            id: tool_call_id.as_str(),
            name: tool_name,
            input: match input.is_object() {
                true => std::borrow::Cow::Borrowed(input),
                false => std::borrow::Cow::Owned(json!({ "invalidInput": input })),
            },
        },
        Content::ToolResult { tool_call_id, content, is_error } => {
            let mut content: Vec<_> = content.iter().filter(|block| is_result_block(block)).filter_map(block).collect();
            if content.is_empty() && *is_error {
                content.extend(block_of_text("The tool failed without saying why."));
            }
            Kind::ToolResult { tool_use_id: tool_call_id.as_str(), content, is_error: *is_error }
        }
        Content::Image { mime_type, data } => Kind::Image { source: Source::Base64 { media_type: mime_type, data } },
        Content::Resource { uri, text } => Kind::Text { text: resource(uri, text).into() },
    };
    Some(Block { kind, cache_control: None })
}

fn is_result_block(content: &Content) -> bool {
    matches!(content, Content::Text { .. } | Content::Image { .. } | Content::Resource { .. })
}

fn block_of_text(text: &str) -> Option<Block<'_>> {
    (!text.trim().is_empty()).then(|| Block { kind: Kind::Text { text: text.into() }, cache_control: None })
}

/// A named text between tags. Neither the name nor the text can close the tag.
fn resource(uri: &str, text: &str) -> String {
    let uri = uri.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
    let text = text.replace("</resource", "&lt;/resource");
    format!("<resource uri=\"{uri}\">\n{text}\n</resource>")
}
