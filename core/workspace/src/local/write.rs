//! Replacing a file's content, and removing a file: in one step wherever the system can, and not at all once stopped.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};

use cap_std::fs::{Dir, File, MetadataExt, Permissions};
use cap_tempfile::TempFile;
use lodger_protocol::{Error, ErrorCode, FileId, Result};

use super::file::{Folder, Held, LocalFile, STEP, State};
use super::os::{Access, file_id, open_entry, open_folder_below};
use super::place::{explain, path_changed};
use crate::{StopFlag, WriteReport};

/// Writes, and moves `state` on to what stands there then. A file that is made gets the mode bits `mode`.
pub(super) fn write(
    file: &LocalFile,
    state: &mut State,
    content: &[u8],
    mode: Option<u32>,
    stop: &StopFlag,
) -> Result<WriteReport> {
    file.verify_unchanged(state)?;
    go_on(file, stop)?;
    let mut made = Folders::default();
    let outcome = match &state.folder {
        Folder::Open(dir) => replace(file, state, dir, content, mode, stop),
        Folder::Missing(nearest, missing) => {
            made.make(nearest, missing).map_err(|error| explain(file.given(), &error)).and_then(|dir| {
                let written = replace(file, state, &dir, content, mode, stop);
                written.map(|written| Written { folder: Some(dir), ..written })
            })
        }
    };
    let written = match outcome {
        Ok(written) => written,
        Err(error) => {
            made.take_back();
            return Err(error);
        }
    };
    let report = WriteReport { created: state.file.is_none(), atomic: written.atomic };
    if let Some(dir) = written.folder {
        state.folder = Folder::Open(dir);
    }
    match (written.held, &mut state.file) {
        (Some(held), file) => *file = Some(held),
        // Written in place: what was read of it is over.
        (None, Some(held)) => held.read = None,
        (None, None) => {}
    }
    Ok(report)
}

/// Removes the file, and moves `state` on.
pub(super) fn remove(file: &LocalFile, state: &mut State, stop: &StopFlag) -> Result<()> {
    let _turn = file.shared.turn();
    file.verify_unchanged(state)?;
    go_on(file, stop)?;
    let (Folder::Open(dir), Some(_)) = (&state.folder, &state.file) else {
        return Err(explain(file.given(), &io::ErrorKind::NotFound.into()));
    };
    dir.remove_file(&file.name).map_err(|error| explain(file.given(), &error))?;
    state.file = None;
    Ok(())
}

struct Written {
    atomic: bool,
    /// The new file, where it is another one than before.
    held: Option<Held>,
    /// The folder, where it had to be made.
    folder: Option<Dir>,
}

fn replace(
    file: &LocalFile,
    state: &State,
    dir: &Dir,
    content: &[u8],
    mode: Option<u32>,
    stop: &StopFlag,
) -> Result<Written> {
    let explained = |error: io::Error| explain(file.given(), &error);
    let old = match &state.file {
        Some(held) => Some(Old::open(file, dir, held.id)?),
        None => None,
    };
    if let Some(old) = &old
        && old.links > 1
    {
        return in_place(file, state, old, content, stop);
    }
    let mut temporary = match TempFile::new(dir) {
        Ok(temporary) => temporary,
        Err(error) => return or_in_place(error, file, state, old.as_ref(), content, stop),
    };
    for step in content.chunks(STEP) {
        go_on(file, stop)?;
        temporary.write_all(step).map_err(explained)?;
    }
    if let Some(old) = &old {
        let metadata = temporary.as_file().metadata().map_err(explained)?;
        if old.owner != (metadata.uid(), metadata.gid()) {
            drop(temporary);
            return in_place(file, state, old, content, stop);
        }
        temporary.as_file().set_permissions(old.permissions.clone()).map_err(explained)?;
    } else if let Some(mode) = mode {
        temporary
            .as_file()
            .set_permissions(Permissions::from_std(fs::Permissions::from_mode(mode)))
            .map_err(explained)?;
    }
    let kept = temporary.as_file().try_clone().map_err(explained)?;
    let id = file_id(&kept.metadata().map_err(explained)?);
    let turn = file.shared.turn();
    file.verify_unchanged(state)?;
    go_on(file, stop)?;
    let replaced = temporary.replace(&file.name);
    drop(turn);
    match replaced {
        Ok(()) => {
            let held = Held::new(id, Some(kept.into_std()));
            Ok(Written { atomic: true, held: Some(held), folder: None })
        }
        Err(error) => or_in_place(error, file, state, old.as_ref(), content, stop),
    }
}

/// A file that cannot be replaced, as it is a mount point or its folder takes no new file, can perhaps still
/// be written.
fn or_in_place(
    error: io::Error,
    file: &LocalFile,
    state: &State,
    old: Option<&Old>,
    content: &[u8],
    stop: &StopFlag,
) -> Result<Written> {
    let hopeful = matches!(
        error.kind(),
        io::ErrorKind::ResourceBusy | io::ErrorKind::CrossesDevices | io::ErrorKind::PermissionDenied
    );
    match old {
        Some(old) if hopeful => in_place(file, state, old, content, stop),
        _ => Err(explain(file.given(), &error)),
    }
}

/// Once begun it is brought to its end: half a file would be worse than a late one.
fn in_place(file: &LocalFile, state: &State, old: &Old, content: &[u8], stop: &StopFlag) -> Result<Written> {
    let target = match &old.target {
        Ok(target) => target,
        Err(error) => return Err(explain(file.given(), error)),
    };
    let _turn = file.shared.turn();
    file.verify_unchanged(state)?;
    go_on(file, stop)?;
    target.write_all_at(content, 0).and_then(|()| target.set_len(content.len() as u64)).map_err(|error| {
        Error::invalid_input(format!(
            "writing failed on the way, so that a part of the old content may be lost: {}: {error}",
            file.given()
        ))
    })?;
    Ok(Written { atomic: false, held: None, folder: None })
}

/// The file that is about to be replaced.
struct Old {
    /// Open for writing, without being cut.
    target: io::Result<fs::File>,
    permissions: Permissions,
    owner: (u32, u32),
    links: u64,
}

impl Old {
    fn open(file: &LocalFile, dir: &Dir, id: FileId) -> Result<Self> {
        let target = match open_entry(dir, &file.name, Access::Write) {
            Ok(target) => Ok(target),
            // A program that runs cannot be written, but it can be replaced.
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => Err(error),
            Err(error) => return Err(explain(file.given(), &error)),
        };
        let metadata = match &target {
            Ok(target) => target.metadata(),
            Err(_) => dir.symlink_metadata(&file.name),
        }
        .map_err(|error| explain(file.given(), &error))?;
        if file_id(&metadata) != id {
            return Err(path_changed(file.given()));
        }
        Ok(Self {
            target: target.map(File::into_std),
            permissions: metadata.permissions(),
            owner: (metadata.uid(), metadata.gid()),
            links: metadata.nlink(),
        })
    }
}

/// The folders that had to be made, so that they can be taken back.
#[derive(Default)]
struct Folders(Vec<(Dir, OsString)>);

impl Folders {
    fn make(&mut self, nearest: &Dir, names: &[OsString]) -> io::Result<Dir> {
        let mut dir = nearest.try_clone()?;
        for name in names {
            match dir.create_dir(name) {
                Ok(()) => self.0.push((dir.try_clone()?, name.clone())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            dir = open_folder_below(&dir, name.as_ref())?;
        }
        Ok(dir)
    }

    /// Removes them again, as far as nobody else has put something in.
    fn take_back(self) {
        for (dir, name) in self.0.iter().rev() {
            dir.remove_dir(name).ok();
        }
    }
}

fn go_on(file: &LocalFile, stop: &StopFlag) -> Result<()> {
    if stop.is_raised() {
        return Err(Error::new(ErrorCode::Closed, format!("stopped before anything was changed: {}", file.given())));
    }
    Ok(())
}
