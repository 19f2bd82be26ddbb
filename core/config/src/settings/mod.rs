//! Settings files: what the machine's administrator, a project and a user say about every agent.
//!
//! | place | file |
//! |---|---|
//! | managed | `/etc/lodger/settings.json`, and the file that `LODGER_MANAGED_SETTINGS` names |
//! | project | `.lodger/settings.json` in the folder of the agent |
//! | user | `settings.json` in the config folder |
//!
//! A file that is there and cannot be used is an error, never a file that says nothing: it may forbid something.

mod content;
mod file;

use std::path::{Path, PathBuf};

use lodger_protocol::{Environment, Error, Result, SettingsLayer};

pub use self::content::{ModelSettings, PermissionSettings, Settings};
use crate::ConfigFolder;

/// Where the administrator's file is.
const MANAGED: &str = "/etc/lodger/settings.json";
/// Names a further file of the administrator's.
const MANAGED_VARIABLE: &str = "LODGER_MANAGED_SETTINGS";

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsPlace {
    /// The machine's administrator's.
    Managed,
    /// That of the folder that the agent works in.
    Project,
    /// The user's.
    User,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingsFile {
    /// Whose it is.
    pub place: SettingsPlace,
    /// Where it was read.
    pub path: PathBuf,
    /// What it says.
    pub settings: Settings,
    /// What in it counts for nothing, a line each, for whoever wrote it.
    pub notices: Vec<String>,
}

/// Reads the managed files, and those of the layers that are asked for. Files that are not there say nothing, but for one
/// that the environment names.
///
/// # Errors
/// `invalid_options` for a file that cannot be read or is no settings file, and for a managed one that others than root and
/// this user can write to; when the user's are asked for and the environment names no home folder.
pub fn settings_files(env: &Environment, cwd: Option<&Path>, layers: &[SettingsLayer]) -> Result<Vec<SettingsFile>> {
    let mut files = Vec::new();
    files.extend(file::read(SettingsPlace::Managed, Path::new(MANAGED))?);
    if let Some(path) = env.get(MANAGED_VARIABLE).map(Path::new) {
        files.push(named(path)?);
    }
    let user = match layers.contains(&SettingsLayer::User) {
        true => Some(ConfigFolder::of(env)?.settings()),
        false => None,
    };
    if layers.contains(&SettingsLayer::Project)
        && let Some(path) = cwd.map(|cwd| cwd.join(".lodger/settings.json"))
        // In the home folder the project's file is the user's.
        && user.as_ref() != Some(&path)
    {
        files.extend(file::read(SettingsPlace::Project, &path)?);
    }
    if let Some(path) = user {
        files.extend(file::read(SettingsPlace::User, &path)?);
    }
    Ok(files)
}

/// The managed file that the environment names.
fn named(path: &Path) -> Result<SettingsFile> {
    let wrong = |what| Error::invalid_options(format!("{MANAGED_VARIABLE} is `{}`: {what}", path.display()));
    if !path.is_absolute() {
        return Err(wrong("expected an absolute path"));
    }
    file::read(SettingsPlace::Managed, path)?
        .ok_or_else(|| wrong("there is no such file; put it there or unset the variable"))
}
