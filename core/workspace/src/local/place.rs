//! Where a path really leads, also for files that do not exist yet.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lodger_protocol::{Error, ErrorCode, Result};

/// As many links as the kernel follows.
const MAX_LINKS: usize = 40;
/// Folders whose content is not a file of the project: version control's, and our own.
pub(super) const PROTECTED: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".lodger"];

/// The absolute path without links and dots that `path` stands for. What does not exist yet is appended to the
/// nearest folder that does; dangling links are followed to where they point.
pub(super) fn canonical_place(path: &Path) -> io::Result<PathBuf> {
    follow(path, MAX_LINKS)
}

fn follow(path: &Path, links_left: usize) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    // Nothing that goes up from a folder that does not exist has a meaning.
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    if !is_link {
        return Ok(follow(parent, links_left)?.join(name));
    }
    if links_left == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many links lead to one another"));
    }
    follow(&parent.join(fs::read_link(path)?), links_left - 1)
}

/// The folder and the name of a canonical path.
pub(super) fn split(canonical: &Path) -> Option<(&Path, &OsStr)> {
    Some((canonical.parent()?, canonical.file_name()?))
}

/// The nearest folder on the way to `folder` that exists, and the names that are missing below it.
pub(super) fn nearest_existing(folder: &Path) -> (&Path, Vec<OsString>) {
    let mut missing = Vec::new();
    let mut nearest = folder;
    while !nearest.is_dir()
        && let Some((parent, name)) = split(nearest)
    {
        missing.push(name.to_owned());
        nearest = parent;
    }
    missing.reverse();
    (nearest, missing)
}

/// Whether a canonical path is, or lies in, a folder of version control or of Lodger itself. Case is ignored,
/// since some file systems do.
pub(super) fn is_protected(canonical: &Path) -> bool {
    canonical.components().any(|part| is_protected_name(part.as_os_str()))
}

/// Whether a folder of that name belongs to version control or to Lodger itself.
pub(super) fn is_protected_name(name: &OsStr) -> bool {
    PROTECTED.iter().any(|protected| name.eq_ignore_ascii_case(OsStr::new(protected)))
}

/// An error about a file, in words for the model.
pub(super) fn explain(given: &str, error: &io::Error) -> Error {
    let text = match error.kind() {
        io::ErrorKind::NotFound => format!("no such file: {given}"),
        io::ErrorKind::PermissionDenied => format!("the system gives no permission for this file: {given}"),
        io::ErrorKind::NotADirectory => format!("a part of this path is a file and not a folder: {given}"),
        io::ErrorKind::IsADirectory => folder(given),
        io::ErrorKind::ReadOnlyFilesystem => format!("the file system is read-only: {given}"),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => format!("no space is left for this file: {given}"),
        _ => format!("the system cannot do that with {given}: {error}"),
    };
    Error::invalid_input(text)
}

/// Says that a folder stands where a file is needed.
pub(super) fn folder(given: &str) -> String {
    format!("this is a folder, and a file is needed: {given}")
}

/// Another object stands there now.
pub(super) fn path_changed(given: &str) -> Error {
    Error::new(
        ErrorCode::PathChanged,
        format!("something else stands at this path than when it was looked at; read it again: {given}"),
    )
}

/// Refuses what cannot be a path at all.
pub(super) fn check(given: &str) -> Result<()> {
    if given.is_empty() {
        return Err(Error::invalid_input("the path is empty; expected the path of a file or folder"));
    }
    if given.contains('\0') {
        return Err(Error::invalid_input("the path holds a NUL character, which no path can"));
    }
    Ok(())
}

/// Refuses what cannot be the path of a file.
pub(super) fn check_file(given: &str) -> Result<()> {
    check(given)?;
    if given.ends_with('/') || given.ends_with("/.") || given == "." {
        return Err(Error::invalid_input(folder(given)));
    }
    Ok(())
}
