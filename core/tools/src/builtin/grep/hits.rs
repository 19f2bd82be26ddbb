//! What matches in one file, as it is shown.

use std::io::{self, Read};

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};

use super::super::search::Search;

/// A longer line is cut around its match.
const MAX_LINE_BYTES: usize = 400;
/// How much of such a line is shown before its match.
const BEFORE_MATCH: usize = 100;

/// How much of what matches is kept.
#[derive(Clone, Copy, Default)]
pub(super) struct Keep {
    pub(super) lines: usize,
    /// As soon as there are so many bytes, no further line.
    pub(super) bytes: usize,
}

/// What matches in one file: the first lines as text, and how many there are.
pub(super) struct Hits {
    pub(super) lines: usize,
    text: String,
    /// Where each kept matching line ends in the text.
    ends: Vec<usize>,
    matcher: RegexMatcher,
    keep: Keep,
    only_first: bool,
    is_binary: bool,
}

impl Hits {
    /// Keeps so many matching lines with what is around them, and counts all.
    pub(super) fn keeping(matcher: &RegexMatcher, keep: Keep) -> Self {
        let (text, ends, matcher) = (String::new(), Vec::new(), matcher.clone());
        Self { lines: 0, text, ends, matcher, keep, only_first: false, is_binary: false }
    }

    /// Looks for a first match alone.
    pub(super) fn first(matcher: &RegexMatcher) -> Self {
        Self { only_first: true, ..Self::keeping(matcher, Keep::default()) }
    }

    /// Absent when nothing matched, or the file turned out to be binary.
    pub(super) fn into_found(self) -> Option<Self> {
        (self.lines > 0 && !self.is_binary).then_some(self)
    }

    /// The first of the kept lines, as many as may be, and how many those are; nothing where not even one may be. The
    /// first of all may be as long as it is.
    pub(super) fn first_lines(mut self, keep: Keep, is_first: bool) -> Option<(String, usize)> {
        let fitting = self.ends.partition_point(|end| *end <= keep.bytes).max(usize::from(is_first));
        let lines = fitting.min(keep.lines).min(self.ends.len());
        let is_whole = lines == self.ends.len() && self.text.len() <= keep.bytes;
        let end = *self.ends.get(lines.checked_sub(1)?)?;
        if !is_whole {
            self.text.truncate(end);
        }
        Some((self.text, lines))
    }

    fn is_full(&self) -> bool {
        self.ends.len() >= self.keep.lines || self.text.len() >= self.keep.bytes
    }

    fn show(&mut self, number: Option<u64>, mark: char, line: &[u8], is_match: bool) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let from = if is_match && line.len() > MAX_LINE_BYTES { self.start_of_match(line) } else { 0 };
        let from = from.saturating_sub(BEFORE_MATCH);
        let shown = line.get(from..(from + MAX_LINE_BYTES).min(line.len())).unwrap_or_default();
        let more = |is_cut: bool| if is_cut { "[...]" } else { "" };
        self.text.push_str(&format!(
            "{}{mark}{}{}{}\n",
            number.unwrap_or_default(),
            more(from > 0),
            String::from_utf8_lossy(shown),
            more(from + shown.len() < line.len())
        ));
    }

    fn start_of_match(&self, line: &[u8]) -> usize {
        self.matcher.find(line).ok().flatten().map_or(0, |found| found.start())
    }
}

impl Sink for &mut Hits {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        for (index, line) in found.lines().enumerate() {
            if !self.is_full() {
                let number = found.line_number().map(|number| number + index as u64);
                self.show(number, ':', line, true);
                self.ends.push(self.text.len());
            }
            self.lines += 1;
        }
        Ok(!self.only_first)
    }

    fn context(&mut self, _searcher: &Searcher, around: &SinkContext<'_>) -> Result<bool, io::Error> {
        // What stands after the last line that is kept is shown with it.
        let is_after_kept = *around.kind() == SinkContextKind::After && self.lines == self.ends.len();
        if !self.is_full() || is_after_kept {
            self.show(around.line_number(), '-', around.bytes(), false);
        }
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> Result<bool, io::Error> {
        if !self.is_full() {
            self.text.push_str("--\n");
        }
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, _offset: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _searcher: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A file that ends early when there is no more time, or nobody waits any more.
pub(super) struct Stopping<'s> {
    pub(super) file: Box<dyn Read + Send>,
    pub(super) search: &'s Search,
}

impl Read for Stopping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.search.is_over() { Ok(0) } else { self.file.read(buffer) }
    }
}
