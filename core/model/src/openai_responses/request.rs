//! A request as the body of `POST /v1/responses`.

use std::borrow::Cow;

use bytes::Bytes;
use lodger_protocol::{Effort, Error, Role, ToolSpec};
use serde::Serialize;
use serde_json::Value;

use super::KIND;
use crate::protocol::written;
use crate::schema::{OUTPUT_NAME, with_properties};
use crate::shown::{Part, pdf_name, pdf_url, shown, unsigned, words_of};
use crate::{ModelRequest, Target};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    input: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    /// Thought comes encrypted, to be sent back, since nothing is kept at the provider.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    include: &'static [&'static str],
    store: bool,
    stream: bool,
}

#[derive(Serialize)]
struct Text<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema { name: &'static str, schema: Cow<'a, Value>, strict: bool },
}

#[derive(Serialize)]
struct Reasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<Effort>,
    summary: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message {
        role: Role,
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<Value>,
        content: Vec<Content<'a>>,
    },
    FunctionCall {
        call_id: Cow<'a, str>,
        name: &'a str,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: Output<'a>,
    },
    #[serde(untagged)]
    Kept(Value),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Output<'a> {
    Text(String),
    Parts(Vec<Content<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    InputText { text: Cow<'a, str> },
    OutputText { text: Cow<'a, str> },
    InputImage { image_url: String, detail: &'static str },
    InputFile { filename: Cow<'a, str>, file_data: String },
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: Cow<'a, Value>,
    strict: bool,
}

/// Writes the body of a request.
pub(super) fn body(request: &ModelRequest, target: &Target) -> Result<Bytes, Error> {
    let mut input = Vec::new();
    for turn in shown(&request.messages, target) {
        for part in turn.parts {
            add(turn.role, part, &mut input);
        }
        // Thought must be followed by what it led to.
        while input.last().is_some_and(|item| matches!(item, Item::Kept(_)) || is_unsaid(item)) {
            input.pop();
        }
    }
    input.retain(|item| !is_unsaid(item));
    let effort = target.quirks.word(request.effort);
    let thinks = target.quirks.thinks || effort.is_some();
    written(&Body {
        model: &target.model,
        instructions: if request.system.trim().is_empty() { "" } else { &request.system },
        input,
        tools: request.tools.iter().map(tool).collect(),
        max_output_tokens: request.max_output_tokens,
        text: request.output_schema.as_deref().map(format),
        reasoning: thinks.then_some(Reasoning { effort, summary: "auto" }),
        include: if thinks { &["reasoning.encrypted_content"] } else { &[] },
        store: false,
        stream: true,
    })
}

fn format(schema: &Value) -> Text<'_> {
    Text { format: Format::JsonSchema { name: OUTPUT_NAME, schema: with_properties(schema), strict: true } }
}

fn tool(spec: &ToolSpec) -> Tool<'_> {
    let parameters = with_properties(&spec.input_schema);
    Tool { kind: "function", name: &spec.name, description: &spec.description, parameters, strict: false }
}

fn add<'a>(role: Role, part: Part<'a>, input: &mut Vec<Item<'a>>) {
    match part {
        Part::Call { id, name, input: arguments } => {
            input.push(Item::FunctionCall { call_id: id, name, arguments: arguments.to_string() });
        }
        Part::Result { id, parts, is_error, .. } => {
            input.push(Item::FunctionCallOutput { call_id: id, output: output(parts, is_error) });
        }
        Part::Thinking { signature, .. } => {
            let kept = unsigned(KIND, signature).and_then(|kept| serde_json::from_str::<Value>(kept).ok());
            let mut kept = kept.unwrap_or_default();
            match kept["type"].as_str() {
                Some("reasoning") => input.push(Item::Kept(kept)),
                // The text that comes next joins it.
                Some("message") => {
                    input.push(Item::Message { role, phase: Some(kept["phase"].take()), content: Vec::new() });
                }
                _ => {}
            }
        }
        Part::Redacted(_) => {}
        part => {
            let Some(content) = content(role, part) else { return };
            match input.last_mut() {
                Some(Item::Message { role: known, content: parts, .. }) if *known == role => parts.push(content),
                _ => input.push(Item::Message { role, phase: None, content: vec![content] }),
            }
        }
    }
}

/// A message of which nothing is left but its phase.
fn is_unsaid(item: &Item<'_>) -> bool {
    matches!(item, Item::Message { content, .. } if content.is_empty())
}

fn content(role: Role, part: Part<'_>) -> Option<Content<'_>> {
    match part {
        Part::Text(text) if role == Role::Assistant => Some(Content::OutputText { text }),
        Part::Text(text) => Some(Content::InputText { text }),
        Part::Image { mime_type, data } => {
            Some(Content::InputImage { image_url: format!("data:{mime_type};base64,{data}"), detail: "auto" })
        }
        Part::Document { name, data } => {
            Some(Content::InputFile { filename: pdf_name(name), file_data: pdf_url(data) })
        }
        _ => None,
    }
}

fn output(parts: Vec<Part<'_>>, is_error: bool) -> Output<'_> {
    if parts.iter().any(|part| matches!(part, Part::Image { .. } | Part::Document { .. })) {
        return Output::Parts(parts.into_iter().filter_map(|part| content(Role::User, part)).collect());
    }
    let words = words_of(&parts);
    // The protocol has no mark for it.
    Output::Text(if is_error { format!("Error: {words}") } else { words })
}
