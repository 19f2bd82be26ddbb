//! Text of a model, made harmless for a terminal.

use std::borrow::Cow;
use std::io::Write;

/// The text with every control character written out, but for line ends and tabs: no text may move the cursor, or show a
/// person something else than what it says.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_harmful(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// The same on one line: what a model wrote must not look like lines of ours.
pub(crate) fn printable_line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}

/// A line for the person. Whether it can be shown changes nothing.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(anstream::stderr(), "{}", printable_line(line));
}

fn is_harmful(c: char) -> bool {
    let changes_direction = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && !matches!(c, '\n' | '\t')) || changes_direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_as_it_is() {
        assert!(matches!(printable("a\tb\nü 漢 🦀"), Cow::Borrowed("a\tb\nü 漢 🦀")));
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(printable_line("a\n\nAllow this?"), "a\\n\\nAllow this?");
    }

    #[test]
    fn what_would_move_the_cursor_or_turn_the_text_is_written_out() {
        assert_eq!(printable("rm x\r\u{1b}[2Kls \u{202e}txt"), "rm x\\u{d}\\u{1b}[2Kls \\u{202e}txt");
    }
}
