//! What a host may show the model, in prompts and tool results: forms and bounds. A block that the provider would
//! refuse must never enter the conversation, since every later request would repeat it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lodger_protocol::{Content, Error, MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES, Prompt, Result};

const MAX_PROMPT_BYTES: usize = 25 * 1024 * 1024;
const MAX_RESULT_BYTES: usize = 8 * 1024 * 1024;
const MAX_IMAGES: usize = 8;
const MAX_DOCUMENTS: usize = 8;
const MAX_NAME_BYTES: usize = 255;

/// How every PDF begins, `%PDF-`, in base64.
const PDF: &str = "JVBERi0";

/// The blocks of a prompt.
///
/// # Errors
/// `invalid_input` saying which block is wrong, or that there is nothing to say.
pub(crate) fn prompt(prompt: Prompt) -> Result<Vec<Content>> {
    let blocks = match prompt {
        Prompt::Text(text) => vec![Content::Text { text }],
        Prompt::Blocks(blocks) => blocks,
    };
    check("the prompt", &blocks, MAX_PROMPT_BYTES).map_err(Error::invalid_input)?;
    if blocks.iter().all(|block| matches!(block, Content::Text { text } if text.trim().is_empty())) {
        return Err(Error::invalid_input("the prompt is empty; expected a text or a list of blocks"));
    }
    Ok(blocks)
}

/// Checks the blocks of a tool's result. The failure is told to the model.
pub(crate) fn check_result(blocks: &[Content]) -> Result<(), String> {
    check("the tool's result", blocks, MAX_RESULT_BYTES)
}

fn check(what: &str, blocks: &[Content], max_bytes: usize) -> Result<(), String> {
    let mut bytes = 0;
    let (mut images, mut documents) = (0, 0);
    for (index, block) in blocks.iter().enumerate() {
        bytes += match block {
            Content::Text { text } => text.len(),
            Content::Resource { uri, text } => uri.len() + text.len(),
            Content::Image { mime_type, data } => {
                images += 1;
                check_image(mime_type, data).map_err(|wrong| format!("block {index} of {what} is {wrong}"))?;
                data.len()
            }
            Content::Document { mime_type, data, name } => {
                documents += 1;
                let checked = check_document(mime_type, data, name.as_deref());
                checked.map_err(|wrong| format!("block {index} of {what} is {wrong}"))?;
                data.len()
            }
            other => {
                return Err(format!(
                    "block {index} of {what} is {}; only text, resource, image and document blocks are taken",
                    kind_of(other)
                ));
            }
        };
    }
    if images > MAX_IMAGES {
        return Err(format!("{what} has {images} images; at most {MAX_IMAGES} are taken"));
    }
    if documents > MAX_DOCUMENTS {
        return Err(format!("{what} has {documents} documents; at most {MAX_DOCUMENTS} are taken"));
    }
    if bytes > max_bytes {
        return Err(format!("{what} has {bytes} bytes; at most {max_bytes} are taken"));
    }
    Ok(())
}

fn check_image(mime_type: &str, data: &str) -> Result<(), String> {
    if !matches!(mime_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp") {
        return Err(format!("an image of type {mime_type:?}; expected image/png, image/jpeg, image/gif or image/webp"));
    }
    if data.len() > MAX_IMAGE_BYTES {
        return Err(format!("an image of {} bytes in base64; at most {MAX_IMAGE_BYTES} are taken", data.len()));
    }
    if !is_base64(data) {
        return Err("an image whose data is not base64 (standard alphabet, padded, without line breaks)".to_owned());
    }
    Ok(())
}

fn check_document(mime_type: &str, data: &str, name: Option<&str>) -> Result<(), String> {
    if data.len() > MAX_DOCUMENT_BYTES {
        return Err(format!("a document of {} bytes in base64; at most {MAX_DOCUMENT_BYTES} are taken", data.len()));
    }
    if !is_base64(data) {
        return Err("a document whose data is not base64 (standard alphabet, padded, without line breaks)".to_owned());
    }
    if let Some(name) = name
        && (name.trim().is_empty() || name.len() > MAX_NAME_BYTES || name.contains(char::is_control))
    {
        return Err(format!(
            "a document whose name is not one; expected 1 to {MAX_NAME_BYTES} bytes without control characters"
        ));
    }
    match mime_type {
        "application/pdf" if data.starts_with(PDF) => Ok(()),
        "application/pdf" => Err("a document of type application/pdf that does not begin with %PDF-".to_owned()),
        "text/plain" => match STANDARD.decode(data).map(String::from_utf8) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) | Err(_) => Err("a document of type text/plain that is not UTF-8".to_owned()),
        },
        _ => Err(format!("a document of type {mime_type:?}; expected application/pdf or text/plain")),
    }
}

fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    !digits.is_empty()
        && data.len().is_multiple_of(4)
        && data.len() - digits.len() <= 2
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

fn kind_of(block: &Content) -> &'static str {
    match block {
        Content::Text { .. } => "a text",
        Content::Thinking { .. } => "a thought",
        Content::RedactedThinking { .. } => "a redacted thought",
        Content::ToolCall { .. } => "a tool call",
        Content::ToolResult { .. } => "a tool result",
        Content::Image { .. } => "an image",
        Content::Document { .. } => "a document",
        Content::Resource { .. } => "a resource",
    }
}
