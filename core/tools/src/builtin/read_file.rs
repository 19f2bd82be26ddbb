//! `read_file`: the text of a file, with line numbers.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Intent, Target, TargetKind, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::text_file;
use crate::{Access, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "read_file";
const DEFAULT_LINES: usize = 2000;
const MAX_LINE_BYTES: usize = 2000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// Path of the file, absolute or relative to the working folder.
    path: String,
    /// First line to show, from 1. Default 1.
    #[serde(default)]
    offset: Option<usize>,
    /// How many lines to show. Default 2000.
    #[serde(default)]
    limit: Option<usize>,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Reads a text file. Each line is shown as its number, a tab and its text. Long files are shown in \
         parts: use offset and limit.",
    )
});

/// Shows the text of a file.
pub(super) struct ReadFile;

impl Tool for ReadFile {
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
            summary: format!("Read {}", input::one_line(&self.path)),
            effect: Effect::Read,
            kind: TargetKind::File,
            paths: Some(vec![self.path.clone()]),
            command: None,
            host: None,
        }
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access { path: self.path.clone(), intent: Intent::Read }]
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || {
            let Some(file) = context.files.first() else { return ToolOutput::error("no file was resolved") };
            match text_file::read_text(file.as_ref()) {
                Ok(text) => show(&text, self.offset.unwrap_or(1).max(1), self.limit.unwrap_or(DEFAULT_LINES)),
                Err(failure) => failure.into(),
            }
        }))
    }
}

fn show(text: &str, first: usize, limit: usize) -> ToolOutput {
    let total = text.lines().count();
    if total == 0 {
        return ToolOutput::text("(the file is empty)");
    }
    if first > total {
        return ToolOutput::error(format!("the file has {total} lines; offset {first} is past its end"));
    }
    let mut shown = String::new();
    let mut cut = false;
    for (index, line) in text.lines().enumerate().skip(first - 1).take(limit) {
        let end = line.floor_char_boundary(MAX_LINE_BYTES);
        let more = if end < line.len() { " [...]" } else { "" };
        cut |= end < line.len();
        shown.push_str(&format!("{}\t{}{more}\n", index + 1, &line[..end]));
    }
    let last = (first - 1).saturating_add(limit).min(total);
    if last < total {
        shown.push_str(&format!("[lines {first} to {last} of {total}; go on with offset {}]\n", last + 1));
    }
    ToolOutput { truncated: cut || last < total, ..ToolOutput::text(shown) }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::Content;

    use super::*;

    fn shown(text: &str, first: usize, limit: usize) -> String {
        Content::joined_text(&show(text, first, limit).content)
    }

    #[test]
    fn lines_carry_their_numbers() {
        assert_eq!(shown("a\nb\n", 1, 10), "1\ta\n2\tb\n");
    }

    #[test]
    fn a_part_says_where_to_go_on() {
        assert_eq!(shown("a\nb\nc\n", 2, 1), "2\tb\n[lines 2 to 2 of 3; go on with offset 3]\n");
    }

    #[test]
    fn a_limit_without_end_shows_all_that_is_left() {
        assert_eq!(shown("a\nb\n", 2, usize::MAX), "2\tb\n");
    }

    #[test]
    fn an_offset_past_the_end_is_an_error_that_names_the_length() {
        let output = show("a\n", 5, 1);
        assert!(output.is_error && Content::joined_text(&output.content).contains("1 lines"));
    }
}
