//! A request as the body of `POST /v1/chat/completions`.

use std::borrow::Cow;

use bytes::Bytes;
use lodger_protocol::{Effort, Error, Role, ToolSpec};
use serde::Serialize;
use serde_json::{Map, Value};

use super::KIND;
use crate::protocol::written;
use crate::schema::{OUTPUT_NAME, with_properties};
use crate::shown::{Part, Turn, last_prompt, pdf_name, pdf_url, shown, unsigned, words_of};
use crate::{ModelRequest, Target};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<Effort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema { json_schema: Named<'a> },
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'static str,
    schema: Cow<'a, Value>,
    strict: bool,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Said<'a>,
    },
    Assistant {
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
        /// Thought, in the field where it came.
        #[serde(flatten)]
        thought: Map<String, Value>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: String,
    },
}

/// A text alone is written as such, which every server takes.
#[derive(Serialize)]
#[serde(untagged)]
enum Said<'a> {
    Text(String),
    Parts(Vec<UserPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum UserPart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
    File { file: File<'a> },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct File<'a> {
    filename: Cow<'a, str>,
    file_data: String,
}

#[derive(Serialize)]
struct Call<'a> {
    id: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: String,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Declaration<'a>,
}

#[derive(Serialize)]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Cow<'a, Value>,
}

/// Writes the body of a request.
pub(super) fn body(request: &ModelRequest, target: &Target) -> Result<Bytes, Error> {
    let turns = shown(&request.messages, target);
    let prompt = last_prompt(&turns);
    let mut messages = Vec::with_capacity(turns.len() + 1);
    if !request.system.trim().is_empty() {
        messages.push(Message::System { content: &request.system });
    }
    for (place, turn) in turns.into_iter().enumerate() {
        match turn.role {
            Role::User => user(turn, &mut messages),
            Role::Assistant => messages.extend(assistant(turn, place > prompt)),
        }
    }
    let quirks = &target.quirks;
    let limit = Some(request.max_output_tokens);
    written(&Body {
        model: &target.model,
        messages,
        tools: request.tools.iter().map(tool).collect(),
        max_tokens: limit.filter(|_| !quirks.max_completion_tokens),
        max_completion_tokens: limit.filter(|_| quirks.max_completion_tokens),
        reasoning_effort: quirks.word(request.effort),
        response_format: request.output_schema.as_deref().map(format),
        stream: true,
        stream_options: quirks.stream_options.then_some(StreamOptions { include_usage: true }),
    })
}

fn format(schema: &Value) -> Format<'_> {
    Format::JsonSchema { json_schema: Named { name: OUTPUT_NAME, schema: with_properties(schema), strict: true } }
}

fn tool(spec: &ToolSpec) -> Tool<'_> {
    let parameters = with_properties(&spec.input_schema);
    Tool { kind: "function", function: Declaration { name: &spec.name, description: &spec.description, parameters } }
}

/// Results first, each a message of its own; then what the user says.
fn user<'a>(turn: Turn<'a>, out: &mut Vec<Message<'a>>) {
    let mut own = Vec::new();
    for part in turn.parts {
        match part {
            Part::Result { id, parts, is_error, .. } => {
                let words = words_of(&parts);
                // The protocol has no mark for it.
                let content = if is_error { format!("Error: {words}") } else { words };
                out.push(Message::Tool { tool_call_id: id, content });
            }
            Part::Text(text) => own.push(UserPart::Text { text }),
            Part::Image { mime_type, data } => {
                own.push(UserPart::ImageUrl { image_url: ImageUrl { url: format!("data:{mime_type};base64,{data}") } });
            }
            Part::Document { name, data } => {
                own.push(UserPart::File { file: File { filename: pdf_name(name), file_data: pdf_url(data) } });
            }
            Part::Thinking { .. } | Part::Redacted(_) | Part::Call { .. } => {}
        }
    }
    if own.is_empty() {
        return;
    }
    let texts: Option<Vec<&str>> = own
        .iter()
        .map(|part| match part {
            UserPart::Text { text } => Some(text.as_ref()),
            UserPart::ImageUrl { .. } | UserPart::File { .. } => None,
        })
        .collect();
    let content = match texts {
        Some(texts) => Said::Text(texts.join("\n\n")),
        None => Said::Parts(own),
    };
    out.push(Message::User { content });
}

/// `running`: the reply belongs to the running turn, whose thought servers want back. Thought alone is no message.
fn assistant(turn: Turn<'_>, running: bool) -> Option<Message<'_>> {
    let mut content = String::new();
    let mut tool_calls = Vec::new();
    let mut thought = Map::new();
    for part in turn.parts {
        match part {
            Part::Text(text) => content.push_str(&text),
            Part::Call { id, name, input } => {
                let function = Function { name, arguments: input.to_string() };
                tool_calls.push(Call { id, kind: "function", function });
            }
            Part::Thinking { text, signature } => {
                if let Some(kept) = unsigned(KIND, signature) {
                    think(&mut thought, text, kept, running);
                }
            }
            Part::Redacted(_) | Part::Result { .. } | Part::Image { .. } | Part::Document { .. } => {}
        }
    }
    let content = (!content.is_empty()).then_some(content);
    (content.is_some() || !tool_calls.is_empty()).then_some(Message::Assistant { content, tool_calls, thought })
}

/// Writes thought where it came from: details always, whole; a text only in the running turn.
fn think(thought: &mut Map<String, Value>, text: &str, kept: &str, running: bool) {
    match serde_json::from_str::<Value>(kept) {
        Ok(details @ Value::Array(_)) => {
            thought.insert("reasoning_details".to_owned(), details);
        }
        _ if running && matches!(kept, "reasoning_content" | "reasoning") => {
            let field = thought.entry(kept).or_insert_with(|| Value::String(String::new()));
            if let Value::String(known) = field {
                known.push_str(text);
            }
        }
        _ => {}
    }
}
