//! The changes of one file, made in its text.

use super::super::edits::listed;
use super::super::fold::plain;
use super::super::lines::{Line, find, lines, without_trailing_blanks};
use super::super::nearest::nearest;
use super::super::text::LineEnds;
use super::{Hunk, HunkLine};

/// The text with all changes made. They are looked for from its beginning to its end, one below the other; lines that
/// stay keep every byte, new ones end as the others do, and the text ends in a line end if it did.
///
/// # Errors
/// Says of the first change that cannot be made what was looked for and what is most like it.
pub fn apply(text: &str, hunks: &[Hunk]) -> Result<String, String> {
    let all = lines(text);
    let mut out = Out::new(text);
    let mut from = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let at = place(&all, from, hunk).map_err(|misfit| format!("change {}: {}", index + 1, told(text, &misfit)))?;
        out.keep(&all[from..at]);
        from = at;
        for line in &hunk.lines {
            match line {
                HunkLine::Keep(_) => {
                    out.keep(&all[from..=from]);
                    from += 1;
                }
                HunkLine::Remove(_) => from += 1,
                HunkLine::Add(line) => out.add(line),
            }
        }
    }
    out.keep(&all[from..]);
    Ok(out.into_text())
}

/// The new text as it grows, line by line.
struct Out {
    text: String,
    /// Where the last line's end begins.
    last_end: usize,
    line_end: &'static str,
    is_closed: bool,
}

impl Out {
    fn new(before: &str) -> Self {
        let line_end = if LineEnds::of(before) == LineEnds::CrLf { "\r\n" } else { "\n" };
        let is_closed = before.is_empty() || before.ends_with('\n');
        Self { text: String::with_capacity(before.len()), last_end: 0, line_end, is_closed }
    }

    fn keep(&mut self, lines: &[Line<'_>]) {
        for line in lines {
            self.push(line.text, if line.end.is_empty() { self.line_end } else { line.end });
        }
    }

    fn add(&mut self, line: &str) {
        self.push(line, self.line_end);
    }

    fn push(&mut self, line: &str, end: &str) {
        self.text.push_str(line);
        self.last_end = self.text.len();
        self.text.push_str(end);
    }

    fn into_text(mut self) -> String {
        if !self.is_closed {
            self.text.truncate(self.last_end);
        }
        self.text
    }
}

/// Why a change has no place.
enum Misfit {
    NoSuchLine(String),
    Nowhere { wanted: String, at_end: bool },
    Several(Vec<usize>),
}

fn told(text: &str, misfit: &Misfit) -> String {
    match misfit {
        Misfit::NoSuchLine(line) => format!("there is no line {line:?} to look below, or not below the change before"),
        Misfit::Nowhere { wanted, at_end } => {
            let end = if *at_end { " at the end of the file" } else { "" };
            let like = match nearest(text, wanted) {
                Some(lines) => format!("The lines most like them are:\n{lines}"),
                None => "Read the file again and copy its lines exactly".to_owned(),
            };
            format!("these lines do not stand{end} below the change before:\n{wanted}{like}")
        }
        Misfit::Several(lines) => format!(
            "its lines stand {} times, from lines {}; add lines around the change, or an @@ line above it",
            lines.len(),
            listed(lines)
        ),
    }
}

/// The ways in which lines may be alike, the strictest first.
const ALIKE: [fn(&str) -> String; 3] = [
    str::to_owned,
    |line| without_trailing_blanks(line).to_owned(),
    |line| without_trailing_blanks(line).chars().map(plain).collect(),
];

/// The line at which a change begins, at or below line `from`.
fn place(all: &[Line<'_>], from: usize, hunk: &Hunk) -> Result<usize, Misfit> {
    let mut from = from;
    for header in &hunk.below {
        let found = all[from..].iter().position(|line| line.text.trim() == header.trim());
        from += found.ok_or_else(|| Misfit::NoSuchLine(header.clone()))? + 1;
    }
    let old: Vec<&str> = hunk
        .lines
        .iter()
        .filter_map(|line| match line {
            HunkLine::Keep(line) | HunkLine::Remove(line) => Some(line.as_str()),
            HunkLine::Add(_) => None,
        })
        .collect();
    if old.is_empty() {
        // Nothing but new lines: right below, else at the end.
        return Ok(if hunk.below.is_empty() || hunk.at_end { all.len() } else { from });
    }
    for alike in ALIKE {
        let mut found = find(&all[from..], &old, alike);
        if hunk.at_end {
            found.retain(|at| from + at + old.len() == all.len());
        }
        match found.as_slice() {
            [] => {}
            [at] => return Ok(from + at),
            // Told where to look, the first one is meant.
            [at, ..] if !hunk.below.is_empty() => return Ok(from + at),
            several => return Err(Misfit::Several(several.iter().map(|at| from + at + 1).collect())),
        }
    }
    let wanted = old.iter().map(|line| format!("{line}\n")).collect();
    Err(Misfit::Nowhere { wanted, at_end: hunk.at_end })
}
