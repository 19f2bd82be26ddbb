//! The real machine.

mod processes;
mod workspace;

pub use processes::ProcessTable;
pub use workspace::LocalWorkspace;
