//! The trait of a tool, in two steps: read the input, then run.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use lodger_protocol::{
    Answer, Content, FileChange, Intent, Limits, Mode, RequestBody, Target, Task, ToolApproval, ToolCallId, ToolSpec,
};
use lodger_workspace::{FileHandle, StopFlag, Tree, Workspace};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::Seen;

/// A tool on offer.
pub trait Tool: Send + Sync {
    /// What the model is told of it.
    fn spec(&self) -> &ToolSpec;

    /// For a tool that the host offers itself: whether its calls ask. Of all others the mode decides.
    fn host_approval(&self) -> Option<ToolApproval> {
        None
    }

    /// Whether the model is told of this tool in that mode. A call of a tool that it was not told of is taken all the
    /// same, and says for itself why it cannot be.
    fn is_offered(&self, _mode: Mode) -> bool {
        true
    }

    /// The background tasks that ended since, and of which the model was not told yet. Each is given once.
    fn ended_tasks(&self) -> Vec<EndedTask> {
        Vec::new()
    }

    /// Reads the input of one call. Pure: nothing is touched.
    ///
    /// # Errors
    /// What is wrong with the input, in words that let the model write it right.
    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure>;
}

/// A background task that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedTask {
    /// Names it.
    pub task_id: String,
    /// The call that started it.
    pub call_id: ToolCallId,
    /// What the model is told of it.
    pub text: String,
}

/// Words for the model about what failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFailure(pub String);

/// A file that a call will use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// As the model gave it.
    pub path: String,
    /// What for.
    pub intent: Intent,
}

/// One call whose input was read.
pub trait ToolRun: Send + Sync {
    /// What the call would do.
    fn target(&self) -> Target;

    /// Every file that the call will use. They are handed to `run` in this order.
    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    /// The folder that the call looks through, or the one file. It is handed to `run` too.
    fn tree(&self) -> Option<String> {
        None
    }

    /// The change as a unified diff, to show when asking. Blocking.
    fn preview(&self, _files: &[Box<dyn FileHandle>]) -> Option<String> {
        None
    }

    /// Does it. Failures are output too.
    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput>;
}

/// Shows what a running call has to say, with back-pressure.
pub trait Progress: Send + Sync {
    /// Waits until there is room to show more. Read a source only after this.
    fn ready(&self) -> BoxFuture<'_, ()>;

    /// Shows some text.
    fn show(&self, stream: &str, text: String);
}

/// Asks the host and waits for its answer.
pub trait Ask: Send + Sync {
    /// Opens a request about the running call. The answer is a refusal when the host cannot, will not or did
    /// not answer within `timeout`; absent, the agent's own limit counts.
    fn ask(&self, body: RequestBody, timeout: Patience) -> BoxFuture<'static, Answer>;
}

/// How long a request may stay open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// As long as the agent's `permissionTimeoutMs` says.
    AsConfigured,
    /// This long.
    For(Duration),
    /// Until it is answered or the turn ends.
    Endless,
}

/// Whether the file at this absolute path, without links, may be shown to the model. Called from several threads at
/// once, once for each file of a tree: it must be quick.
pub type MayRead = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// All that a running call may use.
pub struct ToolContext {
    /// The call.
    pub call_id: ToolCallId,
    /// The declared files, in order, as they were judged.
    pub files: Vec<Box<dyn FileHandle>>,
    /// The declared folder, as it was judged.
    pub tree: Option<Box<dyn Tree>>,
    /// What the model was shown of files in this session.
    pub seen: Arc<Seen>,
    /// Says of each file that a search finds whether it may be shown.
    pub may_read: MayRead,
    /// For commands; absent without a folder.
    pub workspace: Option<Arc<dyn Workspace>>,
    /// Where to show progress.
    pub progress: Arc<dyn Progress>,
    /// For what only the host can do or say.
    pub host: Arc<dyn Ask>,
    /// Cancelled with the turn.
    pub cancelled: CancellationToken,
    /// Raised with the turn's cancellation: nothing may be committed after.
    pub stop: StopFlag,
    /// Bounds.
    pub limits: Arc<Limits>,
    /// The mode of the step that the call belongs to.
    pub mode: Mode,
}

/// What a call came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// For the model.
    pub content: Vec<Content>,
    /// It failed.
    pub is_error: bool,
    /// Something was left out already.
    pub truncated: bool,
    /// The tool kept its text within `limits.maxToolOutputBytes` itself; only what it says about it goes beyond.
    pub bounded: bool,
    /// Files that it changed.
    pub files: Vec<FileChange>,
    /// The task list, if the call wrote it.
    pub tasks: Option<Vec<Task>>,
}

impl ToolOutput {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::text(text)], ..Self::default() }
    }

    /// A failure, in words for the model.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }
}

impl From<ToolFailure> for ToolOutput {
    fn from(failure: ToolFailure) -> Self {
        Self::error(failure.0)
    }
}

impl From<lodger_protocol::Error> for ToolOutput {
    fn from(error: lodger_protocol::Error) -> Self {
        Self::error(error.message)
    }
}
