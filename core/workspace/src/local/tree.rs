//! A folder or file of the real machine that is looked through: held by a handle, walked by its path, and every file
//! opened below the handle, so that a folder that is exchanged for a link on the way leads nowhere.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;
use lodger_protocol::{Error, FileId, ResolvedAccess, Result};

use super::os::{file_id, open_file_below, open_folder_below};
use super::place::{canonical_place, explain, path_changed, split};
use super::shared::SharedFiles;
use super::walk;
use crate::{Found, FoundKind, Tree, Visitor, Walk, Walked};

/// A resolved folder, or one file.
pub(super) struct LocalTree {
    pub(super) access: ResolvedAccess,
    /// The path that was given, made absolute.
    pub(super) full: PathBuf,
    /// The folder itself, or the one that the file stands in.
    pub(super) base: Dir,
    pub(super) base_path: PathBuf,
    pub(super) is_folder: bool,
    pub(super) id: FileId,
    pub(super) shared: Arc<SharedFiles>,
}

impl LocalTree {
    /// Fails unless the path still leads to the very object that was resolved.
    fn verify(&self) -> Result<()> {
        let changed = || path_changed(&self.access.given);
        let canonical = canonical_place(&self.full).map_err(|_| changed())?;
        if canonical != self.access.canonical || id_below(&self.base, self.name()) != Some(self.id) {
            return Err(changed());
        }
        Ok(())
    }

    /// The name of the one file below the base.
    fn name(&self) -> Option<&Path> {
        if self.is_folder { None } else { self.access.canonical.strip_prefix(&self.base_path).ok() }
    }

    /// Opens a file that a walk found.
    pub(super) fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let relative = path.strip_prefix(&self.base_path).map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
        let file = open_file_below(&self.base, relative)?;
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(Box::new(file))
    }
}

/// What stands at a name in a folder, or the folder itself.
pub(super) fn id_below(base: &Dir, name: Option<&Path>) -> Option<FileId> {
    let metadata = match name {
        Some(name) => base.symlink_metadata(name),
        None => base.dir_metadata(),
    };
    metadata.ok().map(|metadata| file_id(&metadata))
}

impl Tree for LocalTree {
    fn access(&self) -> &ResolvedAccess {
        &self.access
    }

    fn is_folder(&self) -> bool {
        self.is_folder
    }

    fn walk<'s>(&'s self, walk: &'s Walk, visitors: &mut dyn FnMut() -> Visitor<'s>) -> Result<Walked> {
        self.verify()?;
        if self.is_folder {
            return Ok(walk::walk(self, walk, visitors));
        }
        let path = &self.access.canonical;
        // There is one thing to visit: it does not matter what comes of the visit.
        let _ = visitors()(&Found::new(path, FoundKind::File, &|| self.open(path)));
        Ok(Walked::default())
    }

    fn holds(&self, path: &Path) -> bool {
        let Some((parent, name)) = path.strip_prefix(&self.base_path).ok().and_then(split) else { return false };
        open_folder_below(&self.base, parent).is_ok_and(|folder| folder.symlink_metadata(name).is_ok())
    }
}

/// Refuses what is neither a folder nor a regular file.
pub(super) fn is_folder(given: &str, canonical: &Path) -> Result<bool> {
    let metadata = fs::symlink_metadata(canonical).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::invalid_input(format!("there is no such file or folder: {given}")),
        _ => explain(given, &error),
    })?;
    if metadata.is_dir() || metadata.is_file() {
        return Ok(metadata.is_dir());
    }
    Err(Error::invalid_input(format!("this is neither a folder nor a regular file: {given}")))
}
