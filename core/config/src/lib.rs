//! What a person keeps between runs: the config folder, and the logins that are saved in it.
//!
//! This crate must never read the environment of the process, talk to a network, or put a secret into an error.

mod folder;
mod login;
mod logins;

pub use folder::ConfigFolder;
pub use login::{Renewal, SavedLogin};
pub use logins::{LockedLogin, Logins};
