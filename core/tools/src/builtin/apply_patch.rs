//! `apply_patch`: changes of several files in one call. Everything is worked out before anything is written; what was
//! written is put back when a later file cannot be.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, FileChange, Intent, Target, ToolSpec};
use lodger_workspace::{FileHandle, StopFlag};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::patch::{FilePatch, Hunk, Patch, apply, parse};
use super::text::Text;
use super::{diff, text_file};
use crate::{Access, Seen, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "apply_patch";
/// The files of one patch are held in memory, together at most this, so that they can be put back.
const MAX_HELD_BYTES: usize = 64 * 1024 * 1024;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// The patch.
    patch: String,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Adds, updates, moves and deletes files, all or none; those that exist must have been read. Form:\n\
         *** Begin Patch\n*** Add File: PATH\n+line\n*** Update File: PATH\n*** Move to: PATH (optional)\n\
         @@ a line above the change, if needed to find it (optional)\n line that stays\n-line that goes\n\
         +line that comes\n*** Delete File: PATH\n*** End Patch\n\
         Give about 3 lines that stay around each change.",
    )
});

/// Applies a patch.
pub(super) struct ApplyPatch;

impl Tool for ApplyPatch {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let input: Input = input::read(NAME, input)?;
        Ok(Box::new(parse(&input.patch).map_err(ToolFailure)?))
    }
}

impl ToolRun for Patch {
    fn target(&self) -> Target {
        text_file::target("Patch", self.paths().map(str::to_owned).collect(), Effect::Write)
    }

    fn accesses(&self) -> Vec<Access> {
        self.paths().map(|path| Access { path: path.to_owned(), intent: Intent::Write }).collect()
    }

    fn preview(&self, files: &[Box<dyn FileHandle>]) -> Option<String> {
        let changes = plan(self, files, None).ok()?;
        Some(diff::cut(changes.iter().filter_map(Change::preview).collect()))
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || {
            plan(&self, &context.files, Some(&context.seen))
                .and_then(|changes| carry_out(&changes, &context))
                .unwrap_or_else(ToolOutput::from)
        }))
    }
}

impl Patch {
    /// Every path, in the order in which the files are handed over.
    fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().flat_map(|file| {
            let (path, move_to) = match file {
                FilePatch::Add { path, .. } | FilePatch::Delete { path } => (path, None),
                FilePatch::Update { path, move_to, .. } => (path, move_to.as_ref()),
            };
            std::iter::once(path).chain(move_to).map(String::as_str)
        })
    }
}

/// What one file was, to put it back.
struct Before {
    bytes: Vec<u8>,
    mode: Option<u32>,
}

/// One file that is going to change.
enum Change<'a> {
    Make { file: &'a dyn FileHandle, after: Vec<u8> },
    Update { file: &'a dyn FileHandle, before: Before, after: Vec<u8> },
    Move { file: &'a dyn FileHandle, to: &'a dyn FileHandle, before: Before, after: Vec<u8> },
    Remove { file: &'a dyn FileHandle, before: Before },
}

/// Works out every change, in memory, and refuses the patch if one cannot be made. With `seen` also where the model
/// does not know a file as it is.
fn plan<'a>(
    patch: &Patch,
    files: &'a [Box<dyn FileHandle>],
    seen: Option<&Seen>,
) -> Result<Vec<Change<'a>>, ToolFailure> {
    let twice = files.iter().enumerate().find(|(index, file)| {
        files.iter().take(*index).any(|other| other.access().canonical == file.access().canonical)
    });
    if let Some((_, file)) = twice {
        return Err(ToolFailure(format!("{} is named twice in the patch, by different paths", file.access().given)));
    }
    let mut files = files.iter().map(AsRef::as_ref);
    let mut next = || files.next().ok_or_else(|| ToolFailure("a file was not resolved".to_owned()));
    let mut room = MAX_HELD_BYTES;
    let mut changes = Vec::new();
    for part in &patch.files {
        let file = next()?;
        let change = match part {
            FilePatch::Add { content, .. } => {
                absent(file)?;
                Change::Make { file, after: content.as_bytes().to_vec() }
            }
            FilePatch::Delete { .. } => Change::Remove { file, before: before(file, seen)? },
            FilePatch::Update { move_to, hunks, .. } => {
                let before = before(file, seen)?;
                let after = updated(file, &before.bytes, hunks)?;
                match move_to {
                    None => Change::Update { file, before, after },
                    Some(_) => {
                        let to = next()?;
                        absent(to)?;
                        Change::Move { file, to, before, after }
                    }
                }
            }
        };
        room = room.checked_sub(change.bytes()).ok_or_else(|| {
            ToolFailure(format!(
                "the files of the patch have more than {MAX_HELD_BYTES} bytes; make several patches of it"
            ))
        })?;
        changes.push(change);
    }
    Ok(changes)
}

fn absent(file: &dyn FileHandle) -> Result<(), ToolFailure> {
    match file.access().file_id {
        None => Ok(()),
        Some(_) => {
            Err(ToolFailure(format!("{} exists already; use \"*** Update File\" to change it", file.access().given)))
        }
    }
}

fn before(file: &dyn FileHandle, seen: Option<&Seen>) -> Result<Before, ToolFailure> {
    let bytes = text_file::read_bytes(file)?;
    if let Some(seen) = seen {
        seen.check(file.access(), &bytes)?;
    }
    Ok(Before { bytes, mode: file.mode() })
}

/// The bytes that a file has after its changes.
fn updated(file: &dyn FileHandle, bytes: &[u8], hunks: &[Hunk]) -> Result<Vec<u8>, ToolFailure> {
    if hunks.is_empty() {
        return Ok(bytes.to_vec());
    }
    let given = &file.access().given;
    let Text { text, encoding } = text_file::decode(given, bytes.to_vec())?;
    let after = apply(&text, hunks).map_err(|wrong| ToolFailure(format!("{given}: {wrong}")))?;
    let after = encoding.encode(&after).into_owned();
    if u64::try_from(after.len()).is_ok_and(|bytes| bytes <= text_file::MAX_FILE_BYTES) {
        Ok(after)
    } else {
        Err(ToolFailure(format!("{given} would grow past {} bytes", text_file::MAX_FILE_BYTES)))
    }
}

impl Change<'_> {
    /// How much of it is held.
    fn bytes(&self) -> usize {
        match self {
            Self::Make { after, .. } => after.len(),
            Self::Update { before, after, .. } | Self::Move { before, after, .. } => before.bytes.len() + after.len(),
            Self::Remove { before, .. } => before.bytes.len(),
        }
    }

    fn preview(&self) -> Option<String> {
        let text = |bytes: &[u8]| Text::decode(bytes.to_vec()).ok().map(|text| text.text);
        let (file, before, after) = match self {
            Self::Make { file, after } => (file, String::new(), text(after)?),
            Self::Update { file, before, after } => (file, text(&before.bytes)?, text(after)?),
            Self::Move { file, to, before, after } => {
                let (from, to) = (&file.access().given, &to.access().given);
                let moved = format!("rename from {}\nrename to {}\n", input::one_line(from), input::one_line(to));
                let changed = diff::diff(to, &text(&before.bytes)?, &text(after)?);
                return Some(moved + &changed.unwrap_or_default());
            }
            Self::Remove { file, before } => (file, text(&before.bytes)?, String::new()),
        };
        diff::diff(&file.access().given, &before, &after)
    }

    /// Makes it. What was made of a move that fails halfway is put back.
    fn carry_out(&self, stop: &StopFlag) -> lodger_protocol::Result<Vec<FileChange>> {
        let removed = |file: &dyn FileHandle| FileChange {
            path: file.access().canonical.display().to_string(),
            created: false,
            atomic: true,
            removed: true,
        };
        match self {
            Self::Make { file, after } => {
                let report = file.write_new(after, None, stop)?;
                Ok(vec![text_file::change_of(*file, report)])
            }
            Self::Update { file, after, .. } => {
                let report = file.write(after, stop)?;
                Ok(vec![text_file::change_of(*file, report)])
            }
            Self::Move { file, to, before, after } => {
                let report = to.write_new(after, before.mode, stop)?;
                if let Err(error) = file.remove(stop) {
                    return Err(match to.remove(&StopFlag::default()) {
                        Ok(()) => error,
                        Err(_) => left(error, &to.access().given),
                    });
                }
                Ok(vec![removed(*file), text_file::change_of(*to, report)])
            }
            Self::Remove { file, .. } => {
                file.remove(stop)?;
                Ok(vec![removed(*file)])
            }
        }
    }

    /// Puts back what was there before, also after a cancel: half a patch would be worse. The path that could not be.
    fn put_back(&self) -> Result<(), &str> {
        let stop = StopFlag::default();
        let (file, done) = match self {
            Self::Make { file, .. } => (file, file.remove(&stop)),
            Self::Update { file, before, .. } => (file, file.write(&before.bytes, &stop).map(|_| ())),
            Self::Move { file, to, before, .. } => {
                let back = file.write_new(&before.bytes, before.mode, &stop);
                (file, back.and_then(|_| to.remove(&stop)))
            }
            Self::Remove { file, before } => (file, file.write_new(&before.bytes, before.mode, &stop).map(|_| ())),
        };
        done.map_err(|_| file.access().given.as_str())
    }

    /// Remembers that the model knows what it made.
    fn remember(&self, seen: &Seen) {
        match self {
            Self::Make { file, after } | Self::Update { file, after, .. } | Self::Move { to: file, after, .. } => {
                seen.show(&file.access().canonical, after);
            }
            Self::Remove { .. } => {}
        }
    }

    fn told(&self) -> String {
        match self {
            Self::Make { file, .. } => format!("made {}", file.access().given),
            Self::Update { file, .. } => format!("changed {}", file.access().given),
            Self::Move { file, to, .. } => format!("moved {} to {}", file.access().given, to.access().given),
            Self::Remove { file, .. } => format!("deleted {}", file.access().given),
        }
    }
}

fn left(error: lodger_protocol::Error, path: &str) -> lodger_protocol::Error {
    lodger_protocol::Error {
        message: format!("{}; {path} was written and could not be removed", error.message),
        ..error
    }
}

/// Makes all changes, or puts back those that were made.
fn carry_out(changes: &[Change<'_>], context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
    let mut files = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        match change.carry_out(&context.stop) {
            Ok(changed) => files.extend(changed),
            Err(error) => {
                let lost: Vec<&str> =
                    changes.iter().take(index).rev().filter_map(|done| done.put_back().err()).collect();
                let end = if lost.is_empty() {
                    "nothing was changed".to_owned()
                } else {
                    format!("these files were changed and could not be put back: {}", lost.join(", "))
                };
                return Err(ToolFailure(format!("{}; {end}", error.message)));
            }
        }
    }
    changes.iter().for_each(|change| change.remember(&context.seen));
    let told: Vec<String> = changes.iter().map(Change::told).collect();
    Ok(ToolOutput { files, ..ToolOutput::text(told.join("\n")) })
}
