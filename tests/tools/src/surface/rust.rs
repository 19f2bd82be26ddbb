//! Names of the crate `lodger`: what its root exports, with methods, fields and implemented traits.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Origin, Surface};
use crate::Result;
use crate::syntax::{Piece, Source, files};

/// Reads the crate. What `lodger::protocol` exports is the vocabulary; `lodger::embed` is what faces stand on.
pub(super) fn read(root: &Path) -> Result<Surface> {
    let mut surface = Surface::new();
    let exports = exports(&root.join("core/lodger/src/lib.rs"))?;
    surface.extend(exports.modules.into_iter().map(|module| (module, Origin::Own)));
    for name in self::exports(&root.join("core/protocol/src/lib.rs"))?.names.into_keys() {
        surface.insert(format!("protocol::{name}"), Origin::Generated);
    }
    let mut members: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for path in files(&root.join("core/lodger/src"), "rs")? {
        let inside_embed = path.components().any(|part| part.as_os_str() == "embed");
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let module = if inside_embed { "embed".to_owned() } else { stem };
        let source = Source::read(&path, &tree_sitter_rust::LANGUAGE.into())?;
        for (owner, member) in items(source.root()) {
            members.entry((module.clone(), owner)).or_default().extend(member);
        }
    }
    for (name, from) in exports.names {
        let generated = from.module == "lodger_protocol";
        for member in members.get(&(from.module, from.name)).into_iter().flatten() {
            surface.insert(format!("{name}{member}"), Origin::Own);
        }
        surface.insert(name, if generated { Origin::Generated } else { Origin::Own });
    }
    Ok(surface)
}

/// What a root file exports.
#[derive(Default)]
struct Exports {
    /// Names, with where they come from.
    names: BTreeMap<String, Home>,
    /// Public modules, and crates under a name of ours.
    modules: Vec<String>,
}

struct Home {
    module: String,
    name: String,
}

/// What a root file exports by `pub mod` and `pub use`.
fn exports(path: &Path) -> Result<Exports> {
    let source = Source::read(path, &tree_sitter_rust::LANGUAGE.into())?;
    let mut found = Exports::default();
    for item in source.root().children().into_iter().filter(|item| is_public(*item)) {
        match (item.kind(), item.field("argument")) {
            ("mod_item", _) => found.modules.extend(item.field("name").map(|name| name.text().to_owned())),
            ("use_declaration", Some(used)) => match used.kind() {
                "use_as_clause" => found.modules.extend(used.field("alias").map(|name| name.text().to_owned())),
                _ => {
                    let module = used.field("path").map(Piece::text).unwrap_or_default();
                    let list =
                        used.field("list").map_or_else(|| used.field("name").into_iter().collect(), Piece::children);
                    for piece in list {
                        let original = piece.field("path").unwrap_or(piece).text();
                        let name = piece.field("alias").map_or(original, Piece::text);
                        let home = Home { module: module.to_owned(), name: original.to_owned() };
                        found.names.insert(name.to_owned(), home);
                    }
                }
            },
            _ => {}
        }
    }
    Ok(found)
}

/// Every public item of a file, and every public member of a type: `::method`, `.field`, `: Trait`.
fn items(root: Piece<'_>) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for item in root.children() {
        let name = item.field("name").map(|name| name.text().to_owned());
        match item.kind() {
            "struct_item" | "enum_item" | "trait_item" | "function_item" | "type_item" if is_public(item) => {
                let Some(name) = name else { continue };
                for field in item.all("field_declaration").into_iter().filter(|field| is_public(*field)) {
                    found.extend(field.field("name").map(|field| (name.clone(), Some(format!(".{}", field.text())))));
                }
                found.push((name, None));
            }
            "impl_item" => {
                let Some(owner) = item.field("type").map(|owner| owner.text().split('<').next().unwrap_or_default())
                else {
                    continue;
                };
                if let Some(implemented) = item.field("trait").map(Piece::text) {
                    if !implemented.ends_with("Debug") {
                        found.push((owner.to_owned(), Some(format!(": {implemented}"))));
                    }
                    continue;
                }
                let methods = item.field("body").map(|body| body.of_kind("function_item")).unwrap_or_default();
                for method in methods.into_iter().filter(|method| is_public(*method)) {
                    found.extend(
                        method.field("name").map(|name| (owner.to_owned(), Some(format!("::{}", name.text())))),
                    );
                }
            }
            _ => {}
        }
    }
    found
}

/// `pub`, and not `pub(crate)`.
fn is_public(item: Piece<'_>) -> bool {
    item.of_kind("visibility_modifier").first().is_some_and(|visibility| visibility.text() == "pub")
}
