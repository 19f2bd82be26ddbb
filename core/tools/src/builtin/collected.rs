//! The output of a command: its head and tail for the model, and all of it in a file once that is too little.

use std::path::PathBuf;
use std::sync::Arc;

use lodger_workspace::{OutputFile, Workspace};

use super::output::Kept;

/// What a command has printed since it was last told.
pub(super) struct Collected {
    workspace: Arc<dyn Workspace>,
    max_bytes: usize,
    kept: Kept,
    whole: Whole,
}

/// Where all of it is.
enum Whole {
    /// In `kept`.
    Here,
    /// In this file, as far as it goes.
    File { path: PathBuf, file: Option<Box<dyn OutputFile>>, bytes: usize },
    /// No file could be made.
    Nowhere,
}

/// Output as the model is told of it.
pub(super) struct Told {
    pub(super) text: String,
    pub(super) is_cut: bool,
}

impl Collected {
    /// Keeps at most `max_bytes` in memory, and files in `workspace`.
    pub(super) fn new(workspace: Arc<dyn Workspace>, max_bytes: usize) -> Self {
        Self { workspace, max_bytes, kept: Kept::new(max_bytes), whole: Whole::Here }
    }

    /// Adds output.
    pub(super) async fn add(&mut self, bytes: &[u8]) {
        if !self.kept.has_room_for(bytes.len()) {
            self.write(bytes).await;
        }
        self.kept.take(bytes);
    }

    /// How many bytes wait to be told.
    pub(super) fn waiting(&self) -> usize {
        self.kept.taken()
    }

    /// What came so far, without what may be half a character; that waits for the next time.
    pub(super) fn take(&mut self) -> Told {
        let divided = self.kept.take_divided();
        let mut next = Self::new(Arc::clone(&self.workspace), self.max_bytes);
        next.kept.take(&divided);
        std::mem::replace(self, next).into_told()
    }

    /// What came, to the end.
    pub(super) fn into_told(self) -> Told {
        let is_cut = self.kept.is_cut();
        let total = self.kept.taken();
        let mut text = self.kept.into_text();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if let Whole::File { path, bytes, .. } = self.whole {
            let path = path.display();
            text.push_str(&if bytes < total {
                format!("[the first {bytes} bytes are in {path}; no more of it could be kept]\n")
            } else {
                format!("[all {total} bytes are in {path}]\n")
            });
        }
        Told { text, is_cut }
    }

    /// Writes to the file, after what is not in it yet.
    async fn write(&mut self, more: &[u8]) {
        let mut piece = Vec::new();
        if matches!(self.whole, Whole::Here) {
            piece = self.kept.bytes();
            let workspace = Arc::clone(&self.workspace);
            let made = tokio::task::spawn_blocking(move || workspace.keep_output()).await;
            self.whole = match made {
                Ok(Ok(file)) => Whole::File { path: file.path().to_owned(), file: Some(file), bytes: 0 },
                Ok(Err(_)) | Err(_) => Whole::Nowhere,
            };
        }
        let Whole::File { file, bytes, .. } = &mut self.whole else { return };
        let Some(mut open) = file.take() else { return };
        piece.extend_from_slice(more);
        let wanted = piece.len();
        let appended = tokio::task::spawn_blocking(move || (open.append(&piece), open)).await;
        if let Ok((taken, open)) = appended {
            *bytes += taken;
            // A full one is closed at once.
            *file = (taken == wanted).then_some(open);
        }
    }
}
