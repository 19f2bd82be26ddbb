//! From entries to the conversation that the next request shows the model: always one that a provider accepts.

use std::sync::Arc;

use lodger_protocol::{Content, Entry, Event, EventBody, Message, MessageId, Role, StopReason, ToolCallId};

/// What a call without a result is told to have come to.
const INTERRUPTED: &str = "interrupted: the call did not finish and its effects are unknown";

/// The conversation so far. Every tool call is followed by its result: one whose result was never written is
/// closed as interrupted, here and not in the log. A reply that was cut keeps its text, never a call.
#[must_use]
pub fn conversation(entries: &[Arc<Event>]) -> Vec<Message> {
    let mut messages = Vec::new();
    for (index, event) in entries.iter().enumerate() {
        let EventBody::Entry(entry) = &event.body else { continue };
        match entry {
            Entry::UserMessage { message_id, content } => messages.push(Message {
                id: message_id.clone(),
                role: Role::User,
                content: content.clone(),
                created_at: event.ts,
                model: None,
            }),
            Entry::OutputRejected { message_id, feedback, tool_call_id: None, .. } => messages.push(Message {
                id: message_id.clone(),
                role: Role::User,
                content: vec![Content::text(feedback)],
                created_at: event.ts,
                model: None,
            }),
            Entry::AssistantMessage { message_id, content, stop_reason, model, .. } => {
                let reply = Message {
                    id: message_id.clone(),
                    role: Role::Assistant,
                    content: kept(content, *stop_reason),
                    created_at: event.ts,
                    model: Some(model.clone()),
                };
                push_reply(&mut messages, &entries[index + 1..], reply);
            }
            // Told when no call is open, so that nothing comes between a call and its result.
            Entry::BackgroundTaskEnded { task_id, tool_call_id, text } => messages.push(Message {
                id: MessageId::from(format!("{tool_call_id}_{task_id}")),
                role: Role::User,
                content: vec![Content::text(text)],
                created_at: event.ts,
                model: None,
            }),
            Entry::TurnStart { .. }
            | Entry::ToolCall { .. }
            | Entry::ToolResult { .. }
            | Entry::ToolDenied { .. }
            | Entry::OutputRejected { .. }
            | Entry::FileChanged { .. }
            | Entry::RequestOpened { .. }
            | Entry::RequestResolved { .. }
            | Entry::Compacted { .. }
            | Entry::ModeChanged { .. }
            | Entry::ModelChanged { .. }
            | Entry::SubagentStart { .. }
            | Entry::SubagentEnd { .. }
            | Entry::CheckpointCreated { .. }
            | Entry::Done { .. } => {}
        }
    }
    messages
}

/// What of a reply is shown again: all of it, or of one that was cut its text.
fn kept(content: &[Content], stop_reason: StopReason) -> Vec<Content> {
    let whole = !matches!(stop_reason, StopReason::Cancelled | StopReason::MaxBudget | StopReason::Error);
    content
        .iter()
        .filter(|block| whole || matches!(block, Content::Text { text } if !text.is_empty()))
        .cloned()
        .collect()
}

fn push_reply(messages: &mut Vec<Message>, after: &[Arc<Event>], reply: Message) {
    if reply.content.is_empty() {
        return;
    }
    let answers: Vec<Content> = reply
        .content
        .iter()
        .filter_map(|block| match block {
            Content::ToolCall { tool_call_id, .. } => Some(answer_to(tool_call_id, after)),
            _ => None,
        })
        .collect();
    let results = (!answers.is_empty()).then(|| Message {
        id: MessageId::from(format!("{}_results", reply.id)),
        role: Role::User,
        content: answers,
        created_at: reply.created_at,
        model: None,
    });
    messages.push(reply);
    messages.extend(results);
}

/// The answer stands before the next reply: some providers give the same ids in every reply.
fn answer_to(id: &ToolCallId, after: &[Arc<Event>]) -> Content {
    let result = after
        .iter()
        .take_while(|event| !matches!(event.body, EventBody::Entry(Entry::AssistantMessage { .. })))
        .find_map(|event| match &event.body {
            EventBody::Entry(Entry::ToolResult { tool_call_id, content, is_error, .. }) if tool_call_id == id => {
                Some((content.clone(), *is_error))
            }
            _ => None,
        });
    let (content, is_error) = result.unwrap_or_else(|| (vec![Content::text(INTERRUPTED)], true));
    Content::ToolResult { tool_call_id: id.clone(), content, is_error }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::{SystemClock, Usage};
    use serde_json::json;

    use super::*;
    use crate::SessionLog;

    fn reply(content: Vec<Content>, stop_reason: StopReason) -> Entry {
        Entry::AssistantMessage {
            message_id: "m".into(),
            content,
            stop_reason,
            usage: Usage::default(),
            model: "a/b".to_owned(),
            cost_usd: None,
        }
    }

    fn call(id: &str) -> Content {
        Content::ToolCall { tool_call_id: id.into(), tool_name: "t".to_owned(), input: json!({}) }
    }

    fn text_of_result(blocks: &[Content]) -> String {
        blocks
            .iter()
            .map(|block| match block {
                Content::ToolResult { content, .. } => Content::joined_text(content),
                _ => String::new(),
            })
            .collect()
    }

    fn replayed(entries: Vec<Entry>) -> Vec<(Role, Vec<Content>)> {
        let log = SessionLog::new("s".into(), Arc::new(SystemClock));
        for entry in entries {
            log.append(None, entry, drop);
        }
        conversation(&log.transcript()).into_iter().map(|message| (message.role, message.content)).collect()
    }

    #[test]
    fn the_end_of_a_background_task_is_told_after_the_results() {
        let ended = Entry::BackgroundTaskEnded {
            task_id: "task_1".to_owned(),
            tool_call_id: "c".into(),
            text: "[it ended]".to_owned(),
        };
        let told = replayed(vec![reply(vec![call("c")], StopReason::ToolUse), ended]);
        assert_eq!(told.len(), 3);
        assert!(matches!(told[1].1[..], [Content::ToolResult { .. }]));
        assert_eq!(told[2], (Role::User, vec![Content::text("[it ended]")]));
    }

    #[test]
    fn results_stand_right_after_their_calls_in_call_order() {
        let result = |id: &str, text: &str| Entry::ToolResult {
            tool_call_id: id.into(),
            tool_name: "t".to_owned(),
            content: vec![Content::text(text)],
            is_error: false,
            duration_ms: 1,
            truncated: false,
            files: Vec::new(),
        };
        let told = replayed(vec![
            reply(vec![call("1"), call("2")], StopReason::ToolUse),
            result("2", "second"),
            result("1", "first"),
        ]);
        assert_eq!(told.len(), 2);
        let texts: Vec<_> = told[1].1.iter().map(|block| text_of_result(std::slice::from_ref(block))).collect();
        assert_eq!(texts, ["first", "second"]);
    }

    #[test]
    fn ids_that_come_again_in_a_later_reply_keep_their_own_results() {
        let result = |text: &str| Entry::ToolResult {
            tool_call_id: "1".into(),
            tool_name: "t".to_owned(),
            content: vec![Content::text(text)],
            is_error: false,
            duration_ms: 1,
            truncated: false,
            files: Vec::new(),
        };
        let told = replayed(vec![
            reply(vec![call("1")], StopReason::ToolUse),
            result("first"),
            reply(vec![call("1")], StopReason::ToolUse),
            result("second"),
            reply(vec![call("1")], StopReason::ToolUse),
        ]);
        let texts: Vec<_> = told.iter().map(|(_, blocks)| text_of_result(blocks)).collect();
        assert_eq!(texts, ["", "first", "", "second", "", INTERRUPTED]);
    }

    #[test]
    fn a_call_without_a_result_is_closed_as_interrupted() {
        let told = replayed(vec![reply(vec![call("1")], StopReason::ToolUse)]);
        assert_eq!(
            told[1].1,
            [Content::ToolResult {
                tool_call_id: "1".into(),
                content: vec![Content::text(INTERRUPTED)],
                is_error: true
            }]
        );
    }

    #[test]
    fn a_cut_reply_keeps_its_text_and_nothing_else() {
        let thought = Content::Thinking { text: "hm".to_owned(), signature: None };
        let told = replayed(vec![reply(vec![thought, Content::text("half")], StopReason::Cancelled)]);
        assert_eq!(told, [(Role::Assistant, vec![Content::text("half")])]);
    }

    #[test]
    fn a_reply_cut_before_its_first_text_leaves_no_message() {
        assert_eq!(replayed(vec![reply(vec![], StopReason::Error)]), []);
    }
}
