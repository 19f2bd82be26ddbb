//! The conversation as one model may be shown it: always one that its provider accepts, whoever wrote it so far.
//!
//! Thought of other models is left out, their ids are rewritten, calls without a result are closed, results without
//! a call left out, images and documents that the model cannot take described, blank text left out, neighbours of one role joined.
//! Nothing is copied but what must change.

use std::borrow::Cow;
use std::collections::VecDeque;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lodger_protocol::{Content, EndpointKind, Role};
use serde_json::{Value, json};

use crate::call_ids::ShownIds;
use crate::{ModelMessage, Quirks};

/// Who is asked.
#[derive(Clone, Debug)]
pub struct Target {
    /// `provider/model`, as the transcript names the writers of its messages.
    pub name: String,
    /// The model, as its provider calls it.
    pub model: String,
    /// The protocol that carries the request.
    pub kind: EndpointKind,
    /// What the model takes.
    pub quirks: Quirks,
}

impl Target {
    /// Whether the model can be held to all of that schema. `with_tools`: tools are on offer beside.
    #[must_use]
    pub fn holds_to(&self, schema: &Value, with_tools: bool) -> bool {
        self.quirks.held.is_some_and(|held| (held.with_tools || !with_tools) && held.dialect.takes(schema))
    }
}

/// Neighbouring messages of one role.
#[derive(Debug, PartialEq)]
pub(crate) struct Turn<'a> {
    pub(crate) role: Role,
    /// The user says something of his own in it, beside results.
    pub(crate) is_prompt: bool,
    /// Never empty. Results come first.
    pub(crate) parts: Vec<Part<'a>>,
}

/// A block that can be shown.
#[derive(Debug, PartialEq)]
pub(crate) enum Part<'a> {
    /// Never blank.
    Text(Cow<'a, str>),
    /// Of this model, with what it wants to have back.
    Thinking {
        text: &'a str,
        signature: &'a str,
    },
    /// Of this model.
    Redacted(&'a str),
    Call {
        id: Cow<'a, str>,
        name: &'a str,
        /// Always an object.
        input: Cow<'a, Value>,
    },
    Result {
        id: Cow<'a, str>,
        name: &'a str,
        /// Text, and images and documents where the model takes them here.
        parts: Vec<Part<'a>>,
        is_error: bool,
    },
    Image {
        mime_type: &'a str,
        data: &'a str,
    },
    /// A PDF.
    Document {
        name: Option<&'a str>,
        data: &'a str,
    },
}

/// A call that has no result yet.
struct Open<'a> {
    id: &'a str,
    shown: Cow<'a, str>,
    name: &'a str,
}

/// What a failed call without words is told to have said, since providers want some.
const NO_WORDS: &str = "The tool failed without saying why.";
const NO_RESULT: &str = "The call did not finish; its effects are unknown.";

/// The conversation for `target`.
pub(crate) fn shown<'a>(messages: &'a [ModelMessage], target: &Target) -> Vec<Turn<'a>> {
    let mut showing = Showing { target, ids: ShownIds::default(), open: VecDeque::new(), turns: Vec::new() };
    for message in messages {
        match message.role {
            Role::User => showing.user(&message.content),
            Role::Assistant => showing.assistant(message),
        }
    }
    showing.close();
    for turn in &mut showing.turns {
        // Stable: only moves results in front of what is said besides.
        turn.parts.sort_by_key(|part| !matches!(part, Part::Result { .. }));
    }
    showing.turns
}

/// The place of the last turn in which the user said something of his own: the running turn begins there.
pub(crate) fn last_prompt(turns: &[Turn<'_>]) -> usize {
    turns.iter().rposition(|turn| turn.is_prompt).unwrap_or(0)
}

struct Showing<'a, 't> {
    target: &'t Target,
    ids: ShownIds<'a>,
    open: VecDeque<Open<'a>>,
    turns: Vec<Turn<'a>>,
}

impl<'a> Showing<'a, '_> {
    fn add(&mut self, role: Role, parts: Vec<Part<'a>>) {
        match self.turns.last_mut() {
            _ if parts.is_empty() => {}
            Some(last) if last.role == role => last.parts.extend(parts),
            _ => self.turns.push(Turn { role, is_prompt: false, parts }),
        }
    }

    fn user(&mut self, content: &'a [Content]) {
        let (mut results, mut own) = (Vec::new(), Vec::new());
        for block in content {
            match block {
                Content::ToolResult { tool_call_id, content, is_error } => {
                    let place = self.open.iter().position(|open| open.id == tool_call_id.as_str());
                    let Some(open) = place.and_then(|place| self.open.remove(place)) else { continue };
                    self.result(open, content, *is_error, &mut results);
                }
                block => own.extend(self.said(block)),
            }
        }
        let is_prompt = !own.is_empty();
        self.add(Role::User, results);
        self.close();
        self.add(Role::User, own);
        if let Some(last) = self.turns.last_mut() {
            last.is_prompt |= is_prompt;
        }
    }

    fn assistant(&mut self, message: &'a ModelMessage) {
        self.close();
        let own = message.model.as_deref() == Some(self.target.name.as_str());
        let mut parts = Vec::with_capacity(message.content.len());
        for block in &message.content {
            match block {
                Content::Thinking { text, signature: Some(signature) } if own && !signature.is_empty() => {
                    parts.push(Part::Thinking { text, signature });
                }
                Content::RedactedThinking { data } if own => parts.push(Part::Redacted(data)),
                Content::ToolCall { tool_call_id, tool_name, input } => {
                    let id = tool_call_id.as_str();
                    let shown = self.ids.show(id, own, self.target.quirks.call_ids);
                    self.open.push_back(Open { id, shown: shown.clone(), name: tool_name });
                    let input = match input.is_object() {
                        true => Cow::Borrowed(input),
                        false => Cow::Owned(json!({ "invalidInput": input })),
                    };
                    parts.push(Part::Call { id: shown, name: tool_name, input });
                }
                block => parts.extend(self.said(block)),
            }
        }
        self.add(Role::Assistant, parts);
    }

    /// Gives the open calls the result that nothing is known.
    fn close(&mut self) {
        let parts: Vec<_> = self
            .open
            .drain(..)
            .map(|open| Part::Result {
                id: open.shown,
                name: open.name,
                parts: vec![Part::Text(NO_RESULT.into())],
                is_error: true,
            })
            .collect();
        self.add(Role::User, parts);
    }

    /// Writes a result, and after it the images and documents that cannot stand inside.
    fn result(&self, open: Open<'a>, content: &'a [Content], is_error: bool, out: &mut Vec<Part<'a>>) {
        let inside = self.target.quirks.media_in_results && !is_error;
        let (mut parts, mut media) = (Vec::new(), Vec::new());
        for part in content.iter().filter_map(|block| self.said(block)) {
            match part {
                part @ (Part::Image { .. } | Part::Document { .. }) if !inside => media.push(part),
                part => parts.push(part),
            }
        }
        let kinds = kinds_of(&media);
        if !media.is_empty() {
            parts.push(Part::Text(format!("[{kinds} of this result follow after the results.]").into()));
        } else if parts.is_empty() && is_error {
            parts.push(Part::Text(NO_WORDS.into()));
        }
        let label = format!("[{kinds} of the result of {}:]", open.name);
        out.push(Part::Result { id: open.shown, name: open.name, parts, is_error });
        if !media.is_empty() {
            out.push(Part::Text(label.into()));
            out.append(&mut media);
        }
    }

    /// Text, images and documents, which anybody may say.
    fn said(&self, block: &'a Content) -> Option<Part<'a>> {
        match block {
            Content::Text { text } => (!text.trim().is_empty()).then(|| Part::Text(text.into())),
            Content::Resource { uri, text } => Some(Part::Text(tagged("resource", Some(("uri", uri)), text).into())),
            Content::Image { mime_type, data } if self.target.quirks.images => Some(Part::Image { mime_type, data }),
            Content::Image { mime_type, .. } => {
                Some(Part::Text(format!("[Here is an image ({mime_type}) that you cannot see.]").into()))
            }
            Content::Document { mime_type, data, name } => Some(self.document(mime_type, data, name.as_deref())),
            Content::Thinking { .. }
            | Content::RedactedThinking { .. }
            | Content::ToolCall { .. }
            | Content::ToolResult { .. } => None,
        }
    }

    /// A text becomes one, whoever is asked: no provider takes it everywhere, and all read it alike.
    fn document(&self, mime_type: &str, data: &'a str, name: Option<&'a str>) -> Part<'a> {
        match mime_type {
            "text/plain" => {
                let bytes = STANDARD.decode(data).unwrap_or_default();
                Part::Text(tagged("document", name.map(|name| ("name", name)), &String::from_utf8_lossy(&bytes)).into())
            }
            _ if self.target.quirks.documents => Part::Document { name, data },
            _ => {
                let called = name.map(|name| format!(", {name}")).unwrap_or_default();
                Part::Text(format!("[Here is a document ({mime_type}{called}) that you cannot read.]").into())
            }
        }
    }
}

/// What follows after a result.
fn kinds_of(media: &[Part<'_>]) -> &'static str {
    let has_images = media.iter().any(|part| matches!(part, Part::Image { .. }));
    let has_documents = media.iter().any(|part| matches!(part, Part::Document { .. }));
    match (has_images, has_documents) {
        (true, true) => "Images and documents",
        (false, true) => "Documents",
        (_, false) => "Images",
    }
}

/// A text between tags, with a word about it. Neither can close the tag.
fn tagged(tag: &str, about: Option<(&str, &str)>, text: &str) -> String {
    let about = about.map(|(what, word)| {
        let word = word.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
        format!(" {what}=\"{word}\"")
    });
    let text = text.replace(&format!("</{tag}"), &format!("&lt;/{tag}"));
    format!("<{tag}{}>\n{text}\n</{tag}>", about.unwrap_or_default())
}

/// A PDF as a `data:` URL.
pub(crate) fn pdf_url(data: &str) -> String {
    format!("data:application/pdf;base64,{data}")
}

/// What a PDF is called where its provider wants a file's name.
pub(crate) fn pdf_name(name: Option<&str>) -> Cow<'_, str> {
    match name {
        None => "document.pdf".into(),
        Some(name) if name.to_ascii_lowercase().ends_with(".pdf") => name.into(),
        Some(name) => format!("{name}.pdf").into(),
    }
}

/// The words of a result, without its images and documents.
pub(crate) fn words_of(parts: &[Part<'_>]) -> String {
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_ref()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

/// Says from which protocol a signature is, since one model may be reached by several.
pub(crate) fn signed(kind: &str, signature: &str) -> String {
    format!("{kind}:{signature}")
}

/// The signature, where it is from that protocol.
pub(crate) fn unsigned<'a>(kind: &str, signature: &'a str) -> Option<&'a str> {
    signature.strip_prefix(kind)?.strip_prefix(':')
}
