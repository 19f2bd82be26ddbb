//! The tools that come with the library: read, write and edit files, run commands.

mod collected;
mod edit_file;
mod ending;
mod output;
mod read_file;
mod run_shell;
mod task_kill;
mod task_output;
mod tasks;
mod text_file;
mod write_file;

use std::sync::Arc;

use crate::Tool;

/// All of them, for one agent. They need a workspace. Background tasks end with them.
#[must_use]
pub fn tools() -> Vec<Arc<dyn Tool>> {
    let tasks = Arc::<tasks::Tasks>::default();
    vec![
        Arc::new(read_file::ReadFile),
        Arc::new(write_file::WriteFile),
        Arc::new(edit_file::EditFile),
        Arc::new(run_shell::RunShell { tasks: Arc::clone(&tasks) }),
        Arc::new(task_output::TaskOutput { tasks: Arc::clone(&tasks) }),
        Arc::new(task_kill::TaskKill { tasks }),
    ]
}
