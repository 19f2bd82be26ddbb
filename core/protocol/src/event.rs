//! What an agent tells. [`Entry`] is kept and makes up the transcript; [`Passing`] is shown and forgotten.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AgentId, Boundary, Content, DoneReason, Error, GuardReport, MessageId, Mode, Outcome, PromptId, Request, RequestId,
    RequestKind, SandboxState, SessionId, StopReason, Target, ToolCallId, TurnId, Usage,
};

/// Version of the event schema, in every event as `v`.
pub const PROTOCOL_VERSION: u32 = 1;

/// One event: an envelope and what happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Version of this schema.
    pub v: u32,
    /// Place in the session, dense from 1.
    pub seq: u64,
    /// Unix milliseconds.
    pub ts: u64,
    /// The session.
    pub session_id: SessionId,
    /// The turn, for what belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The sub-agent; absent for the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The call that started the sub-agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_call_id: Option<ToolCallId>,
    /// What happened.
    #[serde(flatten)]
    pub body: EventBody,
}

/// What happened: something to keep, or something to show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EventBody {
    /// Kept: part of the transcript.
    Entry(Entry),
    /// Shown and forgotten.
    Passing(Passing),
}

impl From<Entry> for EventBody {
    fn from(entry: Entry) -> Self {
        Self::Entry(entry)
    }
}

impl From<Passing> for EventBody {
    fn from(passing: Passing) -> Self {
        Self::Passing(passing)
    }
}

/// Who refused a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeniedBy {
    /// The person, through the host's handler.
    User,
    /// The host itself: no handler, or one that failed.
    Host,
    /// A rule.
    Rule,
    /// Managed policy.
    Policy,
    /// A blocking check.
    Checks,
    /// The audit log, which could not be written.
    Audit,
    /// Nobody answered in time.
    Timeout,
    /// The mode.
    Mode,
}

/// A file that a call changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Absolute path.
    pub path: String,
    /// The file did not exist before.
    pub created: bool,
    /// Replaced in one step; false when it had to be written in place.
    pub atomic: bool,
    /// The file was removed, or moved away. Absent: it was not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
}

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Finished.
    Completed,
}

/// One entry of the agent's task list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Opaque id.
    pub id: String,
    /// What is to be done.
    pub subject: String,
    /// Where it stands.
    pub status: TaskStatus,
}

/// Where a plan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Being written.
    Draft,
    /// The person agreed.
    Approved,
    /// The person did not agree.
    Rejected,
}

/// The plan as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanItem {
    /// The plan, in Markdown.
    pub plan: String,
    /// Where it stands.
    pub status: PlanStatus,
}

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// Good to know.
    Info,
    /// Something is not as asked for.
    Warning,
    /// Something failed, and the turn goes on.
    Error,
}

/// What was used so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    /// This turn.
    pub turn: Usage,
    /// The whole session.
    pub session: Usage,
    /// US dollars of the session; absent when a price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Tokens in the context of the last request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// The model's context window, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
}

/// What is kept. The transcript is the list of these, and the only state of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Entry {
    /// A prompt entered the conversation.
    UserMessage {
        /// The message.
        message_id: MessageId,
        /// Its blocks.
        content: Vec<Content>,
    },
    /// A turn began.
    TurnStart {
        /// The prompt that it answers.
        prompt_id: PromptId,
        /// `provider/model`.
        model: String,
        /// The mode at the start.
        mode: Mode,
        /// What confines commands; absent where no sandbox was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sandbox: Option<SandboxState>,
    },
    /// One whole reply of the model, after its deltas.
    AssistantMessage {
        /// The message.
        message_id: MessageId,
        /// Its blocks, tool calls among them.
        content: Vec<Content>,
        /// Why the model stopped.
        stop_reason: StopReason,
        /// What this reply used.
        usage: Usage,
        /// `provider/model` that wrote it.
        model: String,
        /// US dollars of this reply; absent when the price is unknown or the provider did not count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
    },
    /// The model asked for a tool; appended before anything is decided.
    ToolCall {
        /// The call.
        tool_call_id: ToolCallId,
        /// Name of the tool.
        tool_name: String,
        /// The input, as the model wrote it.
        input: Value,
        /// What the call would do, as far as the input could be read.
        target: Target,
    },
    /// The end of a call: exactly one for each.
    ToolResult {
        /// The call.
        tool_call_id: ToolCallId,
        /// Name of the tool.
        tool_name: String,
        /// What the model is told.
        content: Vec<Content>,
        /// The tool failed or was refused.
        is_error: bool,
        /// From decision to end; 0 for calls that never ran.
        duration_ms: u64,
        /// Something was left out of `content`.
        truncated: bool,
        /// Files that the call changed.
        files: Vec<FileChange>,
    },
    /// A call was refused.
    ToolDenied {
        /// The call.
        tool_call_id: ToolCallId,
        /// Name of the tool.
        tool_name: String,
        /// Who refused.
        by: DeniedBy,
        /// What the model is told beside.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
    },
    /// An answer did not fit `outputSchema`; the model is told so and asked again.
    OutputRejected {
        /// What the model is told of it.
        message_id: MessageId,
        /// The same, in words.
        feedback: String,
        /// The answer that was rejected, from 1.
        attempt: u32,
        /// How many there may be.
        max_attempts: u32,
        /// The call that gave the answer, whose result holds the words too; absent where the answer was text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_call_id: Option<ToolCallId>,
    },
    /// A file was changed by the agent.
    FileChanged {
        /// The call that changed it.
        tool_call_id: ToolCallId,
        /// The change.
        #[serde(flatten)]
        file: FileChange,
    },
    /// A background task ended. Told before the next request to the model, which is told of it too.
    BackgroundTaskEnded {
        /// The task, as the model names it.
        task_id: String,
        /// The call that started it.
        tool_call_id: ToolCallId,
        /// What the model is told of it.
        text: String,
    },
    /// A request to the host was opened.
    RequestOpened {
        /// The request.
        #[serde(flatten)]
        request: Request,
    },
    /// A request was settled: exactly one for each.
    RequestResolved {
        /// The request.
        request_id: RequestId,
        /// Which kind it was.
        kind: RequestKind,
        /// How it ended.
        outcome: Outcome,
    },
    /// The conversation was made shorter. Not sent yet.
    Compacted {
        /// Tokens before.
        tokens_before: u64,
        /// Tokens after.
        tokens_after: u64,
        /// What stands for the part that was left out.
        summary: String,
    },
    /// The mode changed.
    ModeChanged {
        /// The new mode.
        mode: Mode,
    },
    /// The model changed.
    ModelChanged {
        /// `provider/model`.
        model: String,
    },
    /// A sub-agent began. Not sent yet.
    SubagentStart {
        /// What it is to do.
        description: String,
    },
    /// A sub-agent ended. Not sent yet.
    SubagentEnd {
        /// Why it ended.
        reason: DoneReason,
    },
    /// Portable bytes of the session were made. Not sent yet.
    CheckpointCreated {
        /// Names it.
        checkpoint_id: String,
    },
    /// A turn ended: exactly one for each.
    Done {
        /// The prompt that it answered.
        prompt_id: PromptId,
        /// Why it ended.
        reason: DoneReason,
        /// Tokens of this turn.
        usage: Usage,
        /// US dollars of this turn; absent when a price is unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// How whole the last reply is.
        boundary: Boundary,
        /// The answer that fits `outputSchema`, of a turn that ended with one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        structured: Option<Value>,
        /// What failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<Error>,
    },
}

/// What is shown and forgotten: it can be missed without losing anything that an [`Entry`] does not say again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Passing {
    /// Where a session stands, for one who joins. Not sent yet.
    SessionState {
        /// The mode.
        mode: Mode,
        /// `provider/model`.
        model: String,
        /// A turn is running.
        running: bool,
        /// What confines commands; absent where no sandbox was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sandbox: Option<SandboxState>,
    },
    /// The session was closed. Not sent yet.
    SessionClosed {
        /// Why.
        reason: String,
    },
    /// A prompt waits for its turn. Not sent yet.
    PromptQueued {
        /// The prompt.
        prompt_id: PromptId,
        /// How many are before it.
        position: u32,
    },
    /// A waiting prompt's turn begins. Not sent yet.
    PromptStarted {
        /// The prompt.
        prompt_id: PromptId,
    },
    /// More text of the answer.
    TextDelta {
        /// The message that grows.
        message_id: MessageId,
        /// Append this.
        text: String,
    },
    /// More of the model's thought.
    ThinkingDelta {
        /// The message that grows.
        message_id: MessageId,
        /// Append this.
        text: String,
    },
    /// More of a call's input, as raw JSON text.
    ToolInputDelta {
        /// The call.
        tool_call_id: ToolCallId,
        /// Name of the tool.
        tool_name: String,
        /// Append this.
        text: String,
    },
    /// A running call has something to show.
    ToolProgress {
        /// The call.
        tool_call_id: ToolCallId,
        /// `stdout`, `stderr`, or `progress` for a tool of the host.
        stream: String,
        /// Append this.
        chunk: String,
    },
    /// A request to the provider failed before its first output and is sent again after a wait.
    Retry {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// How many there may be.
        max_attempts: u32,
        /// How long it waits.
        delay_ms: u64,
        /// What failed: the error's code and message.
        reason: String,
        /// The provider's status, where it sent one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
    },
    /// A model failed before its first output, and the next of `fallbackModels` carries on for the rest of the turn.
    Fallback {
        /// `provider/model` that failed.
        from_model: String,
        /// `provider/model` that carries on.
        to_model: String,
        /// What failed: the error's code and message.
        reason: String,
        /// The provider's status, where it sent one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
    },
    /// What was used so far.
    Usage {
        /// The figures.
        #[serde(flatten)]
        report: UsageReport,
    },
    /// A check gave its verdict on a call, or none.
    GuardVerdict {
        /// The verdict.
        #[serde(flatten)]
        report: GuardReport,
    },
    /// Something that a person may want to know, such as what in settings counts for nothing (code `settings_ignored`).
    Notice {
        /// How much it matters.
        level: NoticeLevel,
        /// Stable name.
        code: String,
        /// One line.
        text: String,
    },
    /// The agent's task list, after a call of `task_update`.
    TaskUpdate {
        /// All of it.
        tasks: Vec<Task>,
    },
    /// The agent's plan. Not sent yet.
    PlanUpdate {
        /// All of it.
        #[serde(flatten)]
        plan: PlanItem,
    },
    /// Events before this were lost to a reader that came back too late. Not sent yet.
    ReplayGap {
        /// The last event that the reader had.
        requested_id: u64,
        /// The first that is still there.
        first_id: u64,
        /// How many are missing.
        dropped: u64,
    },
}
