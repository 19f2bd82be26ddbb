//! What the model is told of how a command ended.

use lodger_workspace::{CommandEnd, CommandStatus};

/// The end in a few words. `timeout_ms`: what it was given.
pub(super) fn words(end: &CommandEnd, timeout_ms: Option<u64>) -> String {
    match end.status {
        CommandStatus::Exited(code) => format!("exit code {code}"),
        CommandStatus::Signalled(signal) => format!("ended by signal {signal}"),
        CommandStatus::TimedOut => {
            let time = timeout_ms.map(|ms| format!(" after {ms} ms")).unwrap_or_default();
            format!("stopped{time}; set timeoutMs if it needs longer")
        }
        CommandStatus::Cancelled => "cancelled".to_owned(),
        CommandStatus::Unknown => "ended; its exit code is unknown".to_owned(),
        CommandStatus::NotStarted => "could not be started".to_owned(),
    }
}

/// What is to be said beside, a line each.
pub(super) fn remarks(end: &CommandEnd) -> String {
    let mut text = String::new();
    if !end.left_behind.is_empty() {
        text.push_str(&format!("\n[killed what was left running: {}]", end.left_behind.join(", ")));
    }
    if let Some(note) = &end.note {
        text.push_str(&format!("\n[{note}]"));
    }
    text
}
