//! The facts about a command line, as rules are matched on them.

use super::NotUnderstood;

/// What a line would run, or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Analysis {
    /// Every command of the line is known.
    Understood(Commands),
    /// Something in the line is not understood: it asks, and no rule allows it.
    NotUnderstood {
        /// The first reason found.
        why: NotUnderstood,
        /// What was seen all the same. For rules that deny or ask, never for those that allow.
        seen: Vec<SimpleCommand>,
    },
}

impl Analysis {
    /// The commands, where all of them are known. What allows must look here.
    #[must_use]
    pub fn understood(&self) -> Option<&Commands> {
        match self {
            Self::Understood(commands) => Some(commands),
            Self::NotUnderstood { .. } => None,
        }
    }

    /// All commands that were seen, known to be all or not. What denies or asks must look here.
    #[must_use]
    pub fn seen(&self) -> &[SimpleCommand] {
        match self {
            Self::Understood(commands) => commands.all(),
            Self::NotUnderstood { seen, .. } => seen,
        }
    }
}

/// All commands of a line that was understood, at least one: in the order of its text, a wrapper before what it runs,
/// what stands in a substitution before the command that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    all: Vec<SimpleCommand>,
    alone: bool,
}

impl Commands {
    /// The commands, or nothing if there is none: an empty list must never read as "nothing to object to". `alone`: the
    /// text of the line is one simple command.
    #[cfg_attr(not(feature = "shell-analysis"), allow(dead_code, reason = "only the analysis makes facts"))]
    pub(super) fn new(all: Vec<SimpleCommand>, alone: bool) -> Option<Self> {
        if all.is_empty() { None } else { Some(Self { all, alone }) }
    }

    /// Every command.
    #[must_use]
    pub fn all(&self) -> &[SimpleCommand] {
        &self.all
    }

    /// Every command that must be allowed for the line to run: all but the wrappers that do nothing themselves
    /// ([`Role::Carries`]). What those carry is among them.
    pub fn to_allow(&self) -> impl Iterator<Item = &SimpleCommand> {
        self.all.iter().filter(|command| command.role != Role::Carries)
    }

    /// The one command of a line that is nothing else: literal words, in the foreground, without assignment, redirect,
    /// wrapper or chain.
    #[must_use]
    pub fn plain(&self) -> Option<&SimpleCommand> {
        match self.all.as_slice() {
            [only]
                if self.alone
                    && only.place == Place::default()
                    && only.assignments.is_empty()
                    && only.redirects.is_empty()
                    && only.role == Role::Acts
                    && only.arguments.iter().all(|word| word.literal().is_some()) =>
            {
                Some(only)
            }
            _ => None,
        }
    }
}

/// One simple command: a program, its words and what stands around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The program as given, without quotes: `rm`, `/bin/rm`, `./rm`. Empty where a line only opens a redirect.
    pub program: String,
    /// The words after the program.
    pub arguments: Vec<Word>,
    /// The variables set for it: in front of it, by a wrapper, or anywhere in the line on their own.
    pub assignments: Vec<Assignment>,
    /// Where it reads from and writes to. Those of a group are given with each of its commands.
    pub redirects: Vec<Redirect>,
    /// Where it stands in the line.
    pub place: Place,
    /// What runs it, outermost first; empty if the shell does.
    pub inside: Vec<Inside>,
    /// How far its own words say what it does.
    pub role: Role,
    /// The folder that it runs in.
    pub folder: Folder,
}

impl SimpleCommand {
    /// The program's name: the last part of its path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.program.rsplit('/').next().unwrap_or(&self.program)
    }

    /// The arguments, where all of them are literal.
    #[must_use]
    pub fn literal_arguments(&self) -> Option<Vec<&str>> {
        self.arguments.iter().map(Word::literal).collect()
    }

    /// Every argument that could name a file: all literal words but options, and what follows `=` in an option. More
    /// than the command opens, never less for a program that [`super::is_read_only`] knows.
    pub fn may_name_files(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter_map(Word::literal).filter_map(|word| match word.split_once('=') {
            Some((option, value)) if option.starts_with('-') => Some(value),
            _ if word.starts_with('-') => None,
            _ => Some(word),
        })
    }

    /// All set variables have literal values and names that change no program's behaviour beyond its messages.
    #[must_use]
    pub fn assigns_harmlessly(&self) -> bool {
        self.assignments.iter().all(Assignment::is_harmless)
    }
}

/// A word: known, or known only when the shell expands it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// The word as the program gets it.
    Literal(String),
    /// An expansion, a glob, a brace list, or words that a wrapper adds.
    Varying {
        /// As it stands in the line.
        text: String,
        /// What each word that comes of it surely begins with.
        stem: String,
        /// It may become no word or several words, and those may begin otherwise.
        splits: bool,
    },
}

impl Word {
    /// The word, if it is known.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Varying { .. } => None,
        }
    }
}

/// A variable that is set for a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Its name.
    pub name: String,
    /// Its value; varying also where the variable is taken away or read from input.
    pub value: Word,
}

impl Assignment {
    /// The value is literal, no path from the root or upwards, and the name is one of few that change no program's
    /// behaviour beyond its messages.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.value.literal().is_some_and(|value| !value.starts_with('/') && !value.contains(".."))
            && super::variable::is_harmless(&self.name)
    }
}

/// A redirect of one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Which way.
    pub direction: Direction,
    /// To or from what.
    pub target: RedirectTarget,
}

impl Redirect {
    /// The file that it opens, as given, for the door to judge. The null device and the streams are none.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match &self.target {
            RedirectTarget::File(path) => match path.as_str() {
                "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" => None,
                path => Some(path),
            },
            RedirectTarget::Stream | RedirectTarget::Text(_) => None,
        }
    }
}

/// Which way a redirect goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`, `>&`
    Write,
    /// `>>`, `&>>`
    Append,
}

/// What a redirect leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectTarget {
    /// A file, by a literal path.
    File(String),
    /// Another stream of the command, or none.
    Stream,
    /// A text in the line itself: a here-document or here-string.
    Text(Word),
}

/// Where a command stands in its line. The default is alone, in the foreground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line does not wait for it.
    pub background: bool,
    /// It is part of a pipe.
    pub piped: bool,
    /// It is in a subshell.
    pub subshell: bool,
    /// Its output becomes words, or it is a file to another command.
    pub substitution: bool,
}

/// A wrapper around a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// The wrapper's name: `timeout`, `sh`, `find`.
    pub name: String,
    /// Its place in the list of commands.
    pub index: usize,
}

/// How far a command's own words say what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is what its words say.
    Acts,
    /// It does nothing but run commands that follow in the list with it among their [`SimpleCommand::inside`].
    Carries,
    /// It runs code, or a program elsewhere, that is not read here. Only a rule that names it whole allows it.
    RunsUnseen,
}

/// The folder that a command runs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// Where the line starts.
    Start,
    /// After one `cd` that surely succeeded: this path, from where the line starts. `CDPATH` must not be set.
    Moved(String),
    /// Not known: relative paths mean nothing.
    Unknown,
}
