//! A file of the real machine, held by the folder it stands in and, if it exists, by itself.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::fs::{Dir, File};
use lodger_protocol::{Error, FileId, Intent, ResolvedAccess, Result};

use super::os::{self, Access, file_id, open_entry};
use super::place::{canonical_place, explain, folder, path_changed};
use super::shared::SharedFiles;
use super::write::{remove, write};
use crate::{FileHandle, StopFlag, WriteReport};

/// How much is read at once.
pub(super) const STEP: usize = 64 * 1024;

/// A resolved file.
pub(super) struct LocalFile {
    access: ResolvedAccess,
    /// The path that was given, made absolute.
    full: PathBuf,
    pub(super) name: OsString,
    pub(super) shared: Arc<SharedFiles>,
    state: Mutex<State>,
}

/// What is known of the file; a write moves it on.
pub(super) struct State {
    pub(super) folder: Folder,
    pub(super) file: Option<Held>,
}

/// The folder that the file stands in.
pub(super) enum Folder {
    /// It exists.
    Open(Dir),
    /// It does not: the nearest one that does, and the names that are missing below it.
    Missing(Dir, Vec<OsString>),
}

/// An existing file. As long as it is held its number cannot be given to another one.
pub(super) struct Held {
    pub(super) id: FileId,
    /// Absent when it may be written but not read.
    pub(super) content: Option<fs::File>,
    /// What it was like when its content was last read through this handle.
    pub(super) read: Option<Stamp>,
}

impl Held {
    pub(super) const fn new(id: FileId, content: Option<fs::File>) -> Self {
        Self { id, content, read: None }
    }
}

/// What changes of a file whenever its content does, as finely as the file system's clock goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(file: &fs::File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

impl LocalFile {
    /// Takes hold of what stands at `access.canonical`, and fills in what is known of it.
    pub(super) fn hold(
        mut access: ResolvedAccess,
        full: PathBuf,
        name: &OsStr,
        folder: Folder,
        shared: Arc<SharedFiles>,
    ) -> Result<Self> {
        let file = match &folder {
            Folder::Open(dir) => hold_entry(&mut access, dir, name)?,
            Folder::Missing(..) => None,
        };
        Ok(Self { access, full, name: name.to_owned(), shared, state: Mutex::new(State { folder, file }) })
    }

    /// The path as the model gave it.
    pub(super) fn given(&self) -> &str {
        &self.access.given
    }

    /// Fails unless the path still leads to the very object that was resolved, or still to nothing.
    pub(super) fn verify(&self, state: &State) -> Result<()> {
        let changed = || path_changed(&self.access.given);
        let canonical = canonical_place(&self.full).map_err(|_| changed())?;
        if canonical != self.access.canonical {
            return Err(changed());
        }
        let Folder::Open(dir) = &state.folder else {
            return if canonical.symlink_metadata().is_err() { Ok(()) } else { Err(changed()) };
        };
        let held_folder = dir.dir_metadata().map_err(|_| changed())?;
        if id_of(canonical.parent().unwrap_or(Path::new("/"))) != Some(file_id(&held_folder)) {
            return Err(changed());
        }
        let now = dir.symlink_metadata(&self.name).ok().map(|metadata| file_id(&metadata));
        if now == state.file.as_ref().map(|file| file.id) { Ok(()) } else { Err(changed()) }
    }

    /// As [`verify`](Self::verify), and fails when somebody changed the content since it was read: what is about to be
    /// written was made from what was read.
    pub(super) fn verify_unchanged(&self, state: &State) -> Result<()> {
        self.verify(state)?;
        match &state.file {
            Some(Held { content: Some(content), read: Some(read), .. }) if Stamp::of(content).ok() != Some(*read) => {
                Err(path_changed(&self.access.given))
            }
            _ => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileHandle for LocalFile {
    fn access(&self) -> &ResolvedAccess {
        &self.access
    }

    fn read(&self, max_bytes: u64) -> Result<(Vec<u8>, u64)> {
        let mut state = self.lock();
        self.verify(&state)?;
        let Some(held) = &mut state.file else {
            return Err(explain(self.given(), &io::ErrorKind::NotFound.into()));
        };
        let Some(content) = &held.content else {
            return Err(explain(self.given(), &io::ErrorKind::PermissionDenied.into()));
        };
        let explained = |error: io::Error| explain(self.given(), &error);
        // Taken first, so that what changes while it is read counts as changed.
        held.read = Some(Stamp::of(content).map_err(explained)?);
        read_all(content, max_bytes).map_err(explained)
    }

    fn write(&self, content: &[u8], stop: &StopFlag) -> Result<WriteReport> {
        write(self, &mut self.lock(), content, None, stop)
    }

    fn write_new(&self, content: &[u8], mode: Option<u32>, stop: &StopFlag) -> Result<WriteReport> {
        let mut state = self.lock();
        if state.file.is_some() {
            return Err(path_changed(self.given()));
        }
        write(self, &mut state, content, mode, stop)
    }

    fn remove(&self, stop: &StopFlag) -> Result<()> {
        remove(self, &mut self.lock(), stop)
    }

    fn mode(&self) -> Option<u32> {
        let state = self.lock();
        let (Folder::Open(dir), Some(held)) = (&state.folder, &state.file) else { return None };
        let metadata = dir.symlink_metadata(&self.name).ok().filter(|metadata| file_id(metadata) == held.id)?;
        Some(cap_std::fs::MetadataExt::mode(&metadata) & 0o7777)
    }
}

fn id_of(path: &Path) -> Option<FileId> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some(FileId { device: metadata.dev(), inode: metadata.ino() })
}

fn hold_entry(access: &mut ResolvedAccess, dir: &Dir, name: &OsStr) -> Result<Option<Held>> {
    let given = access.given.clone();
    let metadata = match dir.symlink_metadata(name) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(explain(&given, &error)),
    };
    refuse_special(&given, &metadata)?;
    let id = file_id(&metadata);
    let content = match open_entry(dir, name, Access::Read) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && access.intent == Intent::Write => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(path_changed(&given)),
        Err(error) => return Err(explain(&given, &error)),
    };
    if let Some(file) = &content {
        let opened = file.metadata().map_err(|error| explain(&given, &error))?;
        if file_id(&opened) != id {
            return Err(path_changed(&given));
        }
    }
    access.file_id = Some(id);
    access.link_count = cap_std::fs::MetadataExt::nlink(&metadata);
    Ok(Some(Held::new(id, content.map(File::into_std))))
}

/// Only regular files are read and written: opening anything else can block or do harm.
fn refuse_special(given: &str, metadata: &cap_std::fs::Metadata) -> Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_symlink() {
        return Err(path_changed(given));
    }
    if kind.is_dir() {
        return Err(Error::invalid_input(folder(given)));
    }
    let what = os::special_kind(&kind);
    Err(Error::invalid_input(format!(
        "this is {what} and not a regular file, so it is neither read nor written: {given}"
    )))
}

fn read_all(file: &fs::File, max_bytes: u64) -> io::Result<(Vec<u8>, u64)> {
    let size = file.metadata()?.len();
    let wanted = usize::try_from(max_bytes.min(size)).unwrap_or(usize::MAX);
    let mut content = Vec::new();
    content.try_reserve(wanted)?;
    let mut buffer = vec![0; STEP];
    // Read to the end and not to the size: some files have more than they say.
    while (content.len() as u64) < max_bytes {
        let room = usize::try_from(max_bytes - content.len() as u64).unwrap_or(STEP).min(STEP);
        let Some(free) = buffer.get_mut(..room) else { break };
        match file.read_at(free, content.len() as u64) {
            Ok(0) => break,
            Ok(count) => content.extend(free.iter().take(count)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let read = content.len() as u64;
    Ok((content, size.max(read)))
}
