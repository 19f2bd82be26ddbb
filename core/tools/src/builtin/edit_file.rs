//! `edit_file`: replace one exact piece of text. Every other byte of the file stays as it is.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Intent, Target, TargetKind, ToolSpec};
use lodger_workspace::FileHandle;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::text_file;
use crate::{Access, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "edit_file";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// Path of the file, absolute or relative to the working folder.
    path: String,
    /// The text to replace, exactly as it stands in the file, with enough around it to be there once.
    old_text: String,
    /// What takes its place.
    new_text: String,
    /// Replace every occurrence. Default false.
    #[serde(default)]
    replace_all: bool,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Replaces a piece of text in a file. oldText must stand in the file exactly once (line numbers of \
         read_file are not part of it), or set replaceAll.",
    )
});

/// Replaces one piece of a file.
pub(super) struct EditFile;

impl Tool for EditFile {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let input: Input = input::read(NAME, input)?;
        if input.old_text.is_empty() {
            return Err(ToolFailure("oldText is empty; use write_file to make a file".to_owned()));
        }
        if input.old_text == input.new_text {
            return Err(ToolFailure("oldText and newText are the same; nothing would change".to_owned()));
        }
        Ok(Box::new(input))
    }
}

impl Input {
    fn apply(&self, before: &str) -> Result<(String, usize), ToolFailure> {
        let count = before.matches(&self.old_text).count();
        if self.bytes_after(before, count).is_none_or(|bytes| bytes > text_file::MAX_FILE_BYTES) {
            return Err(ToolFailure(format!(
                "{} would grow past {} bytes, which is more than can be edited",
                self.path,
                text_file::MAX_FILE_BYTES
            )));
        }
        match count {
            0 => Err(ToolFailure(not_found(&self.path, before, &self.old_text))),
            1 => Ok((before.replacen(&self.old_text, &self.new_text, 1), 1)),
            count if self.replace_all => Ok((before.replace(&self.old_text, &self.new_text), count)),
            count => Err(ToolFailure(format!(
                "oldText stands {count} times in {}; add lines around it so that it is unique, or set replaceAll",
                self.path
            ))),
        }
    }
}

impl Input {
    /// How large the text will be, known before any of it is made.
    fn bytes_after(&self, before: &str, count: usize) -> Option<u64> {
        let taken = count.checked_mul(self.old_text.len())?;
        let put = count.checked_mul(self.new_text.len())?;
        u64::try_from(before.len().checked_sub(taken)?.checked_add(put)?).ok()
    }
}

/// Says that the text is not there, and shows the line that looks most like its first one.
fn not_found(path: &str, before: &str, old_text: &str) -> String {
    let wanted = old_text.lines().find(|line| !line.trim().is_empty()).unwrap_or(old_text).trim();
    let nearest = before
        .lines()
        .enumerate()
        .find(|(_, line)| line.trim() == wanted)
        .or_else(|| before.lines().enumerate().find(|(_, line)| !wanted.is_empty() && line.contains(wanted)));
    match nearest {
        Some((index, line)) => format!(
            "oldText does not stand in {path} as given. Its first line is like line {}, but indentation or the \
             lines after it differ:\n{}\t{line}",
            index + 1,
            index + 1
        ),
        None => format!("oldText does not stand in {path}; read the file again and copy the text exactly"),
    }
}

impl ToolRun for Input {
    fn target(&self) -> Target {
        Target {
            summary: format!("Edit {}", input::one_line(&self.path)),
            effect: Effect::Write,
            kind: TargetKind::File,
            paths: Some(vec![self.path.clone()]),
            command: None,
            host: None,
        }
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access { path: self.path.clone(), intent: Intent::Write }]
    }

    fn preview(&self, files: &[Box<dyn FileHandle>]) -> Option<String> {
        let before = text_file::read_text(files.first()?.as_ref()).ok()?;
        let (after, _) = self.apply(&before).ok()?;
        text_file::diff(&self.path, &before, &after)
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || {
            let Some(file) = context.files.first() else { return ToolOutput::error("no file was resolved") };
            let edited = text_file::read_text(file.as_ref()).and_then(|before| self.apply(&before));
            match edited {
                Ok((after, count)) => text_file::write_text(file.as_ref(), &after, &context.stop, |_| {
                    format!("replaced {count} {} in {}", if count == 1 { "place" } else { "places" }, self.path)
                }),
                Err(failure) => failure.into(),
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(before: &str, old: &str, new: &str, replace_all: bool) -> Result<(String, usize), String> {
        let input = Input { path: "f".to_owned(), old_text: old.to_owned(), new_text: new.to_owned(), replace_all };
        input.apply(before).map_err(|failure| failure.0)
    }

    #[test]
    fn only_the_matched_bytes_change() {
        assert_eq!(edit("a\r\nb\r\n", "b", "c", false), Ok(("a\r\nc\r\n".to_owned(), 1)));
    }

    #[test]
    fn text_that_stands_twice_is_refused_unless_all_are_meant() {
        assert!(edit("x x", "x", "y", false).is_err_and(|message| message.contains("2 times")));
        assert_eq!(edit("x x", "x", "y", true), Ok(("y y".to_owned(), 2)));
    }

    #[test]
    fn an_edit_that_would_grow_the_file_without_bound_is_refused_before_it_is_made() {
        let message = edit(&"a".repeat(1 << 20), "a", &"b".repeat(1 << 20), true).unwrap_err();
        assert!(message.contains("would grow past"), "{message}");
    }

    #[test]
    fn text_that_is_not_there_is_refused_with_the_line_most_like_it() {
        let message = edit("fn f() {\n    old();\n}\n", "old();\nnew();", "", false).unwrap_err();
        assert!(message.contains("line 2"), "{message}");
    }
}
