//! `read_file`: the text of a file with line numbers, or a picture or PDF as it is.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Intent, Target, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::picture;
use super::text::{LineEnds, Text};
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
        "Reads a file. Each line of a text is shown as its number, a tab and its text. Long files are shown in \
         parts: use offset and limit. Pictures (PNG, JPEG, GIF, WebP) and PDF files are shown as they are.",
    )
});

/// Shows a file.
pub(super) struct ReadFile;

impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        Ok(Box::new(input::read::<Input>(NAME, input)?))
    }
}

impl Input {
    fn read(&self, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let file = text_file::the_file(context)?;
        let bytes = text_file::read_bytes(file)?;
        context.seen.show(&file.access().canonical, &bytes);
        if let Some(shown) = picture::show(file.access(), &bytes) {
            return shown;
        }
        let text = text_file::decode(&self.path, bytes)?;
        let range = Range { first: self.offset.unwrap_or(1).max(1), limit: self.limit.unwrap_or(DEFAULT_LINES) };
        Ok(show(&text, range, context.limits.max_tool_output_bytes))
    }
}

impl ToolRun for Input {
    fn target(&self) -> Target {
        text_file::target("Read", vec![self.path.clone()], Effect::Read)
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access { path: self.path.clone(), intent: Intent::Read }]
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || self.read(&context).unwrap_or_else(ToolOutput::from)))
    }
}

/// Which lines are asked for.
#[derive(Clone, Copy)]
struct Range {
    /// From 1.
    first: usize,
    limit: usize,
}

/// One line as it is shown: its number, a tab, its text, cut where it is long. Whether it was cut.
pub(super) fn shown_line(number: usize, line: &str) -> (String, bool) {
    let end = line.floor_char_boundary(MAX_LINE_BYTES);
    let cut = end < line.len();
    let more = if cut { " [...]" } else { "" };
    (format!("{number}\t{}{more}\n", &line[..end]), cut)
}

/// The lines of a range, as many as there is room for, and what else is to be known of the text.
fn show(text: &Text, range: Range, max_bytes: usize) -> ToolOutput {
    let total = text.text.lines().count();
    if total == 0 {
        return ToolOutput::text("(the file is empty)");
    }
    if range.first > total {
        return ToolOutput::error(format!("the file has {total} lines; offset {} is past its end", range.first));
    }
    let (mut shown, mut any_cut, mut last) = (String::new(), false, range.first - 1);
    for (index, line) in text.text.lines().enumerate().skip(range.first - 1).take(range.limit) {
        let (line, cut) = shown_line(index + 1, line);
        // One line is always shown: else there would be no going on.
        if shown.len() + line.len() > max_bytes && !shown.is_empty() {
            break;
        }
        shown.push_str(&line);
        any_cut |= cut;
        last = index + 1;
    }
    if last < total {
        shown.push_str(&format!("[lines {} to {last} of {total}; go on with offset {}]\n", range.first, last + 1));
    }
    for note in notes(text) {
        shown.push_str(&format!("[{note}]\n"));
    }
    ToolOutput { truncated: any_cut || last < total, bounded: true, ..ToolOutput::text(shown) }
}

/// What does not show in the lines.
fn notes(text: &Text) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(name) = text.encoding.name() {
        notes.push(format!("the file is {name}"));
    }
    match LineEnds::of(&text.text) {
        LineEnds::Lf => {}
        LineEnds::CrLf => notes.push("lines end in CRLF".to_owned()),
        LineEnds::Mixed => notes.push("some lines end in CRLF, some in LF".to_owned()),
    }
    if !text.text.ends_with('\n') {
        notes.push("the last line has no line end".to_owned());
    }
    notes
}

#[cfg(test)]
mod tests {
    use lodger_protocol::Content;

    use super::super::text::Encoding;
    use super::*;

    fn output(text: &str, first: usize, limit: usize, max_bytes: usize) -> ToolOutput {
        let text = Text { text: text.to_owned(), encoding: Encoding::Utf8 };
        show(&text, Range { first, limit }, max_bytes)
    }

    fn shown(text: &str, first: usize, limit: usize) -> String {
        Content::joined_text(&output(text, first, limit, usize::MAX).content)
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
        let output = output("a\n", 5, 1, 100);
        assert!(output.is_error && Content::joined_text(&output.content).contains("1 lines"));
    }

    #[test]
    fn as_many_whole_lines_are_shown_as_there_is_room_for_and_at_least_one() {
        for (max_bytes, last) in [(1, 1), (10, 2), (14, 2), (15, 3)] {
            let output = output("aa\nbb\ncc\n", 1, 10, max_bytes);
            let text = Content::joined_text(&output.content);
            assert_eq!(text.lines().filter(|line| !line.starts_with('[')).count(), last, "{text}");
            assert_eq!(output.truncated, last < 3);
            assert_eq!(last < 3, text.contains(&format!("go on with offset {}", last + 1)), "{text}");
        }
    }

    #[test]
    fn a_long_line_is_cut_at_a_whole_character_and_says_so() {
        let output = output(&format!("{}\n", "\u{20ac}".repeat(1000)), 1, 10, usize::MAX);
        assert!(output.truncated);
        assert_eq!(
            Content::joined_text(&output.content),
            format!("1\t{} [...]\n", "\u{20ac}".repeat(MAX_LINE_BYTES / 3))
        );
    }

    #[test]
    fn what_does_not_show_in_the_lines_is_said() {
        assert_eq!(shown("a\r\nb\r\n", 1, 10), "1\ta\n2\tb\n[lines end in CRLF]\n");
        assert_eq!(
            shown("a\r\nb\nc", 1, 10),
            "1\ta\n2\tb\n3\tc\n[some lines end in CRLF, some in LF]\n[the last line has no line end]\n"
        );
        let text = Text { text: "a\n".to_owned(), encoding: Encoding::Utf16Le };
        let shown = show(&text, Range { first: 1, limit: 1 }, 100);
        assert_eq!(Content::joined_text(&shown.content), "1\ta\n[the file is UTF-16 LE]\n");
    }
}
