//! Texts with differences folded away that are easily got wrong, and the way back from a place in the folded text to
//! the place in the real one.

use std::ops::Range;

/// What is folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// CRLF counts as LF.
    LineEnds,
    /// So does it here; and quotes, dashes and spaces of any kind count as the plain ones.
    Punctuation,
}

impl Fold {
    /// The text, folded.
    pub(super) fn text(self, text: &str) -> String {
        self.chars(text).map(|(_, c)| c).collect()
    }

    /// Where places in the folded text are in the real one. They must rise.
    pub(super) fn real(self, text: &str, places: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut chars = self.chars(text);
        let (mut folded, mut real) = (0, 0);
        places
            .into_iter()
            .map(|place| {
                while folded < place {
                    let Some((range, c)) = chars.next() else { break };
                    folded += c.len_utf8();
                    real = range.end;
                }
                real
            })
            .collect()
    }

    fn chars(self, text: &str) -> impl Iterator<Item = (Range<usize>, char)> {
        let mut all = text.char_indices().peekable();
        std::iter::from_fn(move || {
            let (start, c) = all.next()?;
            if c == '\r'
                && let Some((at, _)) = all.next_if(|(_, next)| *next == '\n')
            {
                return Some((start..at + 1, '\n'));
            }
            let folded = if self == Self::Punctuation { plain(c) } else { c };
            Some((start..start + c.len_utf8(), folded))
        })
    }
}

/// The character on a keyboard that stands for this one.
pub(super) const fn plain(c: char) -> char {
    match c {
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{FF07}' => '\'',
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '\u{FF02}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}' => '-',
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_leads_back_to_where_it_came_from() {
        let text = "a\r\n\u{201C}b\u{201D}\u{2014}c\r";
        assert_eq!(Fold::LineEnds.text(text), "a\n\u{201C}b\u{201D}\u{2014}c\r");
        let folded = Fold::Punctuation.text(text);
        assert_eq!(folded, "a\n\"b\"-c\r");
        let all = 0..=folded.len();
        let real = Fold::Punctuation.real(text, all.clone());
        let rest: Vec<String> = real.iter().map(|real| Fold::Punctuation.text(&text[*real..])).collect();
        assert_eq!(rest, all.map(|place| folded[place..].to_owned()).collect::<Vec<_>>());
    }
}
