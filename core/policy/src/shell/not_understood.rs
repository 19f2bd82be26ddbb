//! Why a line is not understood: a reason that a person can read, and that a test can name.

use std::fmt;

/// Why a line could not be judged by its commands. Such a line asks; no rule allows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotUnderstood {
    /// The line has no command.
    Nothing,
    /// The line, its nesting or its number of commands is over a bound.
    TooLarge(&'static str),
    /// A character that can hide what the line does: a control character, a blank that is none for the shell, a mark
    /// that turns the direction of writing.
    Character(char),
    /// It is not valid shell text, or not of a form that is read here.
    Syntax(String),
    /// The name of a program is only known when the shell expands it.
    Program(String),
    /// An expansion can run code, or set a variable, by what a variable holds.
    Expansion(String),
    /// A builtin changes what later commands of the shell mean.
    Builtin(String),
    /// A program that runs other programs is used in a way that hides what it runs.
    Wrapper {
        /// The program.
        program: String,
        /// What is hidden.
        why: String,
    },
    /// A redirect whose file is not known, or that is none.
    Redirect(String),
}

impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("the line has no command"),
            Self::TooLarge(bound) => write!(f, "the line is over a bound: {bound}"),
            Self::Character(character) => {
                write!(f, "the line has the character U+{:04X}, which can hide what it does", u32::from(*character))
            }
            Self::Syntax(what) => write!(f, "this part was not understood: {what}"),
            Self::Program(word) => write!(f, "which program runs is only known when the shell expands {word}"),
            Self::Expansion(text) => write!(f, "the expansion {text} can run code or set a variable"),
            Self::Builtin(name) => write!(f, "`{name}` changes what the commands of the shell mean"),
            Self::Wrapper { program, why } => write!(f, "`{program}` runs something that is not seen: {why}"),
            Self::Redirect(what) => write!(f, "where this redirect leads is not known: {what}"),
        }
    }
}
