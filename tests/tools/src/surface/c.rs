//! Names of `include/lodger.h`: functions, types, fields of the structs that hosts fill in, constants and macros.

use std::path::Path;

use super::{Origin, Surface};
use crate::Result;
use crate::syntax::{self, Piece, Source};

/// Reads the header.
pub(super) fn read(root: &Path) -> Result<Surface> {
    let header = header(root)?;
    let mut surface: Surface = declared(&header).map(|name| (name, Origin::Own)).collect();
    for function in header.root().all("function_definition") {
        surface.extend(function.field("declarator").and_then(name).map(|name| (name, Origin::Own)));
    }
    for definition in header.root().all("type_definition") {
        let Some(type_name) = definition.fields("declarator").into_iter().find_map(name) else { continue };
        for field in definition.all("field_declaration") {
            let field = field.field("declarator").and_then(name);
            surface.extend(field.map(|field| (format!("{type_name}.{field}"), Origin::Own)));
        }
        surface.insert(type_name, Origin::Own);
    }
    for kind in ["preproc_def", "preproc_function_def"] {
        for constant in header.root().all(kind) {
            let name = constant.field("name").map(Piece::text).unwrap_or_default();
            // The vocabulary's own words, whose numbers are given out in Rust.
            let generated = ["LODGER_E_", "LODGER_EVENT_", "LODGER_REQUEST_"].iter().any(|own| name.starts_with(own));
            if name != "LODGER_H" {
                surface.insert(name.to_owned(), if generated { Origin::Generated } else { Origin::Own });
            }
        }
    }
    Ok(surface)
}

/// The functions that the library exports.
pub(super) fn functions(root: &Path) -> Result<Vec<String>> {
    Ok(declared(&header(root)?).collect())
}

fn header(root: &Path) -> Result<Source> {
    let path = root.join("include/lodger.h");
    Source::parse(&path, for_c(&syntax::read(&path)?), &tree_sitter_c::LANGUAGE.into())
}

fn declared(header: &Source) -> impl Iterator<Item = String> {
    let declarations = header.root().all("declaration").into_iter();
    declarations.flat_map(|declaration| declaration.all("function_declarator")).filter_map(name)
}

/// The header as a C compiler sees it: what is there for C++ alone opens a brace that it never closes.
fn for_c(text: &str) -> String {
    let mut inside = false;
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        inside |= line.starts_with("#ifdef __cplusplus");
        if !inside {
            out.push_str(line);
            out.push('\n');
        }
        inside &= !line.starts_with("#endif");
    }
    out
}

/// The name in a declarator, behind stars and parentheses.
fn name(declarator: Piece<'_>) -> Option<String> {
    match declarator.kind() {
        "identifier" | "type_identifier" | "field_identifier" | "primitive_type" => Some(declarator.text().to_owned()),
        _ => declarator
            .field("declarator")
            .or_else(|| declarator.children().into_iter().find(|child| child.kind() != "parameter_list"))
            .and_then(name),
    }
}
