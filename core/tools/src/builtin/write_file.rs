//! `write_file`: make a file, or replace all of one that the model has read.

use std::borrow::Cow;
use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Intent, Target, ToolSpec};
use lodger_workspace::FileHandle;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::text::{Encoding, LineEnds, Text};
use super::{diff, text_file};
use crate::{Access, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "write_file";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// Path of the file. Missing folders are made.
    path: String,
    /// The whole new content.
    content: String,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Makes a file with the given content, or replaces all of one that you have read. To change a part of a \
         file use edit_file.",
    )
});

/// Writes a whole file.
pub(super) struct WriteFile;

impl Tool for WriteFile {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        Ok(Box::new(input::read::<Input>(NAME, input)?))
    }
}

impl Input {
    /// The new text as the file is to have it: an old one keeps its encoding, and CRLF where all its lines end so.
    fn text(&self, before: Option<&Text>) -> (Encoding, Cow<'_, str>) {
        match before {
            Some(before) => (before.encoding, LineEnds::of(&before.text).adapt(&self.content)),
            None => (Encoding::Utf8, Cow::Borrowed(&self.content)),
        }
    }

    fn write(&self, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let file = text_file::the_file(context)?;
        let old = if file.access().file_id.is_some() { Some(text_file::read_bytes(file)?) } else { None };
        // What is no text has nothing to keep.
        let before = old.clone().and_then(|bytes| Text::decode(bytes).ok());
        let (encoding, text) = self.text(before.as_ref());
        let new = encoding.encode(&text);
        // Nothing is lost where the same is written once more.
        if let Some(old) = old.filter(|old| *old != *new) {
            context.seen.check(file.access(), &old)?;
        }
        let size = new.len();
        Ok(text_file::write_text(file, &text, encoding, (&context.seen, &context.stop), |report| {
            let done = if report.created { "made" } else { "replaced" };
            format!("{done} {} ({size} bytes)", self.path)
        }))
    }
}

impl ToolRun for Input {
    fn target(&self) -> Target {
        text_file::target("Write", vec![self.path.clone()], Effect::Write)
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access { path: self.path.clone(), intent: Intent::Write }]
    }

    fn preview(&self, files: &[Box<dyn FileHandle>]) -> Option<String> {
        let file = files.first()?.as_ref();
        let before = if file.access().file_id.is_some() { Some(text_file::read_text(file).ok()?) } else { None };
        let (_, after) = self.text(before.as_ref());
        diff::diff(&self.path, before.as_ref().map_or("", |before| &before.text), &after)
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || self.write(&context).unwrap_or_else(ToolOutput::from)))
    }
}
