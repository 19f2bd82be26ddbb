//! One settings file, from its path to what it says.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::Path;

use lodger_protocol::{Error, Result};

use super::{SettingsFile, SettingsPlace, content};

/// A settings file is not longer.
const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;

/// Reads a file. `None`: it is not there.
pub(super) fn read(place: SettingsPlace, path: &Path) -> Result<Option<SettingsFile>> {
    let wrong = |what: String| {
        Error::invalid_options(format!("the settings file {}: {what}; mend it or remove it", path.display()))
    };
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(wrong(format!("it cannot be read: {error}"))),
    };
    check(place, &file).map_err(wrong)?;
    let mut bytes = Vec::new();
    file.take(MAX_SETTINGS_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| wrong(format!("it cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_SETTINGS_BYTES {
        return Err(wrong(format!("it has more than {MAX_SETTINGS_BYTES} bytes")));
    }
    let (settings, unknown) = content::read(&bytes).map_err(wrong)?;
    // What an administrator meant to forbid and misspelt must not be allowed.
    if let (SettingsPlace::Managed, Some(first)) = (place, unknown.first()) {
        return Err(wrong(first.clone()));
    }
    let notices = unknown.into_iter().map(|what| format!("the settings file {}: {what}", path.display())).collect();
    Ok(Some(SettingsFile { place, path: path.to_owned(), settings, notices }))
}

/// Opens without waiting: a pipe in place of the file would keep an agent from being made.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let no_wait = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, no_wait);
    }
    options.open(path)
}

/// Looks at the file that was opened, whatever stands under its name by now.
fn check(place: SettingsPlace, file: &File) -> Result<(), String> {
    let metadata = file.metadata().map_err(|error| format!("it cannot be read: {error}"))?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    #[cfg(unix)]
    if place == SettingsPlace::Managed {
        use std::os::unix::fs::MetadataExt;
        let (owner, us) = (metadata.uid(), rustix::process::geteuid().as_raw());
        if owner != 0 && owner != us {
            return Err(format!("it belongs to user {owner}; expected root or this user"));
        }
        if metadata.mode() & 0o022 != 0 {
            return Err("others than its owner can write to it; run chmod go-w".to_owned());
        }
    }
    Ok(())
}
