//! Who else judges a call: checks, which judge a change before it happens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolCallId;

/// A check: judges calls before they run. Whatever is not clearly a judgement refuses the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CheckOptions {
    /// A command line, run by `bash` in `cwd`. It gets the call as JSON on its standard input and says
    /// `{"blocking": true|false, "findings": ["..."]}` on its standard output. Absent: the host is asked, by a request of
    /// kind `check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Milliseconds that it may take; one that takes longer refuses the call. Default 30,000 for a command, else
    /// `permissionTimeoutMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The calls that it judges: names of tools, `*` in them for any letters, or the words `read`, `write`, `execute`,
    /// `network` for all calls with that effect. Default: every call that does more than read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
}

/// What stood in the way of a call, or did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GuardVerdict {
    /// It let the call go on.
    Passed,
    /// It did not.
    Blocked,
    /// It gave no verdict: it took too long, failed, or said something else. The call is refused.
    Failed,
}

/// Which of them it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GuardKind {
    /// A check.
    Check,
}

/// One verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GuardReport {
    /// The call that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<ToolCallId>,
    /// Who judged.
    pub guard: GuardKind,
    /// The command line that did; absent: the host itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The verdict.
    pub verdict: GuardVerdict,
    /// What it found, or why it gave no verdict.
    pub findings: Vec<String>,
    /// How long it took.
    pub duration_ms: u64,
}
