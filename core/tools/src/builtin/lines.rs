//! Texts as lists of lines, and lists of lines found in one another.

/// One line of a text, by where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) start: usize,
    /// Without its end.
    pub(super) text: &'a str,
    /// `"\n"`, `"\r\n"`, or nothing at the end of the text.
    pub(super) end: &'a str,
}

impl Line<'_> {
    /// Where its text ends.
    pub(super) const fn stop(&self) -> usize {
        self.start + self.text.len()
    }

    /// Where the next line begins.
    pub(super) const fn next(&self) -> usize {
        self.stop() + self.end.len()
    }
}

/// The lines of a text. A line end at its end begins no further line.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|whole| {
            let line = whole.strip_suffix('\n').unwrap_or(whole);
            let line = if line.len() < whole.len() { line.strip_suffix('\r').unwrap_or(line) } else { line };
            let found = Line { start, text: line, end: &whole[line.len()..] };
            start += whole.len();
            found
        })
        .collect()
}

/// Where `wanted` stands among `lines` when each line counts as what `key` makes of it. Takes time in proportion to
/// the text, whatever it is.
pub(super) fn find<'a>(lines: &[Line<'a>], wanted: &[&'a str], key: impl Fn(&'a str) -> String) -> Vec<usize> {
    if wanted.is_empty() || lines.len() < wanted.len() {
        return Vec::new();
    }
    let joined = |texts: &mut dyn Iterator<Item = &'a str>| -> String {
        let mut all = String::new();
        for text in texts {
            all.push_str(&key(text));
            all.push('\n');
        }
        all
    };
    let all = joined(&mut lines.iter().map(|line| line.text));
    let wanted = joined(&mut wanted.iter().copied());
    let (mut counted, mut line) = (0, 0);
    let mut found = Vec::new();
    for (at, _) in all.match_indices(&wanted) {
        if at > 0 && all.as_bytes().get(at - 1) != Some(&b'\n') {
            continue;
        }
        line += all.get(counted..at).unwrap_or_default().matches('\n').count();
        counted = at;
        found.push(line);
    }
    found
}

/// Without the blanks at its end.
pub(super) fn without_trailing_blanks(line: &str) -> &str {
    line.trim_end_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_where_they_stand_and_how_they_end() {
        let text = "a\r\nb\n\nc";
        let all: Vec<(usize, &str, &str)> = lines(text).iter().map(|line| (line.start, line.text, line.end)).collect();
        assert_eq!(all, [(0, "a", "\r\n"), (3, "b", "\n"), (5, "", "\n"), (6, "c", "")]);
        assert!(lines("").is_empty());
    }

    #[test]
    fn lines_are_found_whole_and_neighbours_each() {
        let text = "aa\na\na\nb\n";
        let found = |wanted: &[&'static str]| find(&lines(text), wanted, str::to_owned);
        assert_eq!(found(&["a"]), [1, 2]);
        assert_eq!(found(&["a", "b"]), [2]);
        assert_eq!(found(&["b", "a"]), [0; 0]);
    }
}
