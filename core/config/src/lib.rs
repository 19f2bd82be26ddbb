//! What a person keeps between runs: the config folder, the logins that are saved in it, and settings.
//!
//! This crate must never read the environment of the process, talk to a network, or put a secret into an error.

mod folder;
mod login;
mod logins;
mod settings;

pub use folder::ConfigFolder;
pub use login::{Renewal, SavedLogin};
pub use logins::{LockedLogin, Logins};
pub use settings::{ModelSettings, PermissionSettings, Settings, SettingsFile, SettingsPlace, settings_files};
