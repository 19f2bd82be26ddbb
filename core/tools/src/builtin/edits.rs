//! What the tools that edit a file share: one replacement, and the way from the file's text to the changed one.

use schemars::JsonSchema;
use serde::Deserialize;

use super::ladder::{self, Edited, Misfit};
use super::text_file;
use crate::{ToolContext, ToolFailure, ToolOutput};

/// At most so many lines are named where a text stands several times.
const MAX_NAMED_LINES: usize = 20;

/// One piece of text that takes the place of another.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Replacement {
    pub(super) old_text: String,
    pub(super) new_text: String,
    #[serde(default)]
    pub(super) replace_all: bool,
}

impl Replacement {
    /// Says what is wrong with it whatever the file is.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.old_text.is_empty() {
            return Err("oldText is empty; use write_file to make a file".to_owned());
        }
        if self.old_text == self.new_text {
            return Err("oldText and newText are the same; nothing would change".to_owned());
        }
        Ok(())
    }

    /// Makes it.
    pub(super) fn apply(&self, path: &str, before: &str) -> Result<Edited, ToolFailure> {
        let edit = ladder::Edit { old: &self.old_text, new: &self.new_text, all: self.replace_all };
        ladder::apply(before, &edit).map_err(|misfit| ToolFailure(told(path, misfit)))
    }
}

fn told(path: &str, misfit: Misfit) -> String {
    match misfit {
        Misfit::Nowhere { nearest: Some(nearest) } => {
            format!("oldText does not stand in {path} as given. The lines most like it are:\n{nearest}")
        }
        Misfit::Nowhere { nearest: None } => {
            format!("oldText does not stand in {path}; read the file again and copy the text exactly")
        }
        Misfit::Several { lines } => format!(
            "oldText stands {} times in {path}, in lines {}; add lines around it so that it is unique, or set replaceAll",
            lines.len(),
            listed(&lines)
        ),
        Misfit::TooLarge => {
            format!("{path} would grow past {} bytes, which is more than can be edited", text_file::MAX_FILE_BYTES)
        }
    }
}

/// Numbers of lines, the first of them.
pub(super) fn listed(lines: &[usize]) -> String {
    let mut named: Vec<String> = lines.iter().take(MAX_NAMED_LINES).map(ToString::to_string).collect();
    if lines.len() > MAX_NAMED_LINES {
        named.push("...".to_owned());
    }
    named.join(", ")
}

/// Says what was forgiven.
pub(super) fn forgiven(what: Option<&str>) -> String {
    what.map_or_else(String::new, |what| format!(" (oldText differed from the file in its {what})"))
}

/// Changes the one file of a call, if the model knows it as it is: `change` makes the new text, and what to say.
pub(super) fn edit(
    context: &ToolContext,
    change: impl FnOnce(&str) -> Result<(String, String), ToolFailure>,
) -> ToolOutput {
    let made = text_file::the_file(context).and_then(|file| {
        let before = text_file::read_known_text(file, &context.seen)?;
        let (after, done) = change(&before.text)?;
        Ok(text_file::write_text(file, &after, before.encoding, (&context.seen, &context.stop), |_| done))
    });
    made.unwrap_or_else(ToolOutput::from)
}
