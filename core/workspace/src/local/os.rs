//! The seam to the operating system: everything that is not the same on every Unix, or is not in std.
//!
//! Nothing above this module calls `rustix` or `nix`. It must never install a signal handler, change the
//! environment or the working folder, or act on a process that was not started here.

mod files;
mod input;
mod pipes;
mod proc_table;
mod process;
mod signals;
mod terminal;

pub(super) use files::{Access, file_id, open_entry, open_file_below, open_folder, open_folder_below, special_kind};
pub(super) use input::held_input;
pub(super) use pipes::{Bell, LineSocket, Ready, read_available, set_nonblocking, wait_for, writers_name};
pub(super) use proc_table::{Process, processes};
pub(super) use process::{Ended, GroupSignal, Leader, TICK};
pub(super) use signals::HostMask;
pub use signals::SignalsBlocked;
pub(super) use terminal::{Terminal, open_terminal};
