//! The tools that come with the library: read, write and edit files, look through folders, run commands, show what is to
//! be done, read pages of the web.

mod apply_patch;
mod collected;
mod diff;
mod edit_file;
mod edits;
mod ending;
mod fold;
mod glob;
mod grep;
mod ladder;
mod lines;
mod list_dir;
mod multi_edit;
mod nearest;
mod output;
pub mod patch;
mod picture;
mod read_file;
mod run_shell;
mod search;
mod task_kill;
mod task_output;
mod task_update;
mod tasks;
mod text;
mod text_file;
mod web_fetch;
mod write_file;

use std::sync::Arc;

pub use web_fetch::WebFetch;

use crate::Tool;

/// Those of every agent that works in a folder, for one agent. Background tasks end with them.
#[must_use]
pub fn tools() -> Vec<Arc<dyn Tool>> {
    let tasks = Arc::<tasks::Tasks>::default();
    vec![
        Arc::new(read_file::ReadFile),
        Arc::new(write_file::WriteFile),
        Arc::new(edit_file::EditFile),
        Arc::new(multi_edit::MultiEdit),
        Arc::new(apply_patch::ApplyPatch),
        Arc::new(glob::Glob),
        Arc::new(grep::Grep),
        Arc::new(list_dir::ListDir),
        Arc::new(run_shell::RunShell { tasks: Arc::clone(&tasks) }),
        Arc::new(task_output::TaskOutput { tasks: Arc::clone(&tasks) }),
        Arc::new(task_kill::TaskKill { tasks }),
        Arc::new(task_update::TaskUpdate),
    ]
}
