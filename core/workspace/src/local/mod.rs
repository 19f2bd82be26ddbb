//! The real machine: Unix files through `cap-std`, commands as process groups.

mod command;
mod file;
mod lifeline;
mod os;
mod output;
mod output_folder;
mod place;
mod processes;
mod registry;
#[cfg(all(feature = "sandbox", target_os = "linux"))]
mod sandbox;
#[cfg(not(all(feature = "sandbox", target_os = "linux")))]
#[path = "no_sandbox.rs"]
mod sandbox;
mod search_threads;
mod shared;
mod spawn;
mod sweep;
mod tree;
mod walk;
mod workspace;
mod write;

pub use os::SignalsBlocked;
pub use processes::ProcessTable;
pub use shared::SharedFiles;
pub use workspace::LocalWorkspace;
