//! Text with `*` for any letters and `?` for one; all else is itself.

/// Stands for `/`, which means nothing here but much in globs.
const SLASH: char = '\u{1}';

/// A text with wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wildcard(String);

impl Wildcard {
    pub(crate) fn new(text: &str) -> Self {
        Self(without_slashes(&escaped(text)))
    }

    pub(crate) fn names(&self, text: &str) -> bool {
        fast_glob::glob_match(&self.0, without_slashes(text))
    }
}

/// A glob with everything but `*` and `?` made literal.
pub(crate) fn escaped(text: &str) -> String {
    escaping(text, |c| matches!(c, '\\' | '[' | ']' | '{' | '}' | '!'))
}

/// A glob with every letter made literal.
pub(crate) fn literal(text: &str) -> String {
    escaping(text, |c| matches!(c, '\\' | '[' | ']' | '{' | '}' | '!' | '*' | '?'))
}

/// The text that a glob stands for, if it stands for one alone.
pub(crate) fn unescaped(glob: &str) -> Option<String> {
    let mut out = String::with_capacity(glob.len());
    let mut letters = glob.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '*' | '?' => return None,
            '\\' => out.push(letters.next()?),
            letter => out.push(letter),
        }
    }
    Some(out)
}

fn escaping(text: &str, is_special: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_special(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn without_slashes(text: &str) -> String {
    text.chars().map(|c| if c == '/' { SLASH } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_letters_and_all_else_is_itself() {
        for (pattern, text, fits) in [
            ("a*c", "abbc", true),
            ("a*c", "a/b/c", true),
            ("a**c", "a/b/c", true),
            ("a?c", "a/c", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("*a", "b", false),
            ("[a]{b,c}!", "[a]{b,c}!", true),
            ("[a]", "a", false),
            ("{b,c}", "b", false),
            ("!a", "b", false),
            ("a\\*", "a\\b", true),
            ("mcp__*__read", "mcp__x__read", true),
            ("A", "a", false),
        ] {
            assert_eq!(Wildcard::new(pattern).names(text), fits, "{pattern:?} {text:?}");
        }
    }
}
