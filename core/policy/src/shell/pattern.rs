//! The words of a rule for commands: `git status`, `npm run *`, `rm *`.
//!
//! | in a pattern | stands for |
//! |---|---|
//! | a word | that word of the command, whole |
//! | `*` as a word | any number of words, also none |
//! | `*` within a word | any characters of that word |
//! | `'...'`, `"..."`, `\x` | the characters themselves, blanks and `*` among them |
//!
//! A pattern is matched to one simple command by its words, never to the text of a line. It is used in two ways, each
//! failing to the safe side: [`Pattern::covers`] for rules that allow, [`Pattern::touches`] for rules that deny or ask.

use std::fmt;

use super::facts::{Analysis, Commands, RedirectTarget, Role, SimpleCommand, Word};
use super::program::is_standard;

/// The longest pattern.
const MAX_BYTES: usize = 4096;

/// How many words behind a possible program are looked at in code that is not read.
const NEAR: usize = 64;

/// Where the words of a command end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// With the last word.
    Here,
    /// With any word.
    Anywhere,
}

/// The words of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    program: Part,
    rest: Vec<Part>,
}

/// One word of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Any number of words.
    Any,
    /// One word: pieces with any characters between them. One piece is an exact word.
    Word(Vec<String>),
}

/// Why a text is no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// There is no word in it.
    Empty,
    /// A quote is not closed, or a backslash ends it.
    Open,
    /// It is longer than 4 KiB.
    TooLong,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "expected at least the name of a program, such as `git status` or `npm run *`",
            Self::Open => "expected each quote to be closed, and a character after each backslash",
            Self::TooLong => "expected at most 4096 bytes",
        })
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// It has no word, an open quote, or is too long.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if text.len() > MAX_BYTES {
            return Err(PatternError::TooLong);
        }
        let mut parts = parts(text)?.into_iter();
        let program = parts.next().ok_or(PatternError::Empty)?;
        Ok(Self { program, rest: parts.collect() })
    }

    /// Whether a rule of these words that allows, allows this command of the line. Everything in the command must be
    /// known and meant:
    ///
    /// - All words and texts for its input are literal, and all variables set for it are harmless.
    /// - A program by name is that name, bare or in a standard folder; a program by path is that path.
    /// - What runs code that is not read ([`Role::RunsUnseen`]) is allowed only by a pattern without `*`.
    /// - What a wrapper runs is allowed by a pattern of its own, or by one for the wrapper whose words before the first
    ///   `*` are the wrapper's and reach into the wrapped program (`npx eslint *`, not `npx *`).
    ///
    /// A wrapper that does nothing itself needs no rule: ask for each of [`Commands::to_allow`]. Files that redirects
    /// open ([`super::Redirect::file`]) are not a matter of the words: the door judges them as paths.
    #[must_use]
    pub fn covers(&self, command: &SimpleCommand, all: &Commands) -> bool {
        self.covers_alone(command)
            || command.inside.iter().filter_map(|inside| all.all().get(inside.index)).any(|wrapper| {
                self.covers_alone(wrapper) && self.reaches(command, wrapper) && command.assigns_harmlessly()
            })
    }

    fn covers_alone(&self, command: &SimpleCommand) -> bool {
        let Some(words) = command.literal_arguments() else { return false };
        let program = match &self.program {
            Part::Any => true,
            Part::Word(pieces) => match pieces.as_slice() {
                [exact] if exact.contains('/') => command.program == *exact,
                pieces => fits(pieces, command.name()) && is_standard(&command.program, command.name()),
            },
        };
        let known = command.role != Role::RunsUnseen || self.is_exact();
        let words: Vec<Option<&str>> = words.into_iter().map(Some).collect();
        let fed = command.redirects.iter().all(|it| !matches!(it.target, RedirectTarget::Text(Word::Varying { .. })));
        program && known && fed && command.assigns_harmlessly() && matches(&self.rest, &words, false, Ends::Here)
    }

    /// The words before the first `*` are enough to name the wrapped program and its first word, at the end of the
    /// wrapper's words.
    fn reaches(&self, command: &SimpleCommand, wrapper: &SimpleCommand) -> bool {
        let own = wrapper.arguments.len().checked_sub(command.arguments.len() + 1);
        let fixed = self.rest.iter().take_while(|part| matches!(part, Part::Word(pieces) if pieces.len() == 1)).count();
        let is_there =
            |own: usize| wrapper.arguments.get(own).and_then(Word::literal) == Some(command.program.as_str());
        own.is_some_and(|own| is_there(own) && fixed > own)
    }

    /// Whether a rule of these words that denies or asks, is meant for this command. Whatever could be meant is:
    ///
    /// - The program's name counts under any path and in any case; a path in the pattern counts by its last part.
    /// - A word that is not known can be any word, and several where the shell splits it.
    /// - Options between the program and the pattern's first word are passed over: `git -C folder push` is `git push`.
    /// - In what runs code that is not read, any later word may be the program.
    #[must_use]
    pub fn touches(&self, command: &SimpleCommand) -> bool {
        let words: Vec<&Word> = command.arguments.iter().collect();
        if self.names(&command.program) && self.touches_words(&words, Ends::Here) {
            return true;
        }
        command.role == Role::RunsUnseen && self.touches_within(&words)
    }

    /// Any word, or any word in a word, may be the program.
    fn touches_within(&self, words: &[&Word]) -> bool {
        let mut within = Vec::new();
        for word in words {
            match word.literal() {
                Some(text) => within.extend(
                    text.split(|it: char| it.is_whitespace() || ";|&()`'\"={}<>,".contains(it))
                        .filter(|part| !part.is_empty())
                        .map(|part| Word::Literal(part.to_owned())),
                ),
                None => within.push((*word).clone()),
            }
        }
        (0..within.len()).any(|at| {
            // What follows the command in such a text is not told apart from its words.
            let rest: Vec<&Word> = within.iter().skip(at + 1).take(NEAR).collect();
            let program = within.get(at).and_then(Word::literal);
            program.is_some_and(|word| self.names(word)) && self.touches_words(&rest, Ends::Anywhere)
        })
    }

    fn touches_words(&self, words: &[&Word], ends: Ends) -> bool {
        let mut from = 0;
        loop {
            let rest: Vec<Option<&str>> = words.iter().skip(from).map(|word| word.literal()).collect();
            if matches(&self.rest, &rest, true, ends) {
                return true;
            }
            let is_option = |at: usize| match words.get(at) {
                Some(Word::Literal(word)) => word.starts_with(['-', '+']),
                Some(Word::Varying { .. }) => true,
                None => false,
            };
            // An option, or the value of the option before it.
            let passes = from < words.len() && (is_option(from) || (from > 0 && is_option(from - 1)));
            if !passes {
                return false;
            }
            from += 1;
        }
    }

    fn names(&self, program: &str) -> bool {
        let last = |text: &str| text.rsplit('/').next().unwrap_or(text).to_lowercase();
        match &self.program {
            Part::Any => true,
            Part::Word(pieces) => {
                let mut pieces: Vec<String> = pieces.iter().map(|piece| piece.to_lowercase()).collect();
                if let Some(at) = pieces.iter().rposition(|piece| piece.contains('/')) {
                    pieces.drain(..at);
                    pieces.iter_mut().take(1).for_each(|piece| *piece = last(piece));
                }
                fits(&pieces, &last(program))
            }
        }
    }

    /// There is no `*` in it.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let one = |part: &Part| matches!(part, Part::Word(pieces) if pieces.len() == 1);
        one(&self.program) && self.rest.iter().all(one)
    }
}

impl Analysis {
    /// Whether rules of these patterns allow the line: it is understood, and each command that needs a rule has one.
    #[must_use]
    pub fn is_allowed_by(&self, patterns: &[Pattern]) -> bool {
        self.understood().is_some_and(|all| {
            all.to_allow().all(|command| patterns.iter().any(|pattern| pattern.covers(command, all)))
        })
    }

    /// The first command that a rule of this pattern would deny or ask for.
    #[must_use]
    pub fn touched_by(&self, pattern: &Pattern) -> Option<&SimpleCommand> {
        self.seen().iter().find(|command| pattern.touches(command))
    }
}

fn parts(text: &str) -> Result<Vec<Part>, PatternError> {
    let mut parts = Vec::new();
    let mut characters = text.chars().peekable();
    while characters.next_if(|it| it.is_whitespace()).is_some() || characters.peek().is_some() {
        if characters.peek().is_none_or(|it| it.is_whitespace()) {
            continue;
        }
        let mut pieces = vec![String::new()];
        let mut bare = true;
        let put = |pieces: &mut Vec<String>, it| pieces.last_mut().into_iter().for_each(|piece| piece.push(it));
        while let Some(character) = characters.next_if(|it| !it.is_whitespace()) {
            match character {
                '*' => pieces.push(String::new()),
                '\\' => {
                    bare = false;
                    put(&mut pieces, characters.next().ok_or(PatternError::Open)?);
                }
                quote @ ('\'' | '"') => {
                    bare = false;
                    loop {
                        match characters.next().ok_or(PatternError::Open)? {
                            it if it == quote => break,
                            '\\' if quote == '"' => put(&mut pieces, characters.next().ok_or(PatternError::Open)?),
                            it => put(&mut pieces, it),
                        }
                    }
                }
                character => {
                    bare = false;
                    put(&mut pieces, character);
                }
            }
        }
        parts.push(if bare { Part::Any } else { Part::Word(pieces) });
    }
    Ok(parts)
}

/// Whether a word is these pieces with any characters between them.
fn fits(pieces: &[String], word: &str) -> bool {
    let [first, middle @ .., last] = pieces else {
        return pieces.first().is_some_and(|exact| exact == word);
    };
    let Some(mut rest) = word.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str())) else {
        return false;
    };
    for piece in middle {
        match rest.find(piece.as_str()) {
            Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

/// Matches words to parts. A word that is not known (`None`) fits everything where `unknown_fits`, nothing otherwise.
fn matches(parts: &[Part], words: &[Option<&str>], unknown_fits: bool, ends: Ends) -> bool {
    // `reached[n]`: the parts so far can stand for the first n words.
    let mut reached = vec![false; words.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    let skip_unknown = |reached: &mut Vec<bool>| {
        for (at, word) in words.iter().enumerate() {
            if unknown_fits && word.is_none() && reached.get(at) == Some(&true) {
                reached.iter_mut().skip(at + 1).take(1).for_each(|it| *it = true);
            }
        }
    };
    skip_unknown(&mut reached);
    for part in parts {
        let mut next = vec![false; words.len() + 1];
        let mut any = false;
        for (at, is_reached) in reached.iter().enumerate() {
            any |= is_reached;
            let word = words.get(at);
            // A word that is not known may be any number of the pattern's words.
            let stays = match part {
                Part::Any => any,
                Part::Word(_) => unknown_fits && *is_reached && at > 0 && words.get(at - 1) == Some(&None),
            };
            if stays {
                next.iter_mut().skip(at).take(1).for_each(|it| *it = true);
            }
            let steps = match (part, word) {
                (Part::Word(pieces), Some(Some(word))) => *is_reached && fits(pieces, word),
                (Part::Word(_), Some(None)) => *is_reached && unknown_fits,
                _ => false,
            };
            if steps {
                next.iter_mut().skip(at + 1).take(1).for_each(|it| *it = true);
            }
        }
        reached = next;
        skip_unknown(&mut reached);
    }
    match ends {
        Ends::Here => reached.last() == Some(&true),
        Ends::Anywhere => reached.contains(&true),
    }
}
