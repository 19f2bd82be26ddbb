//! The folders that commands may write to, and the paths that they may not read.
//!
//! A folder is held open from the start: what a command puts in its place later gives it no new right.

use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lodger_protocol::{Error, Result, SandboxRights};
use rustix::fs::{CWD, Mode, OFlags, fstat, openat, stat};
use tempfile::TempDir;

use super::failed;

/// At most so many writable folders beside the roots.
const MAX_WRITABLE_ROOTS: usize = 64;
/// At most so many paths that may not be read.
const MAX_UNREADABLE: usize = 256;

/// What a workspace stands on.
pub(in crate::local) struct Ground<'a> {
    /// Where relative paths start from, canonical.
    pub(in crate::local) cwd: &'a Path,
    /// The folders that the agent may use, canonical.
    pub(in crate::local) roots: Vec<PathBuf>,
    /// Where temporary files are made.
    pub(in crate::local) temporary: PathBuf,
    /// Absolute paths that commands may not read.
    pub(in crate::local) unreadable: Vec<PathBuf>,
}

pub(super) struct Places {
    roots: Vec<Place>,
    more: Vec<Place>,
    unreadable: Vec<PathBuf>,
    temporary_base: PathBuf,
    temporary: Mutex<Temporary>,
}

/// A folder that is held open.
pub(super) struct Place {
    path: PathBuf,
    handle: OwnedFd,
}

enum Temporary {
    NotYet,
    There(TempDir, Arc<Place>),
    Removed,
}

impl Places {
    pub(super) fn new(rights: &SandboxRights, ground: Ground<'_>) -> Result<Self> {
        if rights.writable_roots.len() > MAX_WRITABLE_ROOTS {
            return Err(Error::invalid_options(format!(
                "option sandbox.writableRoots has {} entries; at most {MAX_WRITABLE_ROOTS} are taken",
                rights.writable_roots.len()
            )));
        }
        if ground.unreadable.len() > MAX_UNREADABLE {
            return Err(Error::invalid_options(format!(
                "{} deny rules name paths that commands may not read; a sandbox takes at most {MAX_UNREADABLE}",
                ground.unreadable.len()
            )));
        }
        let writable = |root: &String| Place::open("sandbox.writableRoots", &ground.cwd.join(root));
        Ok(Self {
            roots: ground.roots.iter().map(|root| Place::open("roots", root)).collect::<Result<_>>()?,
            more: rights.writable_roots.iter().map(writable).collect::<Result<_>>()?,
            unreadable: ground.unreadable,
            temporary_base: ground.temporary,
            temporary: Mutex::new(Temporary::NotYet),
        })
    }

    /// The roots of the workspace.
    pub(super) fn roots(&self) -> &[Place] {
        &self.roots
    }

    /// The folders that commands may write to beside the roots.
    pub(super) fn more(&self) -> &[Place] {
        &self.more
    }

    /// Where the paths that may not be read really lead at this moment; those that lead nowhere are left out.
    pub(super) fn unreadable(&self) -> Vec<PathBuf> {
        self.unreadable.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
    }

    /// The folder for temporary files, for the owner alone; made with the first command.
    pub(super) fn temporary(&self) -> io::Result<Arc<Place>> {
        let mut temporary = self.temporary.lock().unwrap_or_else(PoisonError::into_inner);
        match &*temporary {
            Temporary::There(_, place) => return Ok(Arc::clone(place)),
            Temporary::Removed => return Err(failed("the workspace was shut down")),
            Temporary::NotYet => {}
        }
        let base = fs::canonicalize(&self.temporary_base)
            .map_err(|error| failed(format_args!("{}: {error}", self.temporary_base.display())))?;
        let owner_only = Permissions::from_mode(0o700);
        let folder =
            tempfile::Builder::new().prefix("lodger-").permissions(owner_only).tempdir_in(&base).map_err(|error| {
                failed(format_args!("no folder for temporary files in {}: {error}", base.display()))
            })?;
        let place = Arc::new(Place::hold(folder.path().to_owned())?);
        *temporary = Temporary::There(folder, Arc::clone(&place));
        Ok(place)
    }

    /// Removes the folder for temporary files; none is made afterwards.
    pub(super) fn remove_temporary(&self) {
        let mut temporary = self.temporary.lock().unwrap_or_else(PoisonError::into_inner);
        if let Temporary::There(folder, _) = std::mem::replace(&mut *temporary, Temporary::Removed) {
            folder.close().ok();
        }
    }
}

impl Place {
    fn open(option: &str, path: &Path) -> Result<Self> {
        let open = || {
            let canonical = fs::canonicalize(path)?;
            if !canonical.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            Self::hold(canonical)
        };
        open().map_err(|error| {
            Error::invalid_options(format!(
                "option {option}: expected an existing folder, the system says {error}: {}",
                path.display()
            ))
        })
    }

    fn hold(path: PathBuf) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = openat(CWD, &path, flags, Mode::empty())?;
        Ok(Self { path, handle })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its path still leads to it.
    pub(super) fn still_stands(&self) -> bool {
        match (fstat(&self.handle), stat(&self.path)) {
            (Ok(held), Ok(found)) => (held.st_dev, held.st_ino) == (found.st_dev, found.st_ino),
            _ => false,
        }
    }
}

impl AsFd for Place {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}
