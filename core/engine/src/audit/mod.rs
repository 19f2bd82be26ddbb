//! What of an agent's doings goes into its audit log, and in which form.
//!
//! A record is an event in the words of the event stream, without what was said and what tools brought back; beside
//! these stand the decisions, the grants and the effects, which no event tells. Each is free of credentials and bounded
//! before it is written. Nothing that has an effect happens unless its record was written first.

mod shrink;

use std::sync::Arc;

use lodger_policy::{Decision, Verdict};
use lodger_protocol::{Clock, Entry, GuardReport, Mode, Result, SessionId, Target, TurnId};
use lodger_session::AuditLog;
use serde_json::{Map, Value, json};

use crate::OpenCall;

/// At most so many bytes of one record, without its place in the chain.
const MAX_RECORD_BYTES: usize = 48 * 1024;

type Clean = Box<dyn Fn(String) -> String + Send + Sync>;

/// The audit log of one agent.
pub struct Audit {
    log: AuditLog,
    clean: Clean,
}

impl Audit {
    /// Writes to `log` what `clean` leaves of each text: all but the credentials.
    pub fn new(log: AuditLog, clean: impl Fn(String) -> String + Send + Sync + 'static) -> Self {
        Self { log, clean: Box::new(clean) }
    }

    /// Nothing more is written, and the file is free for others.
    pub(crate) fn close(&self) {
        self.log.close();
    }

    fn without_secrets(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String((self.clean)(text)),
            Value::Array(values) => values.into_iter().map(|value| self.without_secrets(value)).collect(),
            Value::Object(members) => {
                // Names too: those of an input are the model's.
                members.into_iter().map(|(name, value)| ((self.clean)(name), self.without_secrets(value))).collect()
            }
            other => other,
        }
    }
}

/// One agent's way to its log, if it has one.
pub(crate) struct Auditor {
    pub(crate) audit: Option<Audit>,
    pub(crate) session_id: SessionId,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Auditor {
    /// What was kept of the session.
    pub(crate) fn entry(&self, turn: Option<&TurnId>, entry: &Entry) {
        if self.audit.is_some()
            && let Some(record) = of_entry(entry)
        {
            // The next effect finds out that nothing can be written any more.
            let _ = self.write(turn, record);
        }
    }

    /// A guard's verdict.
    pub(crate) fn verdict(&self, turn: &TurnId, report: &GuardReport) {
        let _ = self.tell(turn, "guard_verdict", || json!(report));
    }

    /// What policy says of a call.
    pub(crate) fn decision(&self, turn: &TurnId, call: &OpenCall, mode: Mode, decision: &Decision) {
        let _ = self.tell(turn, "decision", || {
            let (said, by, feedback) = match &decision.verdict {
                Verdict::Allow => ("allow", None, None),
                Verdict::Ask => ("ask", None, None),
                Verdict::Deny { by, feedback } => ("deny", Some(by), Some(feedback)),
            };
            json!({
                "toolCallId": call.id, "toolName": call.tool_name, "mode": mode, "decision": said, "by": by,
                "feedback": feedback, "risk": decision.risk, "trace": decision.trace,
            })
        });
    }

    /// The host allowed a call from now on: by this rule, or exactly this one.
    pub(crate) fn grant(&self, turn: &TurnId, call: &OpenCall, rule: Option<&str>) {
        let _ = self.tell(turn, "grant", || json!({ "toolCallId": call.id, "toolName": call.tool_name, "rule": rule }));
    }

    /// A call is about to run.
    ///
    /// # Errors
    /// It, or a record before it, could not be written: the call must not run.
    pub(crate) fn effect(&self, turn: &TurnId, call: &OpenCall, target: &Target, targets: &[String]) -> Result<()> {
        self.tell(
            turn,
            "effect",
            || json!({ "toolCallId": call.id, "toolName": call.tool_name, "target": target, "targets": targets }),
        )
    }

    fn tell(&self, turn: &TurnId, what: &str, fields: impl FnOnce() -> Value) -> Result<()> {
        if self.audit.is_none() {
            return Ok(());
        }
        let mut record = fields();
        if let Some(record) = record.as_object_mut() {
            record.retain(|_, value| !value.is_null());
            record.insert("type".to_owned(), Value::from(what));
        }
        self.write(Some(turn), record)
    }

    fn write(&self, turn: Option<&TurnId>, record: Value) -> Result<()> {
        let Some(audit) = &self.audit else { return Ok(()) };
        let mut record = audit.without_secrets(record);
        shrink::shrink(&mut record, MAX_RECORD_BYTES);
        let mut members = match record {
            Value::Object(members) => members,
            other => Map::from_iter([("record".to_owned(), other)]),
        };
        if let Some(turn) = turn {
            members.insert("turnId".to_owned(), Value::from(turn.as_str()));
        }
        audit.log.write(self.clock.now_ms(), &self.session_id, &members)
    }
}

/// The entry as a record; none for what is only said.
fn of_entry(entry: &Entry) -> Option<Value> {
    let left_out: &[&str] = match entry {
        Entry::UserMessage { .. }
        | Entry::AssistantMessage { .. }
        | Entry::OutputRejected { .. }
        | Entry::Compacted { .. }
        | Entry::CheckpointCreated { .. } => return None,
        Entry::ToolResult { .. } => &["/content"],
        // The call's own record has its input.
        Entry::RequestOpened { .. } => {
            &["/permission/input", "/permission/diff", "/tool/input", "/check/input", "/check/diff"]
        }
        Entry::Done { .. } => &["/structured"],
        Entry::BackgroundTaskEnded { .. } => &["/text"],
        Entry::TurnStart { .. }
        | Entry::ToolCall { .. }
        | Entry::ToolDenied { .. }
        | Entry::FileChanged { .. }
        | Entry::RequestResolved { .. }
        | Entry::ModeChanged { .. }
        | Entry::ModelChanged { .. }
        | Entry::SubagentStart { .. }
        | Entry::SubagentEnd { .. } => &[],
    };
    let mut record =
        serde_json::to_value(entry).unwrap_or_else(|error| json!({ "type": "unknown", "why": error.to_string() }));
    for path in left_out {
        let Some((parent, name)) = path.rsplit_once('/') else { continue };
        if let Some(parent) = record.pointer_mut(parent).and_then(Value::as_object_mut) {
            parent.remove(name);
        }
    }
    Some(record)
}
