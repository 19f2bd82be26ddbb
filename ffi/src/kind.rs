//! Numbers and names of events and requests, for a `switch`.
//!
//! A number is for ever: a new kind takes the next one, the number of a kind that goes stays unused. Both matches are
//! total, so that a new kind cannot be forgotten here.

use lodger_core::protocol::{Entry, EventBody, Passing, RequestKind};

/// `session_state`: where a session stands, for one who joins.
pub const LODGER_EVENT_SESSION_STATE: u32 = 1;
/// `session_closed`: the session was closed.
pub const LODGER_EVENT_SESSION_CLOSED: u32 = 2;
/// `user_message`: a prompt entered the conversation.
pub const LODGER_EVENT_USER_MESSAGE: u32 = 3;
/// `prompt_queued`: a prompt waits for its turn.
pub const LODGER_EVENT_PROMPT_QUEUED: u32 = 4;
/// `prompt_started`: a waiting prompt's turn begins.
pub const LODGER_EVENT_PROMPT_STARTED: u32 = 5;
/// `turn_start`: a turn began.
pub const LODGER_EVENT_TURN_START: u32 = 6;
/// `text_delta`: more text of the answer, in lodger_event_text.
pub const LODGER_EVENT_TEXT_DELTA: u32 = 7;
/// `thinking_delta`: more of the model's thought, in lodger_event_text.
pub const LODGER_EVENT_THINKING_DELTA: u32 = 8;
/// `tool_input_delta`: more of a call's input, in lodger_event_text.
pub const LODGER_EVENT_TOOL_INPUT_DELTA: u32 = 9;
/// `assistant_message`: one whole reply, after its deltas.
pub const LODGER_EVENT_ASSISTANT_MESSAGE: u32 = 10;
/// `tool_call`: the model asked for a tool.
pub const LODGER_EVENT_TOOL_CALL: u32 = 11;
/// `tool_progress`: a running call has something to show, in lodger_event_text.
pub const LODGER_EVENT_TOOL_PROGRESS: u32 = 12;
/// `tool_result`: the end of a call, exactly one for each.
pub const LODGER_EVENT_TOOL_RESULT: u32 = 13;
/// `tool_denied`: a call was refused.
pub const LODGER_EVENT_TOOL_DENIED: u32 = 14;
/// `file_changed`: the agent changed a file.
pub const LODGER_EVENT_FILE_CHANGED: u32 = 15;
/// `subagent_start`: a sub-agent began.
pub const LODGER_EVENT_SUBAGENT_START: u32 = 16;
/// `subagent_end`: a sub-agent ended.
pub const LODGER_EVENT_SUBAGENT_END: u32 = 17;
/// `request_opened`: the agent asks something.
pub const LODGER_EVENT_REQUEST_OPENED: u32 = 18;
/// `request_resolved`: that is settled, exactly one for each.
pub const LODGER_EVENT_REQUEST_RESOLVED: u32 = 19;
/// `retry`: a request to the provider is tried again.
pub const LODGER_EVENT_RETRY: u32 = 20;
/// `compacted`: the conversation was made shorter.
pub const LODGER_EVENT_COMPACTED: u32 = 21;
/// `usage`: what was used so far.
pub const LODGER_EVENT_USAGE: u32 = 22;
/// `notice`: something that a person may want to know, in lodger_event_text.
pub const LODGER_EVENT_NOTICE: u32 = 23;
/// `task_update`: the agent's task list.
pub const LODGER_EVENT_TASK_UPDATE: u32 = 24;
/// `plan_update`: the agent's plan.
pub const LODGER_EVENT_PLAN_UPDATE: u32 = 25;
/// `mode_changed`: the mode changed.
pub const LODGER_EVENT_MODE_CHANGED: u32 = 26;
/// `model_changed`: the model changed.
pub const LODGER_EVENT_MODEL_CHANGED: u32 = 27;
/// `checkpoint_created`: portable bytes of the session were made.
pub const LODGER_EVENT_CHECKPOINT_CREATED: u32 = 28;
/// `replay_gap`: events were lost to a reader that came back too late.
pub const LODGER_EVENT_REPLAY_GAP: u32 = 29;
/// `done`: the turn ended, exactly one for each, always the last.
pub const LODGER_EVENT_DONE: u32 = 30;
/// `fallback`: a model failed before its first output, and another carries on.
pub const LODGER_EVENT_FALLBACK: u32 = 31;
/// `output_rejected`: an answer did not fit option `outputSchema`; the model is told so and asked again.
pub const LODGER_EVENT_OUTPUT_REJECTED: u32 = 32;
/// `background_task_ended`: a command that ran in the background ended; what the model is told in lodger_event_text.
pub const LODGER_EVENT_BACKGROUND_TASK_ENDED: u32 = 33;
/// `guard_verdict`: a check gave its verdict on a call, or none.
pub const LODGER_EVENT_GUARD_VERDICT: u32 = 34;

/// `permission`: may this call run?
pub const LODGER_REQUEST_PERMISSION: u32 = 1;
/// `tool`: run this tool of yours.
pub const LODGER_REQUEST_TOOL: u32 = 2;
/// `question`: a question to the person.
pub const LODGER_REQUEST_QUESTION: u32 = 3;
/// `plan`: a plan to approve.
pub const LODGER_REQUEST_PLAN: u32 = 4;
/// `check`: does anything speak against this call? Comes only where option `checks` has an entry without a command.
pub const LODGER_REQUEST_CHECK: u32 = 5;

/// Number and `type` of an event.
pub(crate) const fn of_event(body: &EventBody) -> (u32, &'static str) {
    match body {
        EventBody::Entry(entry) => match entry {
            Entry::UserMessage { .. } => (LODGER_EVENT_USER_MESSAGE, "user_message"),
            Entry::TurnStart { .. } => (LODGER_EVENT_TURN_START, "turn_start"),
            Entry::AssistantMessage { .. } => (LODGER_EVENT_ASSISTANT_MESSAGE, "assistant_message"),
            Entry::ToolCall { .. } => (LODGER_EVENT_TOOL_CALL, "tool_call"),
            Entry::ToolResult { .. } => (LODGER_EVENT_TOOL_RESULT, "tool_result"),
            Entry::ToolDenied { .. } => (LODGER_EVENT_TOOL_DENIED, "tool_denied"),
            Entry::OutputRejected { .. } => (LODGER_EVENT_OUTPUT_REJECTED, "output_rejected"),
            Entry::FileChanged { .. } => (LODGER_EVENT_FILE_CHANGED, "file_changed"),
            Entry::BackgroundTaskEnded { .. } => (LODGER_EVENT_BACKGROUND_TASK_ENDED, "background_task_ended"),
            Entry::RequestOpened { .. } => (LODGER_EVENT_REQUEST_OPENED, "request_opened"),
            Entry::RequestResolved { .. } => (LODGER_EVENT_REQUEST_RESOLVED, "request_resolved"),
            Entry::Compacted { .. } => (LODGER_EVENT_COMPACTED, "compacted"),
            Entry::ModeChanged { .. } => (LODGER_EVENT_MODE_CHANGED, "mode_changed"),
            Entry::ModelChanged { .. } => (LODGER_EVENT_MODEL_CHANGED, "model_changed"),
            Entry::SubagentStart { .. } => (LODGER_EVENT_SUBAGENT_START, "subagent_start"),
            Entry::SubagentEnd { .. } => (LODGER_EVENT_SUBAGENT_END, "subagent_end"),
            Entry::CheckpointCreated { .. } => (LODGER_EVENT_CHECKPOINT_CREATED, "checkpoint_created"),
            Entry::Done { .. } => (LODGER_EVENT_DONE, "done"),
        },
        EventBody::Passing(passing) => match passing {
            Passing::SessionState { .. } => (LODGER_EVENT_SESSION_STATE, "session_state"),
            Passing::SessionClosed { .. } => (LODGER_EVENT_SESSION_CLOSED, "session_closed"),
            Passing::PromptQueued { .. } => (LODGER_EVENT_PROMPT_QUEUED, "prompt_queued"),
            Passing::PromptStarted { .. } => (LODGER_EVENT_PROMPT_STARTED, "prompt_started"),
            Passing::TextDelta { .. } => (LODGER_EVENT_TEXT_DELTA, "text_delta"),
            Passing::ThinkingDelta { .. } => (LODGER_EVENT_THINKING_DELTA, "thinking_delta"),
            Passing::ToolInputDelta { .. } => (LODGER_EVENT_TOOL_INPUT_DELTA, "tool_input_delta"),
            Passing::ToolProgress { .. } => (LODGER_EVENT_TOOL_PROGRESS, "tool_progress"),
            Passing::Retry { .. } => (LODGER_EVENT_RETRY, "retry"),
            Passing::Fallback { .. } => (LODGER_EVENT_FALLBACK, "fallback"),
            Passing::GuardVerdict { .. } => (LODGER_EVENT_GUARD_VERDICT, "guard_verdict"),
            Passing::Usage { .. } => (LODGER_EVENT_USAGE, "usage"),
            Passing::Notice { .. } => (LODGER_EVENT_NOTICE, "notice"),
            Passing::TaskUpdate { .. } => (LODGER_EVENT_TASK_UPDATE, "task_update"),
            Passing::PlanUpdate { .. } => (LODGER_EVENT_PLAN_UPDATE, "plan_update"),
            Passing::ReplayGap { .. } => (LODGER_EVENT_REPLAY_GAP, "replay_gap"),
        },
    }
}

/// The piece of text that an event adds, where it is one that does.
pub(crate) fn text_of(body: &EventBody) -> Option<&str> {
    match body {
        EventBody::Entry(Entry::BackgroundTaskEnded { text, .. })
        | EventBody::Passing(
            Passing::TextDelta { text, .. }
            | Passing::ThinkingDelta { text, .. }
            | Passing::ToolInputDelta { text, .. }
            | Passing::Notice { text, .. }
            | Passing::ToolProgress { chunk: text, .. },
        ) => Some(text),
        EventBody::Entry(_) | EventBody::Passing(_) => None,
    }
}

/// Number of a request's kind.
pub(crate) const fn of_request(kind: RequestKind) -> u32 {
    match kind {
        RequestKind::Permission => LODGER_REQUEST_PERMISSION,
        RequestKind::Tool => LODGER_REQUEST_TOOL,
        RequestKind::Question => LODGER_REQUEST_QUESTION,
        RequestKind::Plan => LODGER_REQUEST_PLAN,
        RequestKind::Check => LODGER_REQUEST_CHECK,
    }
}
