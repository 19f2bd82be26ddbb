//! Programs that only read, by the options they are given. What is not listed changes something.
//!
//! Of a listed program, an option that is not listed is taken to change something: new versions get new options, and
//! GNU programs take any beginning of a long one. Options that name an output file or another program are not listed.
//!
//! `git` runs programs that the repository's settings name: a file-system monitor on `status`, filters on `diff`,
//! text converters and signature checkers on `log` and `show`, a transport where objects are missing. So only forms
//! that look at names and settings are [`ReadOnly::Always`]; those are [`ReadOnly::UnlessConfigured`].

mod git;
mod special;
mod table;
#[cfg(all(test, feature = "shell-analysis"))]
mod tests;

use self::table::{Form, TABLE};
use super::facts::{Direction, Folder, RedirectTarget, Role, SimpleCommand, Word};
use super::program::is_standard;

/// Whether a command only reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnly {
    /// It may change something, or nothing is known of it.
    No,
    /// It only reads, unless the settings of a repository name programs to run.
    UnlessConfigured,
    /// It only reads.
    Always,
}

/// Whether a command only reads, whatever the settings of a repository say: [`ReadOnly::Always`].
///
/// It says nothing of what is read: the door judges [`SimpleCommand::may_name_files`] and the redirects as paths.
#[must_use]
pub fn is_read_only(command: &SimpleCommand) -> bool {
    read_only(command) == ReadOnly::Always
}

/// Whether a command only reads. For that, all its words are literal, the variables set for it are harmless, its
/// program is a bare name or a file in a standard folder, the folder that it runs in is known, and it writes to no
/// file. A wrapper that does nothing itself counts as reading: what it runs is asked for on its own.
#[must_use]
pub fn read_only(command: &SimpleCommand) -> ReadOnly {
    let Some(words) = command.literal_arguments() else { return ReadOnly::No };
    let writes = command.redirects.iter().any(|redirect| match redirect.target {
        RedirectTarget::File(_) => redirect.direction != Direction::Read && redirect.file().is_some(),
        RedirectTarget::Stream | RedirectTarget::Text(Word::Literal(_)) => false,
        // What a variable holds may be nobody's to read.
        RedirectTarget::Text(Word::Varying { .. }) => true,
    });
    let known = is_standard(&command.program, command.name()) && command.folder != Folder::Unknown;
    if writes || !known || !command.assigns_harmlessly() {
        return ReadOnly::No;
    }
    match command.role {
        Role::Carries => return ReadOnly::Always,
        Role::RunsUnseen => return ReadOnly::No,
        Role::Acts => {}
    }
    match TABLE.iter().find(|entry| entry.programs.contains(&command.name())) {
        Some(entry) => entry.form.judge(&words),
        None => ReadOnly::No,
    }
}

impl Form {
    fn judge(&self, words: &[&str]) -> ReadOnly {
        let reads = match self {
            Self::Anything => true,
            Self::Options { flags, valued, long, operands } => {
                options(words, flags, valued, long).is_some_and(|count| count <= *operands)
            }
            Self::Special(judge) => return judge(words),
        };
        if reads { ReadOnly::Always } else { ReadOnly::No }
    }
}

/// The number of operands, if every option is listed. A long option that is listed with `=` takes a value there, and
/// only there: one in the next word would not be told from an operand, and counts as one.
fn options(words: &[&str], flags: &str, valued: &str, long: &[&str]) -> Option<usize> {
    let mut operands = 0;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "--" {
            return Some(operands + words.count());
        }
        if !word.starts_with('-') || *word == "-" {
            operands += 1;
        } else if word.starts_with("--") {
            let known = match word.split_once('=') {
                Some((name, _)) => long.iter().any(|it| it.strip_suffix('=') == Some(name)),
                None => long.contains(word),
            };
            if !known {
                return None;
            }
        } else {
            for (at, letter) in word.char_indices().skip(1) {
                if valued.contains(letter) {
                    if at + letter.len_utf8() == word.len() {
                        words.next()?;
                    }
                    break;
                }
                if !flags.contains(letter) {
                    return None;
                }
            }
        }
    }
    Some(operands)
}
