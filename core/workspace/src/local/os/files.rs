//! Opening by handle, without following links, and telling files apart.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, FileTypeExt, Metadata, MetadataExt};
use lodger_protocol::FileId;
use rustix::fs::{Mode, OFlags, openat};

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::local) enum Access {
    /// To look at it.
    Read,
    /// To change it; it is not cut.
    Write,
}

/// What a file is called that is neither a regular file, nor a folder, nor a link.
pub(in crate::local) fn special_kind(kind: &FileType) -> &'static str {
    if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() || kind.is_char_device() {
        "a device"
    } else {
        "a special file"
    }
}

/// Device and inode.
pub(in crate::local) fn file_id(metadata: &Metadata) -> FileId {
    FileId { device: metadata.dev(), inode: metadata.ino() }
}

/// Opens one entry of a folder. Never follows a link, never waits for the other end of a FIFO.
pub(in crate::local) fn open_entry(folder: &Dir, name: &OsStr, access: Access) -> io::Result<cap_std::fs::File> {
    let how = match access {
        Access::Read => OFlags::RDONLY,
        Access::Write => OFlags::WRONLY,
    };
    let flags = how | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(cap_std::fs::File::from_std(File::from(openat(folder, name, flags, Mode::empty())?)))
}

/// Opens a folder below another by a relative path that has no links in it; a link on the way is an error.
pub(in crate::local) fn open_folder_below(base: &Dir, relative: &Path) -> io::Result<Dir> {
    if relative.as_os_str().is_empty() {
        return base.try_clone();
    }
    #[cfg(target_os = "linux")]
    if let Some(opened) = linux::open_folder(base, relative, true) {
        return opened;
    }
    base.open_dir(relative)
}

/// Opens a file below a folder, to read it, by a relative path that has no links in it; a link on the way, or at its
/// end, is an error.
pub(in crate::local) fn open_file_below(base: &Dir, relative: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if let Some(opened) = linux::open_file(base, relative) {
        return opened;
    }
    let (Some(parent), Some(name)) = (relative.parent(), relative.file_name()) else {
        return Err(io::ErrorKind::IsADirectory.into());
    };
    Ok(open_entry(&open_folder_below(base, parent)?, name, Access::Read)?.into_std())
}

/// Opens a folder by its canonical path; a link on the way is an error where the system can tell.
pub(in crate::local) fn open_folder(canonical: &Path) -> io::Result<Dir> {
    #[cfg(target_os = "linux")]
    if let Some(opened) = linux::open_folder(rustix::fs::CWD, canonical, false) {
        return opened;
    }
    Dir::open_ambient_dir(canonical, ambient_authority())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsFd;
    use std::path::Path;

    use cap_std::fs::Dir;
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    /// `None` when the kernel, or a filter around this process, does not know the call.
    pub(super) fn open_folder(base: impl AsFd, path: &Path, beneath: bool) -> Option<io::Result<Dir>> {
        let mut resolve = ResolveFlags::NO_SYMLINKS;
        resolve.set(ResolveFlags::BENEATH, beneath);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        open(base, path, flags, resolve).map(|opened| opened.map(Dir::from_std_file))
    }

    /// As above.
    pub(super) fn open_file(base: impl AsFd, path: &Path) -> Option<io::Result<File>> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        open(base, path, flags, ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH)
    }

    fn open(base: impl AsFd, path: &Path, flags: OFlags, resolve: ResolveFlags) -> Option<io::Result<File>> {
        match openat2(base, path, flags, Mode::empty(), resolve) {
            Ok(fd) => Some(Ok(File::from(fd))),
            Err(Errno::NOSYS | Errno::PERM) => None,
            Err(error) => Some(Err(error.into())),
        }
    }
}
