//! `write_file`: make a file, or replace all of one.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Intent, Target, TargetKind, ToolSpec};
use lodger_workspace::FileHandle;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::text_file;
use crate::{Access, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "write_file";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// Path of the file, absolute or relative to the working folder. Missing folders are made.
    path: String,
    /// The whole new content.
    content: String,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Makes a file with the given content, or replaces all of an existing one. To change a part of a file \
         use edit_file.",
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

impl ToolRun for Input {
    fn target(&self) -> Target {
        Target {
            summary: format!("Write {}", input::one_line(&self.path)),
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
        let file = files.first()?;
        let before =
            if file.access().file_id.is_some() { text_file::read_text(file.as_ref()).ok()? } else { String::new() };
        text_file::diff(&self.path, &before, &self.content)
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || {
            let Some(file) = context.files.first() else { return ToolOutput::error("no file was resolved") };
            text_file::write_text(file.as_ref(), &self.content, &context.stop, |report| {
                let done = if report.created { "made" } else { "replaced" };
                format!("{done} {} ({} bytes)", self.path, self.content.len())
            })
        }))
    }
}
