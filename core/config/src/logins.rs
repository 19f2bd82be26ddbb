//! Saved logins: one file for each provider, for its owner alone.
//!
//! A file is whole or not there: it is written beside, flushed and put in place. Whoever changes one holds its lock, which
//! processes share; whoever only reads needs none.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use lodger_protocol::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::SavedLogin;

/// A saved login is not longer.
const MAX_LOGIN_BYTES: u64 = 256 * 1024;
/// The form of the files.
const VERSION: u32 = 1;

/// The saved logins of one config folder.
#[derive(Clone, Debug)]
pub struct Logins(PathBuf);

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    provider: String,
    login: SavedLogin,
}

/// Only what tells the form, for one that cannot be read otherwise.
#[derive(Deserialize)]
struct Form {
    version: u32,
}

impl Logins {
    pub(crate) const fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// What is saved for a provider.
    ///
    /// # Errors
    /// `invalid_options` for a name that no provider has; `provider_auth` for a file that is damaged, was written by a
    /// newer version or cannot be read. The message says what to do.
    pub fn load(&self, provider: &str) -> Result<Option<SavedLogin>> {
        check(provider)?;
        let path = self.path(provider);
        let unusable = |what: String| trouble(provider, &path, &what);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(format!("cannot be read: {error}"))),
        };
        let mut bytes = Vec::new();
        let read = file.take(MAX_LOGIN_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| unusable(format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > MAX_LOGIN_BYTES {
            return Err(unusable(format!("is damaged: it has more than {MAX_LOGIN_BYTES} bytes")));
        }
        match serde_json::from_slice::<Stored>(&bytes) {
            Ok(stored) if stored.version == VERSION && stored.provider == provider => Ok(Some(stored.login)),
            Ok(stored) if stored.version == VERSION => {
                Err(unusable("is damaged: it is that of another provider".to_owned()))
            }
            other => Err(unusable(match (serde_json::from_slice::<Form>(&bytes), other) {
                (Ok(form), _) if form.version > VERSION => "was written by a newer version".to_owned(),
                // What the parser found may be a secret; where it was is none.
                (_, Err(error)) => format!("is damaged, at line {} column {}", error.line(), error.column()),
                (_, Ok(_)) => "is damaged".to_owned(),
            })),
        }
    }

    /// The providers for which something is saved, sorted.
    ///
    /// # Errors
    /// `provider_auth` when the folder cannot be read.
    pub fn providers(&self) -> Result<Vec<String>> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(folder_trouble(&self.0, &error)),
        };
        let mut providers = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| folder_trouble(&self.0, &error))?;
            let name = entry.file_name().into_string().unwrap_or_default();
            providers.extend(name.strip_suffix(".json").filter(|name| is_word(name)).map(str::to_owned));
        }
        providers.sort();
        Ok(providers)
    }

    /// Takes the lock of a provider's login. `None`: another has it. Makes the folder, and finds out whether it can be
    /// written to, before anything irrevocable is done.
    ///
    /// # Errors
    /// `invalid_options` for a name that no provider has; `provider_auth` when the folder cannot be written to.
    pub fn try_lock(&self, provider: &str) -> Result<Option<LockedLogin>> {
        check(provider)?;
        let cannot = |error: io::Error| folder_trouble(&self.0, &error);
        make_private(&self.0).map_err(cannot)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(self.0.join(format!("{provider}.lock"))).map_err(cannot)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(cannot(error)),
        }
        let fresh = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.0).map_err(cannot)?;
        Ok(Some(LockedLogin { logins: self.clone(), provider: provider.to_owned(), fresh, _lock: lock }))
    }

    fn path(&self, provider: &str) -> PathBuf {
        self.0.join(format!("{provider}.json"))
    }
}

/// A login that nobody else changes meanwhile. Dropped, it lets the next one in.
#[derive(Debug)]
pub struct LockedLogin {
    logins: Logins,
    provider: String,
    /// For its owner alone from the first byte: so `tempfile` makes files.
    fresh: NamedTempFile,
    _lock: File,
}

impl LockedLogin {
    /// What is saved.
    ///
    /// # Errors
    /// As for [`Logins::load`].
    pub fn load(&self) -> Result<Option<SavedLogin>> {
        self.logins.load(&self.provider)
    }

    /// Saves a login in place of what was there.
    ///
    /// # Errors
    /// `provider_auth` when it cannot be written; what was there is still there.
    pub fn save(mut self, login: &SavedLogin) -> Result<()> {
        let stored = Stored { version: VERSION, provider: self.provider.clone(), login: login.clone() };
        let path = self.logins.path(&self.provider);
        let cannot = |error: io::Error| trouble(&self.provider, &path, &format!("cannot be written: {error}"));
        let bytes = serde_json::to_vec_pretty(&stored).map_err(|error| cannot(error.into()))?;
        self.fresh.write_all(&bytes).map_err(cannot)?;
        self.fresh.as_file().sync_all().map_err(cannot)?;
        self.fresh.persist(&path).map_err(|error| cannot(error.error))?;
        sync_folder(&self.logins.0).map_err(cannot)
    }

    /// Removes what is saved. True when there was something, whatever state it was in.
    ///
    /// # Errors
    /// `provider_auth` when it cannot be removed.
    pub fn remove(self) -> Result<bool> {
        let path = self.logins.path(&self.provider);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(trouble(&self.provider, &path, &format!("cannot be removed: {error}"))),
        }
    }
}

/// Makes a folder for its owner alone; one that is there already is made so.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn check(provider: &str) -> Result<()> {
    if is_word(provider) {
        return Ok(());
    }
    let found = provider.escape_debug();
    Err(Error::invalid_options(format!(
        "`{found}` is no provider's name; expected lower-case letters, digits, `-` and `_`"
    )))
}

/// What names a provider also names its file: nothing in it may lead elsewhere.
fn is_word(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&name.len()) && name.bytes().all(is_plain)
}

fn trouble(provider: &str, path: &Path, what: &str) -> Error {
    let path = path.display();
    Error::new(
        ErrorCode::ProviderAuth,
        format!(
            "the saved login of `{provider}` in {path} {what}; log in again with `lodger login {provider}`, or remove it \
             with `lodger logout {provider}`"
        ),
    )
}

fn folder_trouble(folder: &Path, error: &io::Error) -> Error {
    let folder = folder.display();
    Error::new(ErrorCode::ProviderAuth, format!("the folder of saved logins, {folder}, cannot be used: {error}"))
}
