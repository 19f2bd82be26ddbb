//! What the agent asks its host. Permission, host tool call, question and plan are one thing: opened once,
//! settled once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{RequestId, ToolCallId};

/// The kinds of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// May this call run?
    Permission,
    /// Run this tool of yours.
    Tool,
    /// A question to the person.
    Question,
    /// A plan to approve.
    Plan,
    /// Does anything speak against this call?
    Check,
}

impl RequestKind {
    /// The kind as it stands in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Tool => "tool",
            Self::Question => "question",
            Self::Plan => "plan",
            Self::Check => "check",
        }
    }
}

/// What a call does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks only.
    Read,
    /// Changes files.
    Write,
    /// Runs a program or the host's own code.
    Execute,
    /// Talks to the network.
    Network,
}

/// What a call acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A shell command.
    Command,
    /// Files.
    File,
    /// A network address.
    Network,
    /// A tool of an MCP server.
    Mcp,
    /// Something else, such as a tool of the host.
    Other,
}

/// What a call would do, in a form to show and to judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// One line for a person.
    pub summary: String,
    /// What it does to the world.
    pub effect: Effect,
    /// What it acts on.
    pub kind: TargetKind,
    /// The files it names, as absolute paths, where it names any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// The command line, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The host name, where it is one of a network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// How much harm a call could do, from one table in the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Looks only, inside the roots.
    Low,
    /// Changes that can be undone.
    Medium,
    /// Commands, the network, and paths outside the roots.
    High,
}

/// Findings of checks that ran before the request was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checks {
    /// A blocking finding refuses the call whatever the answer is.
    pub blocking: bool,
    /// What was found, one line each.
    pub findings: Vec<String>,
}

/// One step of how policy came to its decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceStep {
    /// What was looked at: `rule`, `grant`, `built_in`, `mode`, `path`, `command`.
    pub by: String,
    /// What it said, and why.
    pub reason: String,
    /// The rule, as it was written, where one decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The layer that the rule stands in and where that was read, such as `managed layer (/etc/lodger/settings.json)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
}

/// May this call run?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// Name of the tool.
    pub tool_name: String,
    /// A title for a dialog, such as `Run command`.
    pub label: String,
    /// The input, as the model wrote it.
    pub input: Value,
    /// One line for a person.
    pub summary: String,
    /// What it does to the world.
    pub effect: Effect,
    /// What the call would do.
    pub target: Target,
    /// Every file or command that the call touches, one line each.
    pub targets: Vec<String>,
    /// A unified diff, for changes of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// How much harm it could do.
    pub risk: Risk,
    /// Findings of checks, where any ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Checks>,
    /// Rules that would allow this call from now on; empty when there is none to offer.
    pub suggested_rules: Vec<String>,
    /// How policy came to ask.
    pub trace: Vec<TraceStep>,
}

/// Does anything speak against this call? It has not run yet, and nobody was asked for leave so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckRequest {
    /// Name of the tool.
    pub tool_name: String,
    /// The input, as the model wrote it.
    pub input: Value,
    /// What the call would do.
    pub target: Target,
    /// Every file or command that the call touches, one line each.
    pub targets: Vec<String>,
    /// A unified diff, for changes of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// How much harm it could do.
    pub risk: Risk,
}

/// Run this tool of yours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequest {
    /// Name of the tool.
    pub tool_name: String,
    /// The input; it fits the tool's schema in form only as far as the model kept to it.
    pub input: Value,
}

/// One answer to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionChoice {
    /// What to show and to answer with: one line of at most 256 bytes.
    pub label: String,
    /// What choosing it means; at most 1 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A question to the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionRequest {
    /// The question; at most 4 KiB.
    pub question: String,
    /// Answers to choose from: 1 to 16, each label once.
    pub options: Vec<QuestionChoice>,
    /// More than one may be chosen.
    pub multi_select: bool,
    /// Free text is an answer too.
    pub allow_other: bool,
}

/// A plan to approve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanRequest {
    /// The plan, in Markdown; at most 64 KiB.
    pub plan: String,
}

/// What is asked: exactly one of these, beside the `kind` that names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestBody {
    /// May this call run?
    Permission(Box<PermissionRequest>),
    /// Run this tool of yours.
    Tool(ToolRequest),
    /// A question to the person.
    Question(QuestionRequest),
    /// A plan to approve.
    Plan(PlanRequest),
    /// Does anything speak against this call?
    Check(Box<CheckRequest>),
}

impl RequestBody {
    /// Which of them it is.
    #[must_use]
    pub const fn kind(&self) -> RequestKind {
        match self {
            Self::Permission(_) => RequestKind::Permission,
            Self::Tool(_) => RequestKind::Tool,
            Self::Question(_) => RequestKind::Question,
            Self::Plan(_) => RequestKind::Plan,
            Self::Check(_) => RequestKind::Check,
        }
    }
}

/// An open request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Answer with this id, or by the handle.
    pub request_id: RequestId,
    /// Which of them it is.
    pub kind: RequestKind,
    /// The call that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<ToolCallId>,
    /// Unix milliseconds after which it is refused; absent when it waits for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// The body, under the name of its kind.
    #[serde(flatten)]
    pub body: RequestBody,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Permission, this time.
    AllowedOnce,
    /// Permission, from now on.
    AllowedAlways,
    /// No permission.
    Denied,
    /// The tool ran, the question was answered, or the check gave its verdict.
    Answered,
    /// The person did not want to answer.
    Dismissed,
    /// The plan may go ahead.
    Approved,
    /// The plan may not go ahead.
    Rejected,
    /// Nobody answered in time.
    Expired,
    /// The turn ended first.
    Cancelled,
    /// The handler failed, answered nonsense, or was dropped.
    Failed,
}
