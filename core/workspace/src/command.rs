//! A command: what is asked for, what comes out, how it ended.

use std::time::Duration;

use lodger_protocol::ToolCallId;
use tokio::sync::{mpsc, oneshot};

use crate::StopFlag;

/// A command line to run with `bash --noprofile --norc -c`.
#[derive(Clone, Debug)]
pub struct Command {
    /// The line.
    pub line: String,
    /// The call that it belongs to; in its environment as `LODGER_CALL`.
    pub call_id: ToolCallId,
    /// When this is over: TERM to the group, two seconds later KILL. `None`: it may take as long as the workspace lives.
    pub timeout: Option<Duration>,
    /// It sees a terminal of 120 columns and 40 lines in place of pipes, its own controlling one; both outputs come as
    /// standard output. There is nothing to read all the same. Linux alone.
    pub pty: bool,
    /// What stands on its standard input, where that is no terminal; empty: nothing. Linux alone.
    pub input: Vec<u8>,
    /// Run it outside the sandbox, where the workspace has one.
    pub unsandboxed: bool,
}

/// Where output came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Some output, as read from the pipe: at most 64 KiB, not cut at character borders.
#[derive(Clone, Debug)]
pub struct OutputChunk {
    /// Where it came from.
    pub stream: OutputStream,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandStatus {
    /// It ended with this code.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It took too long and was killed.
    TimedOut,
    /// The turn was cancelled and it was killed.
    Cancelled,
    /// It ended, but the host's own child handling took the status away. Never to be read as success.
    Unknown,
    /// It could not be started.
    NotStarted,
}

/// The end of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandEnd {
    /// How it ended.
    pub status: CommandStatus,
    /// Processes of its group that still held the output open and were killed, by name.
    pub left_behind: Vec<String>,
    /// Why it could not be started, or what went wrong while it ran.
    pub note: Option<String>,
}

/// A running command. Dropping it, or its `output`, kills the group at once.
#[derive(Debug)]
pub struct Running {
    /// Output, at most 16 chunks ahead: while nobody takes them the pipe is not read, and the command waits.
    pub output: mpsc::Receiver<OutputChunk>,
    /// Comes once, after the last chunk.
    pub end: oneshot::Receiver<CommandEnd>,
    /// Raised to kill the group at once.
    pub stop: StopFlag,
}
