//! What each language shows a host: every name that a program can write, read off what ships.
//!
//! The sources are parsed, never guessed at; nothing here knows what the names mean. `parity` compares them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Result;

mod c;
mod command;
mod node;
mod python;
mod rust;

/// A face of the library, by its name in `tests/parity.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Face {
    /// The crate `lodger`.
    Rust,
    /// `include/lodger.h`.
    C,
    /// The npm package `lodger`.
    Node,
    /// Its second entry, `lodger/conversation`.
    NodeConversation,
    /// The Python package `lodger`.
    Python,
    /// Its module `lodger.sync`.
    PythonSync,
    /// The command `lodger`.
    Cli,
}

impl Face {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Rust, Self::C, Self::Node, Self::NodeConversation, Self::Python, Self::PythonSync, Self::Cli];

    /// As it stands in `tests/parity.toml`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::C => "c",
            Self::Node => "node",
            Self::NodeConversation => "node-conversation",
            Self::Python => "python",
            Self::PythonSync => "python-sync",
            Self::Cli => "cli",
        }
    }

    /// What it shows.
    pub fn read(self, root: &Path) -> Result<Surface> {
        match self {
            Self::Rust => rust::read(root),
            Self::C => c::read(root),
            Self::Node => node::read(root, "index"),
            Self::NodeConversation => node::read(root, "conversation/index"),
            Self::Python => python::read(root, "__init__"),
            Self::PythonSync => python::read(root, "sync"),
            Self::Cli => command::read(root),
        }
    }
}

/// The names of one face: `Agent`, `Agent.prompt` (`Agent::prompt` in Rust), `create_agent(model)` for a keyword.
pub type Surface = BTreeMap<String, Origin>;

/// Where a name comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Written by hand for this face: it needs siblings in the others, or a reason.
    Own,
    /// Generated from the vocabulary, as in every face.
    Generated,
    /// Inherited: another name for this one.
    From(String),
}

/// The functions that the C library exports.
pub fn c_functions(root: &Path) -> Result<Vec<String>> {
    c::functions(root)
}

/// Files that `make gen` writes say so in their first lines.
fn is_generated(text: &str) -> bool {
    text.lines().take(5).any(|line| line.contains("Generated from the Rust types"))
}
