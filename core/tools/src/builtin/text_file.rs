//! Files through handles, off the async workers: taken in whole as bytes or text, and written back as they were but for
//! the change.

use lodger_protocol::{Effect, FileChange, Target, TargetKind};
use lodger_workspace::{FileHandle, StopFlag, WriteReport};

use super::text::{Encoding, NotText, Text};
use crate::input::one_line;
use crate::{Seen, ToolContext, ToolFailure, ToolOutput};

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

/// What a call on files would do, in a line for people.
pub(super) fn target(verb: &str, paths: Vec<String>, effect: Effect) -> Target {
    let summary = match paths.as_slice() {
        [path] => format!("{verb} {}", one_line(path)),
        paths => format!("{verb} {} files", paths.len()),
    };
    Target { summary, effect, kind: TargetKind::File, paths: Some(paths), command: None, host: None }
}

/// The one file that a call declared.
pub(super) fn the_file(context: &ToolContext) -> Result<&dyn FileHandle, ToolFailure> {
    context.files.first().map(AsRef::as_ref).ok_or_else(|| ToolFailure("no file was resolved".to_owned()))
}

/// The whole content of a file.
pub(super) fn read_bytes(file: &dyn FileHandle) -> Result<Vec<u8>, ToolFailure> {
    let given = &file.access().given;
    let (bytes, size) = file.read(MAX_FILE_BYTES).map_err(|error| ToolFailure(error.message))?;
    if size > MAX_FILE_BYTES {
        return Err(ToolFailure(format!(
            "{given} has {size} bytes; files over {MAX_FILE_BYTES} bytes are not taken in whole. Use grep or run_shell to look at a part of it"
        )));
    }
    Ok(bytes)
}

/// The whole text of a file.
pub(super) fn read_text(file: &dyn FileHandle) -> Result<Text, ToolFailure> {
    decode(&file.access().given, read_bytes(file)?)
}

/// The whole text of a file that the model knows as it is now.
pub(super) fn read_known_text(file: &dyn FileHandle, seen: &Seen) -> Result<Text, ToolFailure> {
    let bytes = read_bytes(file)?;
    seen.check(file.access(), &bytes)?;
    decode(&file.access().given, bytes)
}

/// Bytes as text; what they are where they are none.
pub(super) fn decode(given: &str, bytes: Vec<u8>) -> Result<Text, ToolFailure> {
    let size = bytes.len();
    let kind = infer::get(&bytes).map_or("of no known kind", |kind| kind.mime_type());
    Text::decode(bytes).map_err(|not_text| {
        ToolFailure(match not_text {
            NotText::Binary => {
                format!("{given} is a binary file, {kind}, with {size} bytes. Use run_shell to look into it")
            }
            NotText::Otherwise => format!(
                "{given} ({size} bytes) is neither UTF-8 nor marked as UTF-16. Use run_shell, with iconv if it is text"
            ),
        })
    })
}

/// Writes a text as its file has it, remembers that the model knows it, and says so.
pub(super) fn write_text(
    file: &dyn FileHandle,
    text: &str,
    encoding: Encoding,
    (seen, stop): (&Seen, &StopFlag),
    done: impl FnOnce(WriteReport) -> String,
) -> ToolOutput {
    let bytes = encoding.encode(text);
    match file.write(&bytes, stop) {
        Ok(report) => {
            seen.show(&file.access().canonical, &bytes);
            ToolOutput { files: vec![change_of(file, report)], ..ToolOutput::text(done(report)) }
        }
        Err(error) => error.into(),
    }
}

/// What is told of a file that was written.
pub(super) fn change_of(file: &dyn FileHandle, report: WriteReport) -> FileChange {
    FileChange {
        path: file.access().canonical.display().to_string(),
        created: report.created,
        atomic: report.atomic,
        removed: false,
    }
}
