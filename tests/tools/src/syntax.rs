//! Syntax trees, as far as names are concerned.

use std::fs;
use std::path::{Path, PathBuf};

use tree_sitter::{Language, Node, Parser, Tree};

use crate::Result;

/// One parsed file.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    tree: Tree,
}

impl Source {
    /// Reads and parses a file.
    pub(crate) fn read(path: &Path, language: &Language) -> Result<Self> {
        Self::parse(path, read(path)?, language)
    }

    /// Parses a text; `path` is for messages. A text that is not all understood is an error: names would be missed.
    pub(crate) fn parse(path: &Path, text: String, language: &Language) -> Result<Self> {
        let mut parser = Parser::new();
        parser.set_language(language).map_err(|error| error.to_string())?;
        let tree = parser.parse(&text, None).ok_or_else(|| format!("{}: not parsed", path.display()))?;
        if tree.root_node().has_error() {
            return Err(format!("{}: its syntax is not understood", path.display()));
        }
        Ok(Self { path: path.to_owned(), text, tree })
    }

    /// All of it.
    pub(crate) fn root(&self) -> Piece<'_> {
        Piece { node: self.tree.root_node(), text: &self.text }
    }
}

/// A piece of a parsed file.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a> {
    node: Node<'a>,
    text: &'a str,
}

impl<'a> Piece<'a> {
    /// What the grammar calls it.
    pub(crate) fn kind(self) -> &'a str {
        self.node.kind()
    }

    /// As it is written.
    pub(crate) fn text(self) -> &'a str {
        self.text.get(self.node.byte_range()).unwrap_or_default()
    }

    /// The piece under one of the grammar's field names.
    pub(crate) fn field(self, name: &str) -> Option<Piece<'a>> {
        self.node.child_by_field_name(name).map(|node| Piece { node, text: self.text })
    }

    /// All pieces under one of the grammar's field names.
    pub(crate) fn fields(self, name: &str) -> Vec<Piece<'a>> {
        let mut cursor = self.node.walk();
        self.node.children_by_field_name(name, &mut cursor).map(|node| Piece { node, text: self.text }).collect()
    }

    /// What it is made of.
    pub(crate) fn children(self) -> Vec<Piece<'a>> {
        let mut cursor = self.node.walk();
        self.node.named_children(&mut cursor).map(|node| Piece { node, text: self.text }).collect()
    }

    /// Those of its children that the grammar calls so.
    pub(crate) fn of_kind(self, kind: &str) -> Vec<Piece<'a>> {
        self.children().into_iter().filter(|piece| piece.kind() == kind).collect()
    }

    /// Everything of this kind in it, at any depth, itself included.
    pub(crate) fn all(self, kind: &str) -> Vec<Piece<'a>> {
        let mut found = if self.kind() == kind { vec![self] } else { Vec::new() };
        for child in self.children() {
            found.extend(child.all(kind));
        }
        found
    }
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}; `make build` makes what is built", path.display()))
}

/// The files of a folder with this extension, at any depth.
pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    Ok(found)
}
