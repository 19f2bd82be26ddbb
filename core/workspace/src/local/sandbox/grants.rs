//! Grants of rights on trees of files, some of whose paths are closed.
//!
//! Landlock knows no exceptions: a right on a folder is one on all that is ever in it. Where something in a folder is
//! closed, the rights go to each of its other entries instead, one by one. The folder itself gets none: nothing can be
//! made, renamed or linked in it, or what is closed could be had under another name.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use landlock::{AccessFs, BitFlags, PathBeneath, RulesetCreated, RulesetCreatedAttr, make_bitflags};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, stat};

use super::failed;
use super::places::Place;

/// At most so many entries get rights one by one for one command.
const MAX_GRANTS: usize = 8192;
/// What can be granted on something that is no folder.
const OF_FILES: BitFlags<AccessFs> = make_bitflags!(AccessFs::{Execute | WriteFile | ReadFile | Truncate | IoctlDev});

/// Paths that get no rights, as they are at this moment.
pub(super) struct Closed {
    paths: Vec<PathBuf>,
    /// The same by device and inode: a second name in the same folder opens nothing.
    objects: HashSet<(u64, u64)>,
}

impl Closed {
    /// The paths must be canonical.
    pub(super) fn new(paths: Vec<PathBuf>) -> Self {
        let objects = paths.iter().filter_map(|path| stat(path).ok()).map(|stat| object(&stat)).collect();
        Self { paths, objects }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether a path is closed, or lies in what is.
    fn holds(&self, path: &Path) -> bool {
        self.paths.iter().any(|closed| path.starts_with(closed))
    }

    /// Whether something below a path is closed.
    fn is_below(&self, path: &Path) -> bool {
        self.paths.iter().any(|closed| closed.starts_with(path))
    }
}

/// Rules that are being made.
pub(super) struct Grants<'a> {
    ruleset: RulesetCreated,
    closed: &'a Closed,
    left: usize,
}

impl<'a> Grants<'a> {
    pub(super) const fn new(ruleset: RulesetCreated, closed: &'a Closed) -> Self {
        Self { ruleset, closed, left: MAX_GRANTS }
    }

    pub(super) fn into_ruleset(self) -> RulesetCreated {
        self.ruleset
    }

    /// Rights on a folder that is held, and all in it that is not closed.
    pub(super) fn allow_place(&mut self, place: &Place, access: BitFlags<AccessFs>) -> io::Result<()> {
        self.allow_tree(place.path(), place.as_fd(), access)
    }

    /// Rights on what stands at a path, and all in it that is not closed. Nothing, if nothing stands there.
    pub(super) fn allow_path(&mut self, path: &str, access: BitFlags<AccessFs>) -> io::Result<()> {
        let Ok(entry) = open(CWD, OsStr::new(path)) else { return Ok(()) };
        self.allow_tree(Path::new(path), entry.as_fd(), access)
    }

    /// Rights on what stands at a path and all in it, closed or not.
    pub(super) fn allow_path_itself(&mut self, path: &str, access: BitFlags<AccessFs>) -> io::Result<()> {
        let Ok(entry) = open(CWD, OsStr::new(path)) else { return Ok(()) };
        self.add(entry.as_fd(), access)
    }

    fn allow_tree(&mut self, path: &Path, entry: BorrowedFd<'_>, access: BitFlags<AccessFs>) -> io::Result<()> {
        if self.closed.holds(path) {
            return Ok(());
        }
        let kind = FileType::from_raw_mode(fstat(entry)?.st_mode);
        match kind {
            FileType::Directory if self.closed.is_below(path) => self.divide(path, entry, access),
            FileType::Directory => self.add(entry, access),
            // Rights on a link would be rights on what it leads to.
            FileType::Symlink => Ok(()),
            _ => self.add(entry, access & OF_FILES),
        }
    }

    /// Rights on each entry of a folder but those that are closed.
    fn divide(&mut self, path: &Path, folder: BorrowedFd<'_>, access: BitFlags<AccessFs>) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // What cannot be listed gets no rights; the same goes for an entry that goes away meanwhile.
        let Ok(listed) = openat(folder, ".", flags, Mode::empty()) else { return Ok(()) };
        for name in Dir::new(listed)? {
            let name = name?;
            let name = OsStr::from_bytes(name.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let Ok(entry) = open(folder, name) else { continue };
            if fstat(&entry).is_ok_and(|stat| !self.closed.objects.contains(&object(&stat))) {
                self.allow_tree(&path.join(name), entry.as_fd(), access)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, entry: BorrowedFd<'_>, access: BitFlags<AccessFs>) -> io::Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            failed(format_args!(
                "the folders on the way to what deny rules close have more than {MAX_GRANTS} entries; use kind bubblewrap"
            ))
        })?;
        // Adding needs a ruleset of its own for a moment, which is no more than a second descriptor.
        (&mut self.ruleset).add_rule(PathBeneath::new(entry, access)).map(drop).map_err(failed)
    }
}

/// A handle on an entry that gives no access to its content. A link is not followed.
fn open(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?)
}

fn object(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}
