//! `grep`: lines that match a regular expression, by ripgrep's own searcher.

mod hits;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use lodger_protocol::{Target, ToolSpec};
use lodger_workspace::{Found, FoundKind, Walk, Walked};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use self::hits::{Hits, Keep, Stopping};
use super::search::{self, Firsts, Pattern, Room, Search};
use super::text_file;
use crate::{Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "grep";
const DEFAULT_LIMIT: usize = 200;
/// At most so many matching lines, or files, are shown.
const MAX_LIMIT: usize = 2000;
/// At most so many lines around each.
const MAX_CONTEXT: usize = 20;
/// A file of which more than this has to be held at once, for a line of it or for `multiline`, is left out.
const MAX_HELD_BYTES: usize = 64 * 1024 * 1024;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// A regular expression, as ripgrep has it.
    pattern: String,
    /// Folder or file to look in. Default: the working folder.
    #[serde(default)]
    path: Option<String>,
    /// Only files that fit this glob.
    #[serde(default)]
    glob: Option<String>,
    /// What is shown. Default: lines.
    #[serde(default)]
    output: Output,
    /// Lines to show around each match, at most 20. Default 0.
    #[serde(default)]
    context: usize,
    /// Upper and lower case are the same. Default false.
    #[serde(default)]
    ignore_case: bool,
    /// The pattern is plain text. Default false.
    #[serde(default)]
    literal: bool,
    /// A match may go over several lines. Default false.
    #[serde(default)]
    multiline: bool,
    /// Also hidden files. Default false.
    #[serde(default)]
    hidden: bool,
    /// Also what .gitignore leaves out. Default false.
    #[serde(default)]
    ignored: bool,
    /// How many matching lines, or files, to show at most. Default 200.
    #[serde(default)]
    limit: Option<usize>,
}

/// What is shown of the matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Output {
    #[default]
    Lines,
    Files,
    Counts,
}

/// One call.
struct Call {
    input: Input,
    matcher: RegexMatcher,
    glob: Option<Pattern>,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Searches text files for a pattern. Shows matching lines with their numbers by file, or the files, or the \
         number of matching lines of each.",
    )
});

/// Searches files.
pub(super) struct Grep;

impl Tool for Grep {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let input: Input = input::read(NAME, input)?;
        if input.pattern.is_empty() {
            return Err(ToolFailure("the pattern is empty; use glob to find files by name".to_owned()));
        }
        if input.context > MAX_CONTEXT {
            return Err(ToolFailure(format!("context is {}; expected at most {MAX_CONTEXT}", input.context)));
        }
        if input.limit.is_some_and(|limit| !(1..=MAX_LIMIT).contains(&limit)) {
            return Err(ToolFailure(format!("limit must be 1 to {MAX_LIMIT}")));
        }
        let matcher = matcher(&input)?;
        let glob = input.glob.as_deref().map(Pattern::new).transpose().map_err(ToolFailure)?;
        Ok(Box::new(Call { input, matcher, glob }))
    }
}

fn matcher(input: &Input) -> Result<RegexMatcher, ToolFailure> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).case_insensitive(input.ignore_case).fixed_strings(input.literal);
    if !input.multiline {
        // No match goes beyond its line, and the end of a line is one whether or not CR stands before LF.
        builder.crlf(true);
    }
    builder.build(&input.pattern).map_err(|error| {
        let hint = if input.pattern.contains('\n') || input.pattern.contains("\\n") {
            "; to match over several lines set multiline"
        } else {
            "; to find plain text set literal"
        };
        ToolFailure(format!("the pattern is no regular expression: {error}{hint}"))
    })
}

impl Call {
    fn path(&self) -> &str {
        self.input.path.as_deref().unwrap_or(".")
    }

    fn searcher(&self) -> Searcher {
        let line_end = if self.input.multiline { LineTerminator::default() } else { LineTerminator::crlf() };
        SearcherBuilder::new()
            .line_terminator(line_end)
            .binary_detection(BinaryDetection::quit(0))
            .line_number(self.input.output == Output::Lines)
            .before_context(self.context())
            .after_context(self.context())
            .multi_line(self.input.multiline)
            .heap_limit(Some(MAX_HELD_BYTES))
            .build()
    }

    fn context(&self) -> usize {
        if self.input.output == Output::Lines { self.input.context } else { 0 }
    }

    fn search(&self, context: ToolContext) -> Result<ToolOutput, ToolFailure> {
        let walk = Walk { hidden: self.input.hidden, ignored: self.input.ignored, ..Walk::default() };
        let search = Search::new(context, walk)?;
        let limit = self.input.limit.unwrap_or(DEFAULT_LIMIT);
        let firsts = Mutex::new(Firsts::new(limit));
        let unreadable = AtomicUsize::new(0);
        let mut walked = search.run(|| {
            let (mut searcher, matcher) = (self.searcher(), self.matcher.clone());
            let (search, firsts, unreadable) = (&search, &firsts, &unreadable);
            Box::new(move |found, below| {
                if found.kind != FoundKind::File || self.glob.as_ref().is_some_and(|glob| !glob.fits(below)) {
                    return;
                }
                match self.hits(&mut searcher, &matcher, found, limit, search) {
                    Ok(Some(hits)) => {
                        let weight = if self.input.output == Output::Lines { hits.lines } else { 1 };
                        search::add(firsts, found.path, weight, || hits);
                    }
                    Ok(None) => {}
                    Err(_) => {
                        unreadable.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        })?;
        walked.unreadable += unreadable.into_inner();
        Ok(self.told(&search, firsts, walked))
    }

    /// What matches in one file; absent when nothing does, or when it is binary.
    fn hits(
        &self,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        found: &Found<'_>,
        limit: usize,
        search: &Search,
    ) -> io::Result<Option<Hits>> {
        let file = Stopping { file: found.open()?, search };
        let mut hits = match self.input.output {
            Output::Lines => Hits::keeping(matcher, Keep { lines: limit, bytes: search.max_bytes() }),
            Output::Files => Hits::first(matcher),
            Output::Counts => Hits::keeping(matcher, Keep::default()),
        };
        searcher.search_reader(matcher, file, &mut hits)?;
        Ok(hits.into_found())
    }

    fn told(&self, search: &Search, firsts: Mutex<Firsts<Hits>>, walked: Walked) -> ToolOutput {
        let files = firsts.lock().unwrap_or_else(PoisonError::into_inner).things();
        let mut lines_left = self.input.limit.unwrap_or(DEFAULT_LIMIT);
        let show = |path: &Path, hits: Hits, room: Room| {
            let path = search.shown(path);
            match self.input.output {
                Output::Lines => {
                    let bytes = room.bytes.saturating_sub(path.len() + 2);
                    let (text, lines) = hits.first_lines(Keep { lines: lines_left, bytes }, room.is_first)?;
                    lines_left -= lines;
                    Some((format!("{path}\n{text}\n"), lines))
                }
                Output::Files => room.line(path),
                Output::Counts => room.line(format!("{path}: {}", hits.lines)),
            }
        };
        search.told(firsts, walked, show, |shown, total| {
            let in_files = search::count(files, "file", "files");
            match self.input.output {
                _ if total == 0 => "no match".to_owned(),
                Output::Lines => {
                    let lines = search::count(total, "matching line", "matching lines");
                    if shown < total {
                        format!("the first {shown} of {lines} in {in_files}; narrow the search to see others")
                    } else {
                        format!("{lines} in {in_files}")
                    }
                }
                Output::Files | Output::Counts if shown < total => {
                    format!("the first {shown} of {in_files}; narrow the search to see others")
                }
                Output::Files | Output::Counts => in_files,
            }
        })
    }
}

impl ToolRun for Call {
    fn target(&self) -> Target {
        search::target(&format!("Search for {:?}", self.input.pattern), self.path())
    }

    fn tree(&self) -> Option<String> {
        Some(self.path().to_owned())
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || self.search(context).unwrap_or_else(ToolOutput::from)))
    }
}
