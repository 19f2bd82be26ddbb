//! Text files through handles, off the async workers.

use std::time::Duration;

use lodger_protocol::{FileChange, Result};
use lodger_workspace::{FileHandle, StopFlag, WriteReport};

use crate::input::one_line;
use crate::{ToolFailure, ToolOutput};

/// Files over this are not taken in whole.
pub(super) const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Runs blocking work and waits for it.
pub(super) async fn blocking(work: impl FnOnce() -> ToolOutput + Send + 'static) -> ToolOutput {
    match tokio::task::spawn_blocking(work).await {
        Ok(output) => output,
        Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
        Err(_) => ToolOutput::error("the runtime is shutting down"),
    }
}

/// The whole text of a file.
pub(super) fn read_text(file: &dyn FileHandle) -> Result<String, ToolFailure> {
    let given = &file.access().given;
    let (bytes, size) = file.read(MAX_FILE_BYTES).map_err(|error| ToolFailure(error.message))?;
    if size > MAX_FILE_BYTES {
        return Err(ToolFailure(format!(
            "{given} has {size} bytes; files over {MAX_FILE_BYTES} bytes cannot be taken in whole. Use run_shell to look at a part of it"
        )));
    }
    String::from_utf8(bytes).map_err(|_| {
        ToolFailure(format!("{given} is not UTF-8 text ({size} bytes). Use run_shell to inspect binary files"))
    })
}

/// Writes a file and says so.
pub(super) fn write_text(
    file: &dyn FileHandle,
    text: &str,
    stop: &StopFlag,
    done: impl FnOnce(WriteReport) -> String,
) -> ToolOutput {
    match file.write(text.as_bytes(), stop) {
        Ok(report) => {
            let change = FileChange {
                path: file.access().canonical.display().to_string(),
                created: report.created,
                atomic: report.atomic,
            };
            ToolOutput { files: vec![change], ..ToolOutput::text(done(report)) }
        }
        Err(error) => error.into(),
    }
}

/// Texts over this, both together, are not compared.
const MAX_COMPARED_BYTES: usize = 4 * 1024 * 1024;
/// A diff is cut to this.
const MAX_DIFF_BYTES: usize = 64 * 1024;
/// How long the shortest diff is looked for; after it a longer one will do.
const DIFF_TIME: Duration = Duration::from_millis(200);

/// A unified diff with three lines of context, to show to a person; absent when nothing changes or there is too
/// much to compare. Bounded in time and size, since a model says what is compared.
pub(super) fn diff(path: &str, before: &str, after: &str) -> Option<String> {
    if before == after || before.len() + after.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let path = one_line(path);
    let diff = similar::TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, after);
    let mut text = diff.unified_diff().context_radius(3).header(&path, &path).to_string();
    if text.len() > MAX_DIFF_BYTES {
        text.truncate(text.floor_char_boundary(MAX_DIFF_BYTES));
        text.push_str("\n[... the rest of the diff is left out ...]\n");
    }
    Some(text)
}
