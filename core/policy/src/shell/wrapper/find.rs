//! `find` runs programs on what it finds.

use super::{Inner, Unwrapped, filled};
use crate::shell::facts::{Role, Word};

pub(super) fn unwrap(arguments: &[Word]) -> Unwrapped {
    let mut inner = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if !matches!(word.literal(), Some("-exec" | "-execdir" | "-ok" | "-okdir")) {
            continue;
        }
        let mut run = Vec::new();
        let mut ended = false;
        for word in words.by_ref() {
            let after_mark = matches!(run.last(), Some(Word::Literal(last)) if last == "{}");
            if word.literal() == Some(";") || (word.literal() == Some("+") && after_mark) {
                ended = true;
                break;
            }
            run.push(word.clone());
        }
        if !ended || run.is_empty() {
            return Unwrapped::hides("where the command of -exec ends is not known");
        }
        inner.push(Inner::Words { assignments: Vec::new(), words: filled(&run, "{}") });
    }
    if arguments.iter().any(|word| matches!(word, Word::Varying { splits: true, .. })) {
        return Unwrapped {
            hides: Some("a word may become -exec or -delete".to_owned()),
            ..Unwrapped::runs(Role::Acts, inner)
        };
    }
    Unwrapped::runs(Role::Acts, inner)
}
