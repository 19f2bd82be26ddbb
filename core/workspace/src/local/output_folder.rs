//! The private folder that keeps long output: made when the first file is, removed with all that is in it.
//!
//! A full or missing disk is never an error of the command whose output is kept.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodger_protocol::{Error, ErrorCode, Result};
use uuid::Uuid;

use crate::OutputFile;

/// Bytes of one file: as many as `read_file` takes in.
const MAX_OUTPUT_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes of all files of one workspace.
const MAX_OUTPUT_FOLDER_BYTES: u64 = 256 * 1024 * 1024;

pub(super) struct OutputFolder {
    /// The folder for temporary files that it is made in.
    base: PathBuf,
    /// A copy of the process must not remove what is not its own.
    made_by: u32,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    path: Option<PathBuf>,
    closed: bool,
    files: u64,
    bytes: u64,
}

impl OutputFolder {
    /// Makes nothing yet. `base` must be absolute.
    pub(super) fn new(base: PathBuf) -> Self {
        Self { base, made_by: process::id(), state: Arc::default() }
    }

    /// Makes a new file, and the folder if need be.
    pub(super) fn create(&self) -> Result<Box<dyn OutputFile>> {
        let closed = || Error::new(ErrorCode::Closed, "no output can be kept: the workspace was shut down");
        if process::id() != self.made_by {
            return Err(closed());
        }
        let mut state = locked(&self.state);
        if state.closed {
            return Err(closed());
        }
        self.create_in(&mut state)
            .map_err(|error| Error::internal(format!("output cannot be kept in {}: {error}", self.base.display())))
    }

    fn create_in(&self, state: &mut State) -> io::Result<Box<dyn OutputFile>> {
        let folder = match &state.path {
            Some(folder) => folder.clone(),
            None => state.path.insert(new_folder(&self.base)?).clone(),
        };
        state.files += 1;
        let path = folder.join(format!("output-{}.txt", state.files));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Box::new(Kept { path, file, bytes: 0, is_full: false, folder: Arc::clone(&self.state) }))
    }

    /// Whether a canonical path lies in it.
    pub(super) fn contains(&self, canonical: &Path) -> bool {
        locked(&self.state).path.as_ref().is_some_and(|folder| canonical.starts_with(folder))
    }

    /// Removes it. Nothing is kept afterwards. Blocking.
    pub(super) fn close(&self) {
        // In a copy of the process the lock may be held by a thread that is not there.
        if process::id() != self.made_by {
            return;
        }
        let mut state = locked(&self.state);
        state.closed = true;
        if let Some(folder) = state.path.take() {
            fs::remove_dir_all(folder).ok();
        }
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        self.close();
    }
}

fn new_folder(base: &Path) -> io::Result<PathBuf> {
    let folder = base.canonicalize()?.join(format!("lodger-{}", Uuid::now_v7().simple()));
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

struct Kept {
    path: PathBuf,
    file: File,
    bytes: u64,
    is_full: bool,
    folder: Arc<Mutex<State>>,
}

impl Kept {
    /// Takes room for at most so many bytes.
    fn take_room(&self, wanted: usize) -> usize {
        let mut folder = locked(&self.folder);
        let left = (MAX_OUTPUT_FILE_BYTES.saturating_sub(self.bytes))
            .min(MAX_OUTPUT_FOLDER_BYTES.saturating_sub(folder.bytes));
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(wanted);
        folder.bytes += taken as u64;
        taken
    }
}

impl OutputFile for Kept {
    fn path(&self) -> &Path {
        &self.path
    }

    fn append(&mut self, bytes: &[u8]) -> usize {
        if self.is_full {
            return 0;
        }
        let room = self.take_room(bytes.len());
        let mut written = 0;
        while let Some(rest) = bytes.get(written..room).filter(|rest| !rest.is_empty()) {
            match self.file.write(rest) {
                Ok(0) => break,
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.bytes += written as u64;
        self.is_full = written < bytes.len();
        written
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_what_it_may_and_says_so() {
        let base = tempfile::tempdir().unwrap();
        let folder = OutputFolder::new(base.path().to_owned());
        let mut file = folder.create().unwrap();
        let piece = vec![b'x'; 3 * 1024 * 1024];
        let taken: Vec<usize> = (0..7).map(|_| file.append(&piece)).collect();
        assert_eq!(taken, [3, 3, 3, 3, 3, 1, 0].map(|megabytes| megabytes * 1024 * 1024));
        assert_eq!(fs::metadata(file.path()).unwrap().len(), MAX_OUTPUT_FILE_BYTES);
    }

    #[test]
    fn all_files_together_take_what_the_folder_may_hold() {
        let base = tempfile::tempdir().unwrap();
        let folder = OutputFolder::new(base.path().to_owned());
        locked(&folder.state).bytes = MAX_OUTPUT_FOLDER_BYTES - 5;
        let mut files = [folder.create().unwrap(), folder.create().unwrap()];
        assert_eq!([files[0].append(b"1234"), files[1].append(b"1234"), files[0].append(b"1")], [4, 1, 0]);
    }

    #[test]
    fn a_full_disk_is_an_answer_and_no_failure() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            return;
        }
        let file = OpenOptions::new().write(true).open(full).unwrap();
        let mut kept = Kept { path: full.to_owned(), file, bytes: 0, is_full: false, folder: Arc::default() };
        assert_eq!([kept.append(b"some"), kept.append(b"more")], [0, 0]);
    }
}
