//! `multi_edit`: several edits of one file, one after the other, all of them or none.

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

const NAME: &str = "multi_edit";
/// At most so many edits in one call.
const MAX_EDITS: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// Path of the file.
    path: String,
    /// The edits, in order. Each sees what those before it made.
    edits: Vec<Replacement>,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Makes several edits of one file that you have read, as edit_file does each. If one cannot be made, none is.",
    )
});

/// Makes several edits of one file.
pub(super) struct MultiEdit;

impl Tool for MultiEdit {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let input: Input = input::read(NAME, input)?;
        if input.edits.is_empty() || input.edits.len() > MAX_EDITS {
            return Err(ToolFailure(format!("edits has {} entries; expected 1 to {MAX_EDITS}", input.edits.len())));
        }
        for (index, edit) in input.edits.iter().enumerate() {
            edit.check().map_err(|wrong| ToolFailure(format!("edits[{index}]: {wrong}")))?;
        }
        Ok(Box::new(input))
    }
}

impl Input {
    /// The text with all edits made, how many places that were, and what was forgiven.
    fn apply(&self, before: &str) -> Result<(String, usize, String), ToolFailure> {
        let mut text = before.to_owned();
        let (mut places, mut forgiven) = (0, String::new());
        for (index, edit) in self.edits.iter().enumerate() {
            let edited = edit
                .apply(&self.path, &text)
                .map_err(|failure| ToolFailure(format!("edits[{index}], so nothing was changed: {}", failure.0)))?;
            text = edited.text;
            places += edited.places;
            if edited.forgiven.is_some() {
                forgiven.push_str(&format!("\nedits[{index}]{}", edits::forgiven(edited.forgiven)));
            }
        }
        Ok((text, places, forgiven))
    }
}

impl ToolRun for Input {
    fn target(&self) -> Target {
        text_file::target("Edit", vec![self.path.clone()], Effect::Write)
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access { path: self.path.clone(), intent: Intent::Write }]
    }

    fn preview(&self, files: &[Box<dyn FileHandle>]) -> Option<String> {
        let before = text_file::read_text(files.first()?.as_ref()).ok()?.text;
        let (after, ..) = self.apply(&before).ok()?;
        diff::diff(&self.path, &before, &after)
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || {
            edits::edit(&context, |before| {
                let (text, places, forgiven) = self.apply(before)?;
                let word = if places == 1 { "place" } else { "places" };
                Ok((text, format!("replaced {places} {word} in {}{forgiven}", self.path)))
            })
        }))
    }
}
