//! Flags of the command `lodger`: the fields of its arguments.

use std::path::Path;

use super::{Origin, Surface};
use crate::Result;
use crate::syntax::{Piece, Source};

/// Reads the arguments that clap is told of.
pub(super) fn read(root: &Path) -> Result<Surface> {
    let source = Source::read(&root.join("core/cli/src/arguments.rs"), &tree_sitter_rust::LANGUAGE.into())?;
    let structs = source.root().of_kind("struct_item").into_iter();
    let fields = structs.flat_map(|item| item.all("field_declaration"));
    let names = fields.filter_map(|field| field.field("name")).map(Piece::text);
    Ok(names.map(|name| (format!("--{}", name.replace('_', "-")), Origin::Own)).collect())
}
