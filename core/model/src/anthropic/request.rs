//! A request as the body of `POST /v1/messages`.

use std::borrow::Cow;

use bytes::Bytes;
use lodger_protocol::{Effort, Error, Role, ToolSpec};
use serde::Serialize;
use serde_json::Value;

use crate::effort::{LEAST_BUDGET, budget};
use crate::protocol::written;
use crate::schema::with_properties;
use crate::shown::{Part, Turn, last_prompt, shown};
use crate::{EffortForm, ModelRequest, Target};

/// How many places of a request may be marked for the provider's cache.
pub const CACHE_MARKERS: usize = 4;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Thinking {
    Disabled,
    Adaptive { display: &'static str },
    Enabled { budget_tokens: u32 },
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<Effort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema { schema: Cow<'a, Value> },
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
        text: Cow<'a, str>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: &'a str,
        input: Cow<'a, Value>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        content: Vec<Block<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    Image {
        source: Source<'a>,
    },
    Document {
        source: Source<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<&'a str>,
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

/// Writes the body of a request.
///
/// Marked for the cache, at most [`CACHE_MARKERS`] times: the system prompt, the last tool, the last block, and the
/// last block of the user message before, where the request before had its mark.
pub(super) fn body(request: &ModelRequest, target: &Target) -> Result<Bytes, Error> {
    let turns = shown(&request.messages, target);
    let (thinking, effort) = thinking(request, target, &turns);
    let format = request.output_schema.as_deref().map(|schema| Format::JsonSchema { schema: with_properties(schema) });
    let mut messages: Vec<_> = turns.into_iter().filter_map(message).collect();
    mark_messages(&mut messages);
    written(&Body {
        model: &target.model,
        max_tokens: request.max_output_tokens,
        stream: true,
        thinking,
        output_config: (effort.is_some() || format.is_some()).then_some(OutputConfig { effort, format }),
        system: system(&request.system),
        tools: tools(&request.tools),
        messages,
    })
}

fn thinking(request: &ModelRequest, target: &Target, turns: &[Turn<'_>]) -> (Option<Thinking>, Option<Effort>) {
    match target.quirks.effort {
        EffortForm::Untold => (None, None),
        EffortForm::Words(_) => match target.quirks.word(request.effort) {
            None => (None, None),
            Some(Effort::None) => (Some(Thinking::Disabled), None),
            Some(effort) => (Some(Thinking::Adaptive { display: "summarized" }), Some(effort)),
        },
        EffortForm::Budget { .. } => {
            // A quarter of the reply is kept for the answer.
            let most = request.max_output_tokens - request.max_output_tokens / 4;
            let thinking = match budget(request.effort) {
                None => None,
                Some(0) => Some(Thinking::Disabled),
                Some(_) if most < LEAST_BUDGET || !begins_with_thought(turns) => None,
                Some(budget) => Some(Thinking::Enabled { budget_tokens: budget.min(most) }),
            };
            (thinking, None)
        }
    }
}

/// With a budget, a reply of the running turn that calls tools must begin with thought. One that another model wrote
/// does not.
fn begins_with_thought(turns: &[Turn<'_>]) -> bool {
    turns[last_prompt(turns)..]
        .iter()
        .filter(|turn| turn.role == Role::Assistant)
        .all(|turn| matches!(turn.parts.first(), Some(Part::Thinking { .. } | Part::Redacted(_))))
}

fn system(text: &str) -> Vec<Block<'_>> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    vec![Block { kind: Kind::Text { text: text.into() }, cache_control: Some(Marker::Ephemeral) }]
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

fn message(turn: Turn<'_>) -> Option<Message<'_>> {
    let content: Vec<_> = turn.parts.into_iter().filter_map(block).collect();
    (!content.is_empty()).then_some(Message { role: turn.role, content })
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

fn block(part: Part<'_>) -> Option<Block<'_>> {
    let kind = match part {
        Part::Text(text) => Kind::Text { text },
        // A signature of this protocol is Base64: one with a colon came to the model by another.
        Part::Thinking { signature, .. } if signature.contains(':') => return None,
        Part::Thinking { text, signature } => Kind::Thinking { thinking: text, signature },
        Part::Redacted(data) => Kind::RedactedThinking { data },
        Part::Call { id, name, input } => Kind::ToolUse { id, name, input },
        Part::Result { id, parts, is_error, .. } => {
            Kind::ToolResult { tool_use_id: id, content: parts.into_iter().filter_map(block).collect(), is_error }
        }
        Part::Image { mime_type, data } => Kind::Image { source: Source::Base64 { media_type: mime_type, data } },
        Part::Document { name, data } => {
            Kind::Document { source: Source::Base64 { media_type: "application/pdf", data }, title: name }
        }
    };
    Some(Block { kind, cache_control: None })
}
