//! A request as the body of `streamGenerateContent`.

use std::borrow::Cow;

use bytes::Bytes;
use lodger_protocol::{Effort, Error, Role, ToolSpec};
use serde::Serialize;
use serde_json::{Value, json};

use super::KIND;
use crate::effort::budget;
use crate::protocol::written;
use crate::schema::with_properties;
use crate::shown::{Part, Turn, last_prompt, shown, unsigned, words_of};
use crate::{EffortForm, ModelRequest, Target};

/// What the provider takes in place of a signature that a call of another model does not have.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
    generation_config: Config<'a>,
}

#[derive(Serialize)]
struct Instruction<'a> {
    parts: [TextPart<'a>; 1],
}

#[derive(Serialize)]
struct TextPart<'a> {
    text: &'a str,
}

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: Vec<Piece<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Piece<'a> {
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Kind<'a> {
    Text(Cow<'a, str>),
    InlineData(Blob<'a>),
    FunctionCall { id: Cow<'a, str>, name: &'a str, args: Cow<'a, Value> },
    FunctionResponse(FunctionResponse<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Blob<'a> {
    mime_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    id: Cow<'a, str>,
    name: &'a str,
    response: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Media<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Media<'a> {
    inline_data: Blob<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<Cow<'a, Value>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config<'a> {
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<Cow<'a, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<Thinking>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thinking {
    include_thoughts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<Effort>,
}

/// Writes the body of a request.
pub(super) fn body(request: &ModelRequest, target: &Target) -> Result<Bytes, Error> {
    let turns = shown(&request.messages, target);
    let prompt = last_prompt(&turns);
    let contents = turns
        .into_iter()
        .enumerate()
        .map(|(place, turn)| content(turn, target.quirks.signed_calls && place > prompt))
        .filter(|content| !content.parts.is_empty())
        .collect();
    let declarations: Vec<_> = request.tools.iter().map(declaration).collect();
    let tools = match declarations.is_empty() {
        true => Vec::new(),
        false => vec![Tools { function_declarations: declarations }],
    };
    written(&Body {
        system_instruction: (!request.system.trim().is_empty())
            .then(|| Instruction { parts: [TextPart { text: &request.system }] }),
        contents,
        tools,
        generation_config: Config {
            max_output_tokens: request.max_output_tokens,
            response_mime_type: request.output_schema.as_ref().map(|_| "application/json"),
            response_json_schema: request.output_schema.as_deref().map(with_properties),
            thinking_config: thinking(request.effort, target),
        },
    })
}

fn thinking(effort: Effort, target: &Target) -> Option<Thinking> {
    let quirks = &target.quirks;
    let thinking_budget = match quirks.effort {
        EffortForm::Budget { least } => budget(effort).map(|tokens| tokens.max(least)),
        EffortForm::Untold | EffortForm::Words(_) => None,
    };
    let thinking_level = quirks.word(effort);
    let told = thinking_budget.is_some() || thinking_level.is_some();
    let include_thoughts = quirks.thinks && thinking_budget != Some(0);
    (told || quirks.thinks).then_some(Thinking { include_thoughts, thinking_budget, thinking_level })
}

fn declaration(spec: &ToolSpec) -> Declaration<'_> {
    let schema = with_properties(&spec.input_schema);
    let has_none = schema.get("properties").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty);
    Declaration {
        name: &spec.name,
        description: &spec.description,
        // A function without parameters is declared without any.
        parameters_json_schema: (!has_none).then_some(schema),
    }
}

/// `signed`: the first call of the reply must have a signature.
fn content(turn: Turn<'_>, signed: bool) -> Content<'_> {
    let mut parts = Vec::with_capacity(turn.parts.len());
    let mut signature = None;
    let mut unsigned_call = signed.then_some(NO_SIGNATURE);
    for part in turn.parts {
        match part {
            Part::Thinking { signature: given, .. } => {
                let given = unsigned(KIND, given);
                // Two in a row: the first belonged to a part that was empty.
                if let Some(lone) = given.and_then(|_| signature.take()) {
                    parts.push(Piece { kind: Kind::Text("".into()), thought_signature: Some(lone) });
                }
                signature = given.or(signature);
            }
            Part::Text(text) => parts.push(Piece { kind: Kind::Text(text), thought_signature: signature.take() }),
            Part::Call { id, name, input } => {
                let given = signature.take();
                let thought_signature = given.or(unsigned_call);
                unsigned_call = None;
                parts.push(Piece { kind: Kind::FunctionCall { id, name, args: input }, thought_signature });
            }
            Part::Result { id, name, parts: said, is_error } => {
                let response = json!({ (if is_error { "error" } else { "output" }): words(&said) });
                let media = said.iter().filter_map(media).collect();
                let kind = Kind::FunctionResponse(FunctionResponse { id, name, response, parts: media });
                parts.push(Piece { kind, thought_signature: None });
            }
            Part::Image { mime_type, data } => {
                let kind = Kind::InlineData(Blob { mime_type, data });
                parts.push(Piece { kind, thought_signature: None });
            }
            Part::Document { name, data } => {
                // The protocol has no place for a name.
                if let Some(name) = name {
                    parts.push(Piece { kind: Kind::Text(named(name).into()), thought_signature: None });
                }
                let kind = Kind::InlineData(Blob { mime_type: "application/pdf", data });
                parts.push(Piece { kind, thought_signature: None });
            }
            Part::Redacted(_) => {}
        }
    }
    if let Some(lone) = signature {
        parts.push(Piece { kind: Kind::Text("".into()), thought_signature: Some(lone) });
    }
    Content { role: if turn.role == Role::User { "user" } else { "model" }, parts }
}

fn media<'a>(part: &Part<'a>) -> Option<Media<'a>> {
    match part {
        Part::Image { mime_type, data } => Some(Media { inline_data: Blob { mime_type, data } }),
        Part::Document { data, .. } => Some(Media { inline_data: Blob { mime_type: "application/pdf", data } }),
        _ => None,
    }
}

/// The words of a result, with the names of its documents.
fn words(parts: &[Part<'_>]) -> String {
    let names = parts.iter().filter_map(|part| match part {
        Part::Document { name: Some(name), .. } => Some(named(name)),
        _ => None,
    });
    let said = Some(words_of(parts)).filter(|said| !said.is_empty());
    said.into_iter().chain(names).collect::<Vec<_>>().join("\n")
}

fn named(name: &str) -> String {
    format!("[Document: {name}]")
}
