//! What a command line would run: text in, structured facts out. Nothing here runs anything or looks at the machine.
//!
//! The line is read as `bash --noprofile --norc -c` reads it, since that is what runs it. Every simple command in it
//! counts, wherever it stands: in a chain, a pipe, a subshell, a substitution, behind `timeout` or in the text of
//! `sh -c`. Whatever is not surely understood makes the whole line *not understood*: then no rule allows it, and the
//! commands that were seen still serve to deny it. Leniency must never feed an allow.
//!
//! [`analyse`] needs the feature `shell-analysis`. The facts, and what judges them, are always there:
//! [`Pattern`] matches a rule's words, [`is_read_only`] knows programs that only read, [`suggest`] says the narrowest
//! rule that would have allowed a line.

mod facts;
mod not_understood;
mod pattern;
mod program;
#[cfg(feature = "shell-analysis")]
mod read;
mod read_only;
mod suggest;
mod variable;
#[cfg(feature = "shell-analysis")]
mod wrapper;

pub use facts::{
    Analysis, Assignment, Commands, Direction, Folder, Inside, Place, Redirect, RedirectTarget, Role, SimpleCommand,
    Word,
};
pub use not_understood::NotUnderstood;
pub use pattern::{Pattern, PatternError};
#[cfg(feature = "shell-analysis")]
pub use read::{MAX_COMMANDS, MAX_DEPTH, MAX_LINE_BYTES, analyse};
pub use read_only::{ReadOnly, is_read_only, read_only};
pub use suggest::suggest;
