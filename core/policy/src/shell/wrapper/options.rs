//! Splits the options of a wrapper from what it runs, by the options that it is known to have.

use crate::shell::facts::Word;

/// The options that a program is known to have.
pub(super) struct Options {
    /// Letters without a value. A `-` among them means that a lone dash is an option.
    pub(super) flags: &'static str,
    /// Letters with a value, in the same word or the next.
    pub(super) valued: &'static str,
    /// Long options without a value.
    pub(super) long: &'static [&'static str],
    /// Long options with a value, behind `=` or in the next word.
    pub(super) long_valued: &'static [&'static str],
    /// A number behind a dash is an option: `nice -5`.
    pub(super) numbers: bool,
}

/// Options, and the words behind them.
pub(super) struct Split<'a> {
    /// Each with its dashes and its value.
    pub(super) options: Vec<(String, Option<String>)>,
    /// The words from the first that is no option.
    pub(super) rest: &'a [Word],
}

impl Split<'_> {
    pub(super) fn has(&self, wanted: &[&str]) -> bool {
        self.options.iter().any(|(option, _)| wanted.contains(&option.as_str()))
    }
}

impl Options {
    /// Takes the options off the front, or says which word could be an option of a kind that is not known.
    pub(super) fn split<'a>(&self, mut words: &'a [Word]) -> Result<Split<'a>, String> {
        let mut options = Vec::new();
        while let [first, rest @ ..] = words {
            let word = match first {
                Word::Literal(word) => word,
                Word::Varying { text, .. } => return Err(format!("the word {text} may be an option or the program")),
            };
            if word == "--" {
                words = rest;
                break;
            }
            if !word.starts_with('-') || (word == "-" && !self.flags.contains('-')) {
                break;
            }
            words = rest;
            let is_number = word.len() > 1 && word.bytes().skip(1).all(|byte| byte.is_ascii_digit());
            if word == "-" {
                options.push(("--".to_owned(), None));
            } else if self.numbers && is_number {
                options.push((word.clone(), None));
            } else if word.starts_with("--") {
                words = self.long(word, words, &mut options)?;
            } else {
                words = self.short(word, words, &mut options)?;
            }
        }
        Ok(Split { options, rest: words })
    }

    fn long<'a>(
        &self,
        word: &str,
        next: &'a [Word],
        options: &mut Vec<(String, Option<String>)>,
    ) -> Result<&'a [Word], String> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        match value {
            None if self.long.contains(&name) => {
                options.push((name.to_owned(), None));
                Ok(next)
            }
            Some(value) if self.long_valued.contains(&name) => {
                options.push((name.to_owned(), Some(value)));
                Ok(next)
            }
            None if self.long_valued.contains(&name) => self.value(name.to_owned(), next, options),
            _ => Err(format!("the option {name} is not known")),
        }
    }

    fn short<'a>(
        &self,
        word: &str,
        next: &'a [Word],
        options: &mut Vec<(String, Option<String>)>,
    ) -> Result<&'a [Word], String> {
        for (at, letter) in word.char_indices().skip(1) {
            let option = format!("-{letter}");
            if self.valued.contains(letter) {
                let value = word.get(at + letter.len_utf8()..).filter(|value| !value.is_empty());
                return match value {
                    Some(value) => {
                        options.push((option, Some(value.to_owned())));
                        Ok(next)
                    }
                    None => self.value(option, next, options),
                };
            }
            if letter == '-' || !self.flags.contains(letter) {
                return Err(format!("the option {option} is not known"));
            }
            options.push((option, None));
        }
        Ok(next)
    }

    fn value<'a>(
        &self,
        option: String,
        next: &'a [Word],
        options: &mut Vec<(String, Option<String>)>,
    ) -> Result<&'a [Word], String> {
        match next {
            [Word::Literal(value), rest @ ..] => {
                options.push((option, Some(value.clone())));
                Ok(rest)
            }
            _ => Err(format!("the value of the option {option} is not known")),
        }
    }
}
