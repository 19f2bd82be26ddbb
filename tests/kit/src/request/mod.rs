//! A request as a script sees it, and what the provider would find wrong with it.
//!
//! Providers refuse a conversation that is out of order, each by rules of its own; so does this server, so that no test
//! passes on a request that would fail against the real thing.

mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;

use lodger_model::scripted::Seen;
use serde_json::Value;

use crate::protocol::{Platform, Protocol};

/// What a request holds.
#[derive(Debug)]
pub(crate) struct Asked {
    /// How many assistant messages it holds: which step answers.
    pub(crate) replies: usize,
    pub(crate) seen: Seen,
    /// Asks for usage at the end of a stream.
    pub(crate) wants_usage: bool,
    /// Asks for encrypted reasoning.
    pub(crate) wants_encrypted: bool,
}

/// Reads a request.
///
/// # Errors
/// What the provider would refuse it for.
pub(crate) fn read(protocol: Protocol, platform: Platform, body: &Value) -> Result<Asked, String> {
    let (check, replies, seen): (Check, Count, Look) = match protocol {
        Protocol::Anthropic => (anthropic::check, anthropic::replies, anthropic::seen),
        Protocol::OpenaiChat => (openai_chat::check, openai_chat::replies, openai_chat::seen),
        Protocol::OpenaiResponses => (openai_responses::check, openai_responses::replies, openai_responses::seen),
        Protocol::Gemini => (gemini::check, gemini::replies, gemini::seen),
    };
    let spelled;
    let body = match protocol {
        Protocol::Gemini => {
            spelled = gemini::spelled(body);
            &spelled
        }
        _ => body,
    };
    check(body)?;
    check_form(platform, body)?;
    Ok(Asked {
        replies: replies(body),
        seen: seen(body),
        wants_usage: body["stream_options"]["include_usage"] == true,
        wants_encrypted: list(&body["include"]).iter().any(|what| what == "reasoning.encrypted_content"),
    })
}

/// What a platform wants to have otherwise in the body.
fn check_form(platform: Platform, body: &Value) -> Result<(), String> {
    let strange: &[&str] = match platform {
        Platform::Vendor => return Ok(()),
        Platform::Bedrock => &["model", "stream"],
        Platform::Vertex => &["model"],
    };
    require(body["anthropic_version"].is_string(), || "anthropic_version: Field required".to_owned())?;
    for name in strange {
        require(body.get(name).is_none(), || format!("{name}: Extra inputs are not permitted"))?;
    }
    Ok(())
}

type Check = fn(&Value) -> Result<(), String>;
type Count = fn(&Value) -> usize;
type Look = fn(&Value) -> Seen;

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A text, or the texts of a list of blocks.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        blocks => list(blocks).iter().filter_map(|block| block["text"].as_str()).collect(),
    }
}

fn blank(value: &Value) -> bool {
    text(value).trim().is_empty()
}

/// Fails with the words unless it holds.
fn require(holds: bool, words: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(words()) }
}

/// The rules for a tool's name that all providers share.
fn check_tool_name(name: &Value) -> Result<(), String> {
    let fits = name.as_str().is_some_and(|name| {
        (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    });
    require(fits, || format!("tools: the name {name} does not match ^[a-zA-Z0-9_-]{{1,64}}$"))
}

/// A picture as base64 under a type that providers take.
fn check_image(mime_type: &str, data: &str) -> Result<(), String> {
    let known = matches!(mime_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp");
    require(known, || format!("image: the type `{mime_type}` is not supported"))?;
    require(!data.is_empty() && data.len().is_multiple_of(4), || "image: the data is not base64".to_owned())
}

/// A PDF as base64.
fn check_pdf(mime_type: &str, data: &str) -> Result<(), String> {
    require(mime_type == "application/pdf", || format!("document: the type `{mime_type}` is not supported"))?;
    // `%PDF-` in base64.
    require(data.len().is_multiple_of(4) && data.starts_with("JVBERi0"), || "document: the data is no PDF".to_owned())
}

/// A PDF as a `data:` URL, with the name of its file.
fn check_file(file: &Value) -> Result<(), String> {
    require(text(&file["filename"]).ends_with(".pdf"), || "file: expected filename with the ending .pdf".to_owned())?;
    let parts = text(&file["file_data"]).strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let (mime_type, data) = parts.ok_or_else(|| "file_data: expected a data: URL in base64".to_owned())?;
    check_pdf(mime_type, data)
}

/// A picture as a `data:` URL.
fn check_image_url(url: &Value) -> Result<(), String> {
    let parts = text(url).strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let (mime_type, data) = parts.ok_or_else(|| "image_url: expected a data: URL in base64".to_owned())?;
    check_image(mime_type, data)
}
