//! What a request looks like to a script, whichever way it came.

use lodger_protocol::{Content, Role};

use crate::ModelRequest;

/// The parts of a request that a script may look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The system prompt.
    pub system: String,
    /// The text of the last user message that has text.
    pub last_user_text: String,
    /// Names of the tools on offer.
    pub tools: Vec<String>,
    /// The tool results after the last assistant message, in order.
    pub tool_results: Vec<SeenResult>,
}

/// One tool result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenResult {
    /// Its text.
    pub text: String,
    /// The tool failed or was refused. Absent: the protocol that the request came by does not say it.
    pub is_error: Option<bool>,
}

impl Seen {
    pub(super) fn of(request: &ModelRequest) -> Self {
        let messages = &request.messages;
        let after_reply = messages.iter().rposition(|message| message.role == Role::Assistant).map_or(0, |i| i + 1);
        Self {
            system: request.system.to_string(),
            last_user_text: messages
                .iter()
                .rev()
                .filter(|message| message.role == Role::User)
                .map(|message| Content::joined_text(&message.content))
                .find(|text| !text.is_empty())
                .unwrap_or_default(),
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
            tool_results: messages[after_reply..]
                .iter()
                .flat_map(|message| &message.content)
                .filter_map(|block| match block {
                    Content::ToolResult { content, is_error, .. } => {
                        Some(SeenResult { text: Content::joined_text(content), is_error: Some(*is_error) })
                    }
                    _ => None,
                })
                .collect(),
        }
    }
}
