//! Where a piece of text stands in a file, as a model remembers it: a short ladder of ways to be nearly right.
//!
//! Each rung forgives one more thing and is tried only where the one above finds nothing. One that finds several places
//! refuses. None guesses: what it finds differs from what was wanted in what it forgives and in nothing else. Where
//! something was forgiven, what old and new text have in common stays as it stands in the file.

use std::ops::Range;

use super::fold::Fold;
use super::lines::{Line, find, lines, without_trailing_blanks};
use super::nearest::nearest;
use super::text::LineEnds;
use super::text_file::MAX_FILE_BYTES;

/// What is to be replaced by what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edit<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    /// Everywhere, and not in the one place.
    pub(super) all: bool,
}

/// What came of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) places: usize,
    /// What was forgiven.
    pub(super) forgiven: Option<&'static str>,
}

/// Why an edit cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// The old text is not there; the lines most like it, with their numbers.
    Nowhere { nearest: Option<String> },
    /// It is there several times, in these lines.
    Several { lines: Vec<usize> },
    /// What comes of it is larger than can be.
    TooLarge,
}

/// A piece of the text, and what takes its place.
type Change = (Range<usize>, String);

/// The changes that a way of looking finds; none when it finds nothing.
type Rung = fn(&str, &Edit<'_>) -> Result<Vec<Change>, Misfit>;

const LADDER: [(Option<&str>, Rung); 5] = [
    (None, exact),
    (Some("line ends"), line_ends),
    (Some("blanks at the ends of lines"), trailing_blanks),
    (Some("indentation"), indentation),
    (Some("kinds of quotes, dashes or spaces"), punctuation),
];

/// Makes an edit. The old text must not be empty.
pub(super) fn apply(text: &str, edit: &Edit<'_>) -> Result<Edited, Misfit> {
    for (forgiven, rung) in LADDER {
        let changes = rung(text, edit)?;
        if !changes.is_empty() {
            return Ok(Edited { text: changed(text, &changes), places: changes.len(), forgiven });
        }
    }
    Err(Misfit::Nowhere { nearest: nearest(text, edit.old) })
}

/// Decides, before anything is made, whether the edit can be made in the places that begin at `starts`: many short
/// pieces may be replaced by long ones.
fn decide(text: &str, edit: &Edit<'_>, starts: &[usize]) -> Result<(), Misfit> {
    if starts.len() > 1 && !edit.all {
        return Err(Misfit::Several { lines: numbers_of(text, starts) });
    }
    let taken = if starts.is_empty() { 0 } else { edit.old.len() };
    let bytes =
        starts.len().checked_mul(edit.new.len().saturating_sub(taken)).and_then(|put| put.checked_add(text.len()));
    match bytes.and_then(|bytes| u64::try_from(bytes).ok()) {
        Some(bytes) if bytes <= MAX_FILE_BYTES => Ok(()),
        _ => Err(Misfit::TooLarge),
    }
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (range, with) in changes {
        out.push_str(&text[from..range.start]);
        out.push_str(with);
        from = range.end;
    }
    out.push_str(&text[from..]);
    out
}

/// The numbers of the lines in which these places are, from 1. They must rise.
fn numbers_of(text: &str, places: &[usize]) -> Vec<usize> {
    let (mut counted, mut line) = (0, 1);
    let number = |place: &usize| {
        line += text[counted..*place].matches('\n').count();
        counted = *place;
        line
    };
    places.iter().map(number).collect()
}

fn exact(text: &str, edit: &Edit<'_>) -> Result<Vec<Change>, Misfit> {
    let starts: Vec<usize> = text.match_indices(edit.old).map(|(at, _)| at).collect();
    decide(text, edit, &starts)?;
    // Who writes CRLF knows how the lines end, and means what the new text says.
    let ends = if edit.old.contains('\r') { LineEnds::Lf } else { LineEnds::of(text) };
    let with = ends.adapt(edit.new);
    Ok(starts.into_iter().map(|at| (at..at + edit.old.len(), with.clone().into_owned())).collect())
}

fn line_ends(text: &str, edit: &Edit<'_>) -> Result<Vec<Change>, Misfit> {
    if text.contains('\r') || edit.old.contains('\r') { folded(text, edit, Fold::LineEnds) } else { Ok(Vec::new()) }
}

fn punctuation(text: &str, edit: &Edit<'_>) -> Result<Vec<Change>, Misfit> {
    folded(text, edit, Fold::Punctuation)
}

/// Finds the old text where both are folded. What old and new text have in common stays as it stands in the file.
fn folded(text: &str, edit: &Edit<'_>, fold: Fold) -> Result<Vec<Change>, Misfit> {
    let (all, old, new) = (fold.text(text), fold.text(edit.old), fold.text(edit.new));
    let (head, tail) = if old == new { (0, 0) } else { common(&old, &new) };
    let places = all.match_indices(&old).flat_map(|(at, found)| [at + head, at + found.len() - tail]);
    let places = fold.real(text, places);
    let (pairs, _) = places.as_chunks::<2>();
    decide(text, edit, &pairs.iter().map(|[start, _]| *start).collect::<Vec<_>>())?;
    let new = match fold.real(edit.new, [head, new.len() - tail]).as_slice() {
        [start, end] => &edit.new[*start..*end],
        _ => edit.new,
    };
    let ends = LineEnds::of(text);
    Ok(pairs.iter().map(|[start, end]| (*start..*end, in_style(text, *start..*end, ends, new))).collect())
}

/// A new piece with line ends like those of the piece that it replaces, else like those of the text.
fn in_style(text: &str, range: Range<usize>, ends: LineEnds, new: &str) -> String {
    let has_crlf = text.get(range).is_some_and(|old| old.contains("\r\n"));
    let ends = if has_crlf { LineEnds::CrLf } else { ends };
    match ends {
        LineEnds::CrLf => ends.adapt(new).into_owned(),
        LineEnds::Lf => new.replace("\r\n", "\n"),
        LineEnds::Mixed => new.to_owned(),
    }
}

/// How many bytes two texts have in common at their beginning, and then at their end.
fn common(one: &str, other: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = one.chars().zip(other.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (one, other) = (&one[head..], &other[head..]);
    let tail = one.chars().rev().zip(other.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    (head, tail)
}

fn trailing_blanks(text: &str, edit: &Edit<'_>) -> Result<Vec<Change>, Misfit> {
    whole_lines(text, edit, without_trailing_blanks, |_, _| Some(Shift::None))
}

fn indentation(text: &str, edit: &Edit<'_>) -> Result<Vec<Change>, Misfit> {
    whole_lines(text, edit, |line| line.trim_matches([' ', '\t']), shift)
}

/// How the indentation of lines in the file differs from that of the old text.
#[derive(Clone, Copy)]
enum Shift<'a> {
    None,
    /// Every line that is not blank has this before it.
    In(&'a str),
    /// Every line that is not blank has this less before it.
    Out(&'a str),
}

impl Shift<'_> {
    /// Whether a new line can be shifted alike.
    fn fits(self, line: &str) -> bool {
        match self {
            Self::None | Self::In(_) => true,
            Self::Out(less) => line.trim().is_empty() || line.starts_with(less),
        }
    }

    /// A new line, shifted alike.
    fn of(self, line: &str) -> String {
        match self {
            Self::In(more) if !line.trim().is_empty() => format!("{more}{line}"),
            Self::Out(less) => line.strip_prefix(less).unwrap_or(line).to_owned(),
            Self::None | Self::In(_) => line.to_owned(),
        }
    }
}

/// The one shift by which all lines differ; absent when they differ otherwise.
fn shift<'a>(found: &[Line<'a>], old: &[&'a str]) -> Option<Shift<'a>> {
    let mut one = None;
    for (line, old) in found.iter().zip(old).filter(|(_, old)| !old.trim().is_empty()) {
        let indent = |line: &'a str| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        let (is, was) = (indent(line.text), indent(old));
        let now = match (is.strip_suffix(was), was.strip_suffix(is)) {
            (Some(more), _) => (true, more),
            (None, Some(less)) => (false, less),
            (None, None) => return None,
        };
        if *one.get_or_insert(now) != now {
            return None;
        }
    }
    one.map(|(inward, by)| if inward { Shift::In(by) } else { Shift::Out(by) })
}

/// Finds the old text as whole lines, each taken as what `key` makes of it. Lines that old and new text have in common
/// at their beginning and end stay as they stand in the file.
fn whole_lines<'a>(
    text: &'a str,
    edit: &Edit<'a>,
    key: impl Fn(&'a str) -> &'a str,
    shift: impl Fn(&[Line<'a>], &[&'a str]) -> Option<Shift<'a>>,
) -> Result<Vec<Change>, Misfit> {
    let all = lines(text);
    let texts = |text: &'a str| -> Vec<&'a str> { lines(text).iter().map(|line| line.text).collect() };
    let (old, new) = (texts(edit.old), texts(edit.new));
    if old.iter().all(|line| key(line).is_empty()) {
        return Ok(Vec::new());
    }
    let (old_closed, new_closed) = (edit.old.ends_with('\n'), edit.new.ends_with('\n'));
    let (head, tail) = if old_closed == new_closed { common_lines(&old, &new) } else { (0, 0) };
    let new = &new[head..new.len() - tail];
    let place = |at: usize| {
        let found = all.get(at..at + old.len())?;
        let shift = shift(found, &old)?;
        new.iter().all(|line| shift.fits(line)).then_some(())?;
        Some((found.get(head)?, found.get(found.len() - 1 - tail)?, shift))
    };
    let places: Vec<_> = find(&all, &old, |line| key(line).to_owned()).into_iter().filter_map(place).collect();
    decide(text, edit, &places.iter().map(|(first, ..)| first.start).collect::<Vec<_>>())?;
    let ends = LineEnds::of(text);
    let change = |(first, last, shift): (&Line<'a>, &Line<'a>, Shift<'a>)| {
        let mut with = new.iter().map(|line| shift.of(line)).collect::<Vec<_>>().join("\n");
        if new_closed && !old_closed {
            with.push('\n');
        }
        // The old text may have taken in the end of its last line.
        let range = first.start..if old_closed && !new_closed { last.next() } else { last.stop() };
        (range.clone(), in_style(text, range, ends, &with))
    };
    Ok(places.into_iter().map(change).collect())
}

/// How many lines two lists have in common at their beginning, and then at their end; at least one of each list is
/// left over, unless it has none.
fn common_lines(old: &[&str], new: &[&str]) -> (usize, usize) {
    let most = old.len().min(new.len()).saturating_sub(1);
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(same).count().min(most);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count().min(most - head);
    (head, tail)
}

#[cfg(test)]
mod tests;
