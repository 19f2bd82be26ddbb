//! A file for output that is too long to be shown.

use std::path::Path;

/// A file for the output of one command, in a private folder of its workspace. The agent may read it by its path, other
/// users may not; it goes when the workspace is shut down or dropped.
pub trait OutputFile: Send {
    /// Where it is: absolute, and without links.
    fn path(&self) -> &Path;

    /// Appends, and says how many of the bytes it took: fewer than given, it takes no more, because it, its folder or the
    /// disk is full. Blocking.
    fn append(&mut self, bytes: &[u8]) -> usize;
}
