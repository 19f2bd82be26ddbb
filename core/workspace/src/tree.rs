//! A folder, or one file, that was looked up once and is looked through.

use std::fmt;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use lodger_protocol::{ResolvedAccess, Result};

use crate::StopFlag;

/// A resolved folder with all that is below it, or one resolved file. All methods block.
pub trait Tree: Send + Sync {
    /// What the path turned out to be.
    fn access(&self) -> &ResolvedAccess;

    /// It is a folder, and not a single file.
    fn is_folder(&self) -> bool;

    /// Visits what is below the folder, the folder itself left out; or the one file. Several threads do it at once,
    /// in no order, each with a visitor of its own. Links are named, never followed. What belongs to version control
    /// or to Lodger itself is left out, and so is what `walk` says.
    ///
    /// # Errors
    /// `path_changed` when another object stands there now than when it was resolved.
    fn walk<'s>(&'s self, walk: &'s Walk, visitors: &mut dyn FnMut() -> Visitor<'s>) -> Result<Walked>;

    /// Whether this absolute path is one of something below the tree, or of its one file, without a link on the way: a
    /// walk goes by paths, and a folder may be exchanged for a link while it goes.
    fn holds(&self, path: &Path) -> bool;
}

/// Called with everything that is found, until it says to stop.
pub type Visitor<'s> = Box<dyn FnMut(&Found<'_>) -> ControlFlow<()> + Send + 's>;

/// How a tree is looked through.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Also what has a name that begins with a dot.
    pub hidden: bool,
    /// Also what `.gitignore` and `.ignore` files leave out.
    pub ignored: bool,
    /// How deep: 1 is what stands in the folder itself. Absent: all of it.
    pub max_depth: Option<usize>,
    /// Looked at with every file: raised, the walk is over.
    pub stop: StopFlag,
}

/// How a walk went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Folders that could not be read.
    pub unreadable: usize,
}

/// What a walk found.
pub struct Found<'a> {
    /// Absolute, without links.
    pub path: &'a Path,
    /// What it is.
    pub kind: FoundKind,
    open: &'a dyn Fn() -> io::Result<Box<dyn Read + Send>>,
}

impl<'a> Found<'a> {
    /// Something that was found, and how it is opened.
    pub fn new(path: &'a Path, kind: FoundKind, open: &'a dyn Fn() -> io::Result<Box<dyn Read + Send>>) -> Self {
        Self { path, kind, open }
    }

    /// Opens the file by the handle of its tree: what stands behind a link, or is no regular file, is an error.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        (self.open)()
    }
}

impl fmt::Debug for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found").field("path", &self.path).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// What something that was found is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, wherever it leads.
    Link,
    /// A socket, a FIFO, a device.
    Special,
}
