//! From the text of a patch to what it says.

use std::collections::HashSet;

use super::{FilePatch, Hunk, HunkLine, Patch};

/// A patch may have at most so many bytes.
pub(super) const MAX_PATCH_BYTES: usize = 1024 * 1024;
/// At most so many files.
pub(super) const MAX_PATCH_FILES: usize = 100;
/// At most so many changes in all of them.
pub(super) const MAX_PATCH_HUNKS: usize = 1000;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// Reads a patch.
///
/// # Errors
/// Names the line, says what was found there and what was expected.
pub fn parse(text: &str) -> Result<Patch, String> {
    if text.len() > MAX_PATCH_BYTES {
        return Err(format!("the patch has {} bytes; at most {MAX_PATCH_BYTES} are taken", text.len()));
    }
    let mut lines = Lines::of(text);
    lines.expect(BEGIN)?;
    let mut files = Vec::new();
    let mut paths = HashSet::new();
    let mut hunks_left = MAX_PATCH_HUNKS;
    while !lines.take(END) {
        let file = file(&mut lines, &mut hunks_left)?;
        let (path, move_to) = match &file {
            FilePatch::Add { path, .. } | FilePatch::Delete { path } => (path, None),
            FilePatch::Update { path, move_to, .. } => (path, move_to.as_ref()),
        };
        for path in std::iter::once(path).chain(move_to) {
            if !paths.insert(path.clone()) {
                return Err(format!("{path} stands in the patch twice; put all that happens to a file in one place"));
            }
        }
        files.push(file);
        if files.len() > MAX_PATCH_FILES {
            return Err(format!("the patch has more than {MAX_PATCH_FILES} files; make several of it"));
        }
    }
    match (lines.peek(), files.is_empty()) {
        (Some(_), _) => Err(lines.wrong(&format!("nothing after {END:?}"))),
        (None, true) => Err("the patch changes no file".to_owned()),
        (None, false) => Ok(Patch { files }),
    }
}

/// The lines of a patch, one after the other. Blank ones before and after it do not count.
struct Lines<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        let at = lines.iter().take_while(|line| line.trim().is_empty()).count();
        Self { lines, at }
    }

    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    /// Goes over a line that is this one, blanks at its end aside.
    fn take(&mut self, expected: &str) -> bool {
        let is = self.peek().is_some_and(|line| line.trim_end() == expected);
        self.at += usize::from(is);
        is
    }

    /// Goes over a line that begins like this, and gives the rest of it.
    fn rest_of(&mut self, start: &str) -> Option<&'a str> {
        let rest = self.peek()?.strip_prefix(start)?;
        self.at += 1;
        Some(rest)
    }

    fn expect(&mut self, expected: &str) -> Result<(), String> {
        if self.take(expected) { Ok(()) } else { Err(self.wrong(&format!("{expected:?}"))) }
    }

    fn wrong(&self, expected: &str) -> String {
        match self.peek() {
            Some(line) => {
                let shown: String = line.chars().take(80).collect();
                format!("line {} of the patch: expected {expected}, found {shown:?}", self.at + 1)
            }
            None => format!("the patch ends too early: expected {expected}"),
        }
    }
}

fn file(lines: &mut Lines<'_>, hunks_left: &mut usize) -> Result<FilePatch, String> {
    if let Some(path) = lines.rest_of(ADD) {
        let path = path_of(lines, path)?;
        let mut content = String::new();
        while let Some(line) = lines.rest_of("+") {
            content.push_str(line);
            content.push('\n');
        }
        return Ok(FilePatch::Add { path, content });
    }
    if let Some(path) = lines.rest_of(DELETE) {
        return Ok(FilePatch::Delete { path: path_of(lines, path)? });
    }
    if let Some(path) = lines.rest_of(UPDATE) {
        let path = path_of(lines, path)?;
        let move_to = match lines.rest_of(MOVE) {
            Some(to) => Some(path_of(lines, to)?),
            None => None,
        };
        let mut hunks = Vec::new();
        while lines.peek().is_some_and(|line| !line.starts_with("***")) {
            *hunks_left = hunks_left
                .checked_sub(1)
                .ok_or_else(|| format!("the patch has more than {MAX_PATCH_HUNKS} changes; make several of it"))?;
            hunks.push(hunk(lines)?);
        }
        if hunks.is_empty() && move_to.is_none() {
            return Err(lines.wrong(&format!("a change of {path}: \"@@\", or a line that begins with a space, - or +")));
        }
        return Ok(FilePatch::Update { path, move_to, hunks });
    }
    Err(lines.wrong(&format!("{ADD:?}, {UPDATE:?} or {DELETE:?} with a path, or {END:?}")))
}

fn path_of(lines: &Lines<'_>, path: &str) -> Result<String, String> {
    let path = path.trim();
    if path.is_empty() { Err(format!("line {} of the patch: expected a path", lines.at)) } else { Ok(path.to_owned()) }
}

fn hunk(lines: &mut Lines<'_>) -> Result<Hunk, String> {
    let mut below = Vec::new();
    while let Some(rest) = lines.rest_of("@@") {
        match rest.strip_prefix(' ') {
            Some(header) if !header.trim().is_empty() => below.push(header.to_owned()),
            _ if rest.trim().is_empty() => {}
            _ => {
                lines.at -= 1;
                return Err(lines.wrong("\"@@\" alone, or \"@@ \" and a line of the file"));
            }
        }
    }
    let mut found = Vec::new();
    while let Some(line) = lines.peek() {
        found.push(match (line.split_at_checked(1), line) {
            (Some((" ", rest)), _) => HunkLine::Keep(rest.to_owned()),
            (Some(("-", rest)), _) => HunkLine::Remove(rest.to_owned()),
            (Some(("+", rest)), _) => HunkLine::Add(rest.to_owned()),
            // The space before an empty line is easily lost.
            (None, "") => HunkLine::Keep(String::new()),
            _ => break,
        });
        lines.at += 1;
    }
    if found.is_empty() {
        return Err(lines.wrong("a line that begins with a space, - or +"));
    }
    if found.iter().all(|line| matches!(line, HunkLine::Keep(_))) {
        return Err(format!("the change before line {} of the patch has no line with - or +", lines.at + 1));
    }
    let at_end = lines.take(END_OF_FILE);
    match lines.peek() {
        Some(line) if !line.starts_with("@@") && !line.starts_with("***") => {
            Err(lines.wrong("a line that begins with a space, -, + or @@, or the next part of the patch"))
        }
        _ => Ok(Hunk { below, lines: found, at_end }),
    }
}
