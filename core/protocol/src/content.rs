//! What messages are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{MessageId, ToolCallId};

/// A picture has at most so many bytes of base64.
pub const MAX_IMAGE_BYTES: usize = 5 * 1024 * 1024;
/// A document has at most so many bytes of base64.
pub const MAX_DOCUMENT_BYTES: usize = 10 * 1024 * 1024;

/// One block of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Content {
    /// Plain text.
    Text {
        /// UTF-8 text.
        text: String,
    },
    /// What the model thought, where the provider shows it.
    Thinking {
        /// The thought, possibly a summary; may be empty when only the signature was sent.
        text: String,
        /// The provider's own data about the thought: a signature, or the thought encrypted. Sent back unchanged to
        /// the model that wrote it, and to no other. Opaque.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// Thought that the provider encrypted; sent back unchanged.
    RedactedThinking {
        /// Opaque data of the provider.
        data: String,
    },
    /// The model asks for a tool.
    ToolCall {
        /// Ties the call to its result.
        tool_call_id: ToolCallId,
        /// Name of the tool.
        tool_name: String,
        /// The input, as the model wrote it.
        input: Value,
    },
    /// What a tool answered.
    ToolResult {
        /// The call that this answers.
        tool_call_id: ToolCallId,
        /// Text, images and documents for the model.
        content: Vec<Content>,
        /// The tool failed or was refused.
        #[serde(default)]
        is_error: bool,
    },
    /// A picture.
    Image {
        /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        mime_type: String,
        /// Base64 of the picture; at most 5 MiB of text.
        data: String,
    },
    /// A file to read. A text is told to every model; a PDF to those that read PDF files, and the others are told that
    /// there is one.
    Document {
        /// `application/pdf` or `text/plain`.
        mime_type: String,
        /// Base64 of the file; at most 10 MiB of text. A text is UTF-8.
        data: String,
        /// What the file is called, such as `report.pdf`; at most 255 bytes. It gives no access to anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A named text that the host hands over. The URI gives no access to anything.
    Resource {
        /// What the text is called.
        uri: String,
        /// The text itself.
        #[serde(default)]
        text: String,
    },
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// All text blocks of a list, joined.
    #[must_use]
    pub fn joined_text(blocks: &[Self]) -> String {
        blocks
            .iter()
            .filter_map(|block| match block {
                Self::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }
}

/// What a host may send as a prompt: a text, or blocks of text, resources, images and documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Prompt {
    /// One text block.
    Text(String),
    /// Blocks, in order.
    Blocks(Vec<Content>),
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Who said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, the host, or a tool answering for them.
    User,
    /// The model.
    Assistant,
}

/// One message of the conversation so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Opaque id.
    pub id: MessageId,
    /// Who said it.
    pub role: Role,
    /// The blocks, in order.
    pub content: Vec<Content>,
    /// Unix milliseconds.
    pub created_at: u64,
    /// `provider/model` that wrote it; absent where no model did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
