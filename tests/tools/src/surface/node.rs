//! Names of the npm package, from the declarations that ship with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Origin, Surface, is_generated};
use crate::Result;
use crate::syntax::{self, Piece, Source};

/// Reads one entry of the built package: `index`, or `conversation/index`.
pub(super) fn read(root: &Path, entry: &str) -> Result<Surface> {
    let mut package = Package { folder: root.join("bindings-node/dist"), files: BTreeMap::new() };
    let mut surface = Surface::new();
    for (name, (file, original)) in package.exports(entry)? {
        let origin = |generated| if generated { Origin::Generated } else { Origin::Own };
        let generated = package.is_generated(&file)?;
        for member in package.members(&file, &original, &mut BTreeSet::new())? {
            let here = joined(&name, &member.name);
            let declared = joined(&member.owner, &member.name);
            let origin = match here == declared || member.generated {
                true => origin(member.generated),
                false => Origin::From(declared),
            };
            surface.insert(here, origin);
        }
        surface.insert(name, origin(generated));
    }
    Ok(surface)
}

/// The declaration files, parsed when they are needed.
struct Package {
    folder: std::path::PathBuf,
    files: BTreeMap<String, Source>,
}

/// A member of a class or interface.
struct Member {
    name: String,
    owner: String,
    generated: bool,
}

impl Package {
    fn load(&mut self, file: &str) -> Result<()> {
        if !self.files.contains_key(file) {
            let path = self.folder.join(format!("{file}.d.ts"));
            let text = syntax::read(&path)?.replace("export type * from", "export * from");
            let language = tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into();
            // The grammar is older than `export type *`.
            self.files.insert(file.to_owned(), Source::parse(&path, text, &language)?);
        }
        Ok(())
    }

    fn file(&mut self, file: &str) -> Result<&Source> {
        self.load(file)?;
        self.files.get(file).ok_or_else(|| format!("{file} is not loaded"))
    }

    fn is_generated(&mut self, file: &str) -> Result<bool> {
        // The compiler drops a file's first comment, so its name tells.
        Ok(file.ends_with(".gen") || is_generated(&self.file(file)?.text))
    }

    /// Every exported name, with the file that declares it and its name there.
    fn exports(&mut self, file: &str) -> Result<BTreeMap<String, (String, String)>> {
        let mut found = BTreeMap::new();
        let mut everything = Vec::new();
        let mut passed_on = Vec::new();
        for statement in self.file(file)?.root().of_kind("export_statement") {
            let from = statement.field("source").map(|source| beside(file, source.text()));
            if let Some(declaration) = statement.field("declaration") {
                found.extend(declared(declaration).map(|name| (name.clone(), (file.to_owned(), name))));
                continue;
            }
            let clauses = statement.of_kind("export_clause");
            let from = from.unwrap_or_else(|| file.to_owned());
            if clauses.is_empty() {
                everything.push(from.clone());
            }
            for specifier in clauses.iter().flat_map(|clause| clause.of_kind("export_specifier")) {
                let Some(original) = specifier.field("name").map(|name| name.text().to_owned()) else { continue };
                let name = specifier.field("alias").map_or(original.clone(), |alias| alias.text().to_owned());
                passed_on.push((name, from.clone(), original));
            }
        }
        for (name, from, original) in passed_on {
            // A file may pass on what it was passed itself.
            let home = if from == file { None } else { self.exports(&from)?.remove(&original) };
            found.insert(name, home.unwrap_or((from, original)));
        }
        for other in everything.into_iter().filter(|other| other != file) {
            // A name of the file's own comes before one of everything that it passes on.
            for (name, home) in self.exports(&other)? {
                found.entry(name).or_insert(home);
            }
        }
        Ok(found)
    }

    /// What a class or interface has, with what it inherits inside the package.
    fn members(&mut self, file: &str, name: &str, seen: &mut BTreeSet<String>) -> Result<Vec<Member>> {
        if !seen.insert(format!("{file} {name}")) {
            return Ok(Vec::new());
        }
        let generated = self.is_generated(file)?;
        let root = self.file(file)?.root();
        let imported = imports(root, file);
        let Some(declaration) = type_named(root, name) else { return Ok(Vec::new()) };
        let bases: Vec<String> = bases(declaration).map(|base| base.text().to_owned()).collect();
        let members = declaration.field("body").map(Piece::children).unwrap_or_default();
        // `protected` and `private` ones are the package's own.
        let public = members.into_iter().filter(|member| member.of_kind("accessibility_modifier").is_empty());
        let names = public.filter_map(|member| member.field("name")).map(Piece::text);
        let names = names.filter(|member| !member.starts_with('#') && *member != "constructor");
        let mut found: Vec<Member> =
            names.map(|member| Member { name: member.to_owned(), owner: name.to_owned(), generated }).collect();
        for base in bases {
            let (from, original) = imported.get(&base).cloned().unwrap_or_else(|| (file.to_owned(), base));
            if self.folder.join(format!("{from}.d.ts")).exists() {
                found.extend(self.members(&from, &original, seen)?);
            }
        }
        Ok(found)
    }
}

/// What a file imports: for each local name the file that it comes from, and its name there.
fn imports(root: Piece<'_>, file: &str) -> BTreeMap<String, (String, String)> {
    let mut found = BTreeMap::new();
    for statement in root.of_kind("import_statement") {
        let Some(from) = statement.field("source").map(|source| beside(file, source.text())) else { continue };
        for specifier in statement.all("import_specifier") {
            let Some(original) = specifier.field("name").map(Piece::text) else { continue };
            let local = specifier.field("alias").map_or(original, Piece::text);
            found.insert(local.to_owned(), (from.clone(), original.to_owned()));
        }
    }
    found
}

/// The class or interface of that name, whether or not `export` and `declare` stand before it.
fn type_named<'a>(root: Piece<'a>, name: &str) -> Option<Piece<'a>> {
    let kinds = ["interface_declaration", "class_declaration", "abstract_class_declaration"];
    let exported = root.children().into_iter().map(|piece| piece.field("declaration").unwrap_or(piece));
    exported
        .flat_map(|piece| if piece.kind() == "ambient_declaration" { piece.children() } else { vec![piece] })
        .find(|piece| kinds.contains(&piece.kind()) && piece.field("name").map(Piece::text) == Some(name))
}

/// The types that a class or interface extends.
fn bases<'a>(declaration: Piece<'a>) -> impl Iterator<Item = Piece<'a>> {
    let kinds = ["extends_type_clause", "class_heritage", "extends_clause"];
    let clauses = declaration.children().into_iter().filter(move |child| kinds.contains(&child.kind()));
    clauses.flat_map(|clause| clause.all("type_identifier").into_iter().chain(clause.all("identifier")))
}

/// The name that a declaration gives.
fn declared(declaration: Piece<'_>) -> Option<String> {
    let inner = declaration.children();
    // `declare const version = ...`: an ambient declaration around a lexical one.
    let name = declaration
        .field("name")
        .or_else(|| inner.iter().find_map(|piece| piece.field("name")))
        .or_else(|| declaration.all("variable_declarator").first().and_then(|piece| piece.field("name")));
    name.map(|name| name.text().to_owned())
}

/// The file that an import in `file` leads to, without its extension.
fn beside(file: &str, source: &str) -> String {
    let source = source.trim_matches(['\'', '"']);
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in source.trim_end_matches(".js").split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// `Turn.cancel`, `Turn[Symbol.asyncIterator]`.
fn joined(owner: &str, member: &str) -> String {
    if member.starts_with('[') { format!("{owner}{member}") } else { format!("{owner}.{member}") }
}
