//! Names of the crate `lodger`: what its root exports, with methods, fields and implemented traits.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Origin, Surface};
use crate::Result;
use crate::syntax::{Piece, Source, files};

/// Reads the crate. What `lodger::protocol` exports is the vocabulary; `lodger::embed` is what faces stand on.
pub(super) fn read(root: &Path) -> Result<Surface> {
    let mut surface = Surface::new();
    let (exports, glob) = exports(&root.join("core/lodger/src/lib.rs"))?;
    let (vocabulary, _) = self::exports(&root.join("core/protocol/src/lib.rs"))?;
    surface.extend(glob.into_iter().map(|module| (module, Origin::Own)));
    for name in &vocabulary {
        surface.insert(format!("protocol::{}", name.0), Origin::Generated);
    }
    let mut owned = BTreeMap::new();
    for path in files(&root.join("core/lodger/src"), "rs")? {
        let module = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let inside_embed = path.components().any(|part| part.as_os_str() == "embed");
        let source = Source::read(&path, &tree_sitter_rust::LANGUAGE.into())?;
        for (owner, member) in items(source.root()) {
            let from = exports.get(&owner);
            let here = from.is_some_and(|from| from == "embed" && inside_embed || *from == module && !inside_embed);
            if here {
                owned.insert(member.map_or(owner.clone(), |member| format!("{owner}{member}")), Origin::Own);
            }
        }
    }
    let reexported = exports.iter().filter(|(_, from)| *from == "lodger_protocol");
    surface.extend(reexported.map(|(name, _)| (name.clone(), Origin::Generated)));
    surface.extend(owned);
    Ok(surface)
}

/// What a root file exports, with the module it takes it from; and its public modules.
fn exports(path: &Path) -> Result<(BTreeMap<String, String>, Vec<String>)> {
    let source = Source::read(path, &tree_sitter_rust::LANGUAGE.into())?;
    let mut names = BTreeMap::new();
    let mut modules = Vec::new();
    for item in source.root().children().into_iter().filter(|item| is_public(*item)) {
        match item.kind() {
            "mod_item" => modules.extend(item.field("name").map(|name| name.text().to_owned())),
            "use_declaration" => {
                let text: String =
                    item.field("argument").map(Piece::text).unwrap_or_default().split_whitespace().collect();
                match text.split_once("::") {
                    Some((module, rest)) => names.extend(
                        rest.trim_matches(['{', '}'])
                            .split(',')
                            .filter(|name| !name.is_empty())
                            .map(|name| (name.to_owned(), module.to_owned())),
                    ),
                    // `pub use lodger_protocol as protocol`: written together, since the space is gone.
                    None => modules.extend(text.rsplit_once("as").map(|(_, name)| name.to_owned())),
                }
            }
            _ => {}
        }
    }
    Ok((names, modules))
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
