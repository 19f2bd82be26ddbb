//! The lines of a text that are most like a piece that does not stand in it.

use std::collections::HashMap;

use super::lines::{Line, lines};
use super::read_file::shown_line;

/// At most so many lines are shown.
const MAX_SHOWN: usize = 12;
/// Lines beyond this one are not compared letter by letter.
const MAX_COMPARED: usize = 20_000;
/// Lines longer than this are not either.
const MAX_COMPARED_BYTES: usize = 200;
/// How alike a line must be: 1 is the same.
const ALIKE: f64 = 0.5;

/// The lines where most lines of `wanted` stand in their order, or where one is that looks like its first; with
/// their numbers and a line before and after. Absent when nothing is like it.
pub(super) fn nearest(text: &str, wanted: &str) -> Option<String> {
    let (all, wanted) = (lines(text), lines(wanted));
    let start = by_votes(&all, &wanted).or_else(|| by_letters(&all, &wanted))?;
    let from = start.saturating_sub(1);
    let shown = all.iter().enumerate().skip(from).take((wanted.len() + 2).min(MAX_SHOWN));
    Some(shown.map(|(index, line)| shown_line(index + 1, line.text).0).collect())
}

/// Every line of the text that is like a line of the piece, but for blanks around it, votes for where the piece would
/// begin then.
fn by_votes(all: &[Line<'_>], wanted: &[Line<'_>]) -> Option<usize> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (index, line) in wanted.iter().enumerate().filter(|(_, line)| !line.text.trim().is_empty()) {
        places.entry(line.text.trim()).or_insert(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (index, line) in all.iter().enumerate() {
        if let Some(start) = places.get(line.text.trim()).and_then(|place| index.checked_sub(*place)) {
            *votes.entry(start).or_default() += 1;
        }
    }
    // Of those with as many votes, the first.
    votes.into_iter().max_by_key(|(start, votes)| (*votes, std::cmp::Reverse(*start))).map(|(start, _)| start)
}

/// The line that looks most like the first of the piece.
fn by_letters(all: &[Line<'_>], wanted: &[Line<'_>]) -> Option<usize> {
    let first = wanted.iter().map(|line| line.text.trim()).find(|line| !line.is_empty())?;
    if first.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let mut best = (ALIKE, None);
    for (index, line) in
        all.iter().enumerate().take(MAX_COMPARED).filter(|(_, line)| line.text.len() <= MAX_COMPARED_BYTES)
    {
        let alike = strsim::sorensen_dice(line.text.trim(), first);
        if alike > best.0 {
            best = (alike, Some(index));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_other_words_is_found_by_its_letters() {
        let shown = nearest("one\nlet total = sum(items);\nthree\n", "let total = sum(item);");
        assert_eq!(shown.as_deref(), Some("1\tone\n2\tlet total = sum(items);\n3\tthree\n"));
    }

    #[test]
    fn nothing_is_shown_where_nothing_is_alike() {
        assert_eq!(nearest("one\ntwo\n", "completely different"), None);
        assert_eq!(nearest("", "a"), None);
    }
}
