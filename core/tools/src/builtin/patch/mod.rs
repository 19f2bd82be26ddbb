//! Patches in the form that models write: several files in one, each added, updated, moved or deleted, with the lines
//! around a change in place of line numbers. Read strictly: what does not fit the form is refused, and so is a change
//! that could be meant in several places.
//!
//! ```text
//! *** Begin Patch
//! *** Add File: new.txt
//! +its first line
//! *** Update File: src/old.py
//! *** Move to: src/new.py
//! @@ def f():
//!      stays
//! -    goes
//! +    comes
//! *** Delete File: gone.txt
//! *** End Patch
//! ```

mod apply;
mod parse;

pub use apply::apply;
pub use parse::parse;

/// A whole patch: at least one file, no path twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// What happens to each file, in order.
    pub files: Vec<FilePatch>,
}

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePatch {
    /// It is made.
    Add {
        /// Where.
        path: String,
        /// With this content.
        content: String,
    },
    /// It goes.
    Delete {
        /// Which.
        path: String,
    },
    /// Its text changes, or its place, or both.
    Update {
        /// Which.
        path: String,
        /// Where it is to be then; absent: where it was.
        move_to: Option<String>,
        /// What changes, from its beginning to its end; may be empty for a file that only moves.
        hunks: Vec<Hunk>,
    },
}

/// One change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Lines to look for first, one after the other: the change is below them.
    pub below: Vec<String>,
    /// What changes, and what stands around it.
    pub lines: Vec<HunkLine>,
    /// The last of its lines is the last of the file.
    pub at_end: bool,
}

/// One line of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HunkLine {
    /// It stays.
    Keep(String),
    /// It goes.
    Remove(String),
    /// It comes.
    Add(String),
}

#[cfg(test)]
mod tests;
