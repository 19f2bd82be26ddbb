//! `edit_file`: replace one piece of text. Every other byte of the file stays as it is.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Intent, Target, ToolSpec};
use lodger_workspace::FileHandle;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::edits::Replacement;
use super::{diff, edits, text_file};
use crate::{Access, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "edit_file";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// Path of the file.
    path: String,
    /// The text to replace, exactly as it stands in the file, with enough around it to be there once.
    old_text: String,
    /// What takes its place.
    new_text: String,
    /// Replace every occurrence. Default false.
    #[serde(default)]
    replace_all: bool,
}

/// An edit of one file, in one place or in all that are alike.
struct Edit {
    path: String,
    replacement: Replacement,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Replaces a piece of text in a file that you have read. oldText must stand in the file exactly once (line \
         numbers of read_file are not part of it), or set replaceAll.",
    )
});

/// Replaces one piece of a file.
pub(super) struct EditFile;

impl Tool for EditFile {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let Input { path, old_text, new_text, replace_all } = input::read(NAME, input)?;
        let replacement = Replacement { old_text, new_text, replace_all };
        replacement.check().map_err(ToolFailure)?;
        Ok(Box::new(Edit { path, replacement }))
    }
}

impl ToolRun for Edit {
    fn target(&self) -> Target {
        text_file::target("Edit", vec![self.path.clone()], Effect::Write)
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access { path: self.path.clone(), intent: Intent::Write }]
    }

    fn preview(&self, files: &[Box<dyn FileHandle>]) -> Option<String> {
        let before = text_file::read_text(files.first()?.as_ref()).ok()?.text;
        let after = self.replacement.apply(&self.path, &before).ok()?.text;
        diff::diff(&self.path, &before, &after)
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || {
            edits::edit(&context, |before| {
                let edited = self.replacement.apply(&self.path, before)?;
                let places = if edited.places == 1 { "place" } else { "places" };
                let done = format!("replaced {} {places} in {}", edited.places, self.path);
                Ok((edited.text, done + &edits::forgiven(edited.forgiven)))
            })
        }))
    }
}
