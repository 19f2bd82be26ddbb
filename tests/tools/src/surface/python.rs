//! Names of the Python package: what `__all__` of a module lists, with members and keywords.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{Origin, Surface, is_generated};
use crate::Result;
use crate::syntax::{Piece, Source};

/// Special methods that are words of the language: `for`, `await`, `with`.
const SPOKEN: [&str; 9] =
    ["__aiter__", "__anext__", "__await__", "__aenter__", "__aexit__", "__iter__", "__next__", "__enter__", "__exit__"];

/// Reads one module of the package.
pub(super) fn read(root: &Path, entry: &str) -> Result<Surface> {
    let folder = root.join("bindings-python/python/lodger");
    let mut package = Package(BTreeMap::new());
    for file in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = file.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "py" || extension == "pyi") {
            let module = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            package.0.insert(module, Source::read(&path, &tree_sitter_python::LANGUAGE.into())?);
        }
    }
    let mut surface = Surface::new();
    for name in package.all(entry)? {
        let Some((module, original)) = package.home(entry, &name, 8) else {
            return Err(format!("lodger/{entry}.py: `__all__` lists {name}, which no module defines"));
        };
        let generated = package.0.get(&module).is_some_and(|source| is_generated(&source.text));
        let origin = |generated| if generated { Origin::Generated } else { Origin::Own };
        surface.insert(name.clone(), origin(generated));
        for (owner, member, generated) in package.members(&module, &original, &mut BTreeSet::new()) {
            let here = format!("{name}.{member}");
            let origin = match owner == original || generated {
                true => origin(generated),
                false => Origin::From(format!("{owner}.{member}")),
            };
            surface.entry(here).or_insert(origin);
        }
        for keyword in package.keywords(&module, &original) {
            surface.insert(format!("{name}({keyword})"), Origin::Own);
        }
    }
    Ok(surface)
}

/// The modules, by name.
struct Package(BTreeMap<String, Source>);

impl Package {
    /// The names in `__all__`.
    fn all(&self, module: &str) -> Result<Vec<String>> {
        let source = self.0.get(module).ok_or_else(|| format!("there is no lodger/{module}.py"))?;
        let list = source
            .root()
            .all("assignment")
            .into_iter()
            .find(|assignment| assignment.field("left").map(Piece::text) == Some("__all__"));
        let list = list.ok_or_else(|| format!("{} has no `__all__`", source.path.display()))?;
        Ok(list.all("string_content").into_iter().map(|name| name.text().to_owned()).collect())
    }

    /// The module that defines a name, and its name there.
    fn home(&self, module: &str, name: &str, steps: usize) -> Option<(String, String)> {
        let root = self.0.get(module)?.root();
        if definition(root, name).is_some() {
            return Some((module.to_owned(), name.to_owned()));
        }
        for import in root.all("import_from_statement").into_iter().filter(|_| steps > 0) {
            let Some(from) = import.field("module_name").map(|from| from.text().trim_start_matches('.')) else {
                continue;
            };
            for imported in import.fields("name") {
                let (original, local) = match imported.kind() {
                    "aliased_import" => (imported.field("name")?.text(), imported.field("alias")?.text()),
                    _ => (imported.text(), imported.text()),
                };
                if local == name
                    && let Some(home) = self.home(from, original, steps - 1)
                {
                    return Some(home);
                }
            }
        }
        None
    }

    /// The public members of a class, inherited ones too: who declares it, its name, whether that is generated.
    fn members(&self, module: &str, class: &str, seen: &mut BTreeSet<String>) -> Vec<(String, String, bool)> {
        let Some(source) = self.0.get(module) else { return Vec::new() };
        let Some(definition) = definition(source.root(), class).filter(|piece| piece.kind() == "class_definition")
        else {
            return Vec::new();
        };
        if !seen.insert(format!("{module}.{class}")) {
            return Vec::new();
        }
        let generated = is_generated(&source.text);
        let mut found = Vec::new();
        for statement in definition.field("body").map(Piece::children).unwrap_or_default() {
            let name = match statement.kind() {
                "function_definition" => statement.field("name"),
                "decorated_definition" => statement.field("definition").and_then(|inner| inner.field("name")),
                "expression_statement" => statement.all("assignment").first().and_then(|piece| piece.field("left")),
                _ => None,
            };
            let public = name.map(Piece::text).filter(|name| !name.starts_with('_') || SPOKEN.contains(name));
            found.extend(public.map(|name| (class.to_owned(), name.to_owned(), generated)));
        }
        for base in definition.field("superclasses").map(Piece::children).unwrap_or_default() {
            let (from, name) = match base.text().rsplit_once('.') {
                Some((from, name)) => (Some(from.to_owned()), name),
                None => (None, base.text()),
            };
            let home = match from {
                Some(from) => Some((from, name.to_owned())),
                None => self.home(module, name, 8),
            };
            if let Some((module, name)) = home {
                found.extend(self.members(&module, &name, seen));
            }
        }
        found
    }

    /// The keyword parameters of a function that has no overloads.
    fn keywords(&self, module: &str, function: &str) -> Vec<String> {
        let Some(source) = self.0.get(module) else { return Vec::new() };
        let found = definition(source.root(), function).filter(|piece| piece.kind() == "function_definition");
        let parameters = found.and_then(|piece| piece.field("parameters")).map(Piece::children).unwrap_or_default();
        parameters
            .into_iter()
            .filter(|parameter| parameter.kind().ends_with("default_parameter"))
            .filter_map(|parameter| parameter.field("name"))
            .map(|name| name.text().to_owned())
            .collect()
    }
}

/// Where a module defines a name: a class, a function, an assignment; also inside `if TYPE_CHECKING`.
fn definition<'a>(root: Piece<'a>, name: &str) -> Option<Piece<'a>> {
    for statement in root.children() {
        let (named, inner) = match statement.kind() {
            "class_definition" | "function_definition" => (statement.field("name"), Some(statement)),
            "decorated_definition" => {
                let inner = statement.field("definition");
                (inner.and_then(|inner| inner.field("name")), inner)
            }
            "expression_statement" => {
                let assignment = statement.all("assignment").first().copied();
                (assignment.and_then(|piece| piece.field("left")), Some(statement))
            }
            "if_statement" | "block" | "else_clause" | "elif_clause" => match definition(statement, name) {
                Some(found) => return Some(found),
                None => (None, None),
            },
            _ => (None, None),
        };
        if named.map(Piece::text) == Some(name) {
            return inner;
        }
    }
    None
}
