//! The outside world as a value: an agent sees files and commands only through a [`Workspace`].
//!
//! This crate must never decide whether something may happen; it finds out what a path really is, keeps
//! hold of it, and acts through that handle alone.

mod command;
mod file;
mod output_file;
mod tree;

#[cfg(all(feature = "local", unix))]
mod local;

use std::path::Path;

use lodger_protocol::{Intent, Result, SandboxState};

pub use command::{Command, CommandEnd, CommandStatus, OutputChunk, OutputStream, Running};
pub use file::{FileHandle, StopFlag, WriteReport};
pub use output_file::OutputFile;
pub use tree::{Found, FoundKind, Tree, Visitor, Walk, Walked};

#[cfg(all(feature = "local", unix))]
pub use local::{LocalWorkspace, ProcessTable, SharedFiles, SignalsBlocked};

/// Files and commands of one agent.
pub trait Workspace: Send + Sync {
    /// The folder that relative paths start from, canonical.
    fn cwd(&self) -> &Path;

    /// Finds out what `path` really is and keeps hold of it. Blocking: call it off the async workers.
    ///
    /// # Errors
    /// `invalid_input` for a path that cannot be one (empty, NUL inside), a folder where a file is needed, or
    /// a special file; the message is for the model.
    fn resolve(&self, path: &str, intent: Intent) -> Result<Box<dyn FileHandle>>;

    /// Finds out what `path`, a folder or a file, really is, and keeps hold of it, to look through what is there.
    /// Blocking: call it off the async workers.
    ///
    /// # Errors
    /// As for `resolve`, but for folders; `invalid_input` when there is nothing at that path.
    fn resolve_tree(&self, path: &str) -> Result<Box<dyn Tree>>;

    /// Starts a command in a process group of its own. Returns at once.
    ///
    /// # Errors
    /// `closed` when the workspace was shut down; a retryable `invalid_input` when too many commands run already;
    /// `forked` in a copy of the process. A command that cannot be started ends as
    /// [`NotStarted`](CommandStatus::NotStarted).
    fn run(&self, command: Command) -> Result<Running>;

    /// Makes a file for output that is too long to be shown. Blocking.
    ///
    /// # Errors
    /// `closed` when the workspace was shut down; `internal` when there is no room for one.
    fn keep_output(&self) -> Result<Box<dyn OutputFile>>;

    /// What confines its commands; nothing where no sandbox was asked for.
    fn sandbox(&self) -> Option<&SandboxState> {
        None
    }

    /// Kills every command of this workspace that still runs, and whatever escaped its group, and waits until
    /// a search for more finds none; removes what was kept of output. Blocking; bounded.
    fn shut_down(&self);
}
