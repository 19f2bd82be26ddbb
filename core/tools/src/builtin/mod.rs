//! The tools that come with the library: read, write and edit files, run commands.

mod edit_file;
mod output;
mod read_file;
mod run_shell;
mod text_file;
mod write_file;

use std::sync::Arc;

use crate::Tool;

/// All of them. They need a workspace.
#[must_use]
pub fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(read_file::ReadFile),
        Arc::new(write_file::WriteFile),
        Arc::new(edit_file::EditFile),
        Arc::new(run_shell::RunShell),
    ]
}
