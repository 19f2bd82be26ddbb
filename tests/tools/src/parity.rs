//! Does every concept have its name in every language? `tests/parity.toml` says so, and this compares it with what
//! the languages show.
//!
//! Three faults are found: a name that is not there, a face that a concept is silent about, and a name that nobody
//! placed, so that a new one cannot come without its siblings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::Result;
use crate::names::snake;
use crate::surface::{Face, Origin, Surface, c_functions};

/// `tests/parity.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// One row for each concept.
    pub concept: Vec<Concept>,
    /// By face: names that only this face has, each with the reason. `Type.*` means all members of a type.
    pub only: BTreeMap<String, BTreeMap<String, String>>,
    /// Functions of the C header that the C++ layer over it does without, each with the reason.
    #[serde(default)]
    pub not_in_cpp: BTreeMap<String, String>,
}

/// One concept, and what it is called.
#[derive(Debug, Deserialize)]
pub struct Concept {
    /// What it is, for people.
    pub what: String,
    /// By face: its names there, or why it has none.
    #[serde(flatten)]
    pub faces: BTreeMap<String, Place>,
}

/// What a concept is in one face.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// It has one name.
    Name(String),
    /// It takes several names.
    Names(Vec<String>),
    /// It has none.
    Absent {
        /// Why.
        #[serde(rename = "-")]
        why: String,
    },
}

/// What each face shows.
pub type Surfaces = BTreeMap<Face, Surface>;

/// Every concept says something about these.
const SPOKEN_FOR: [Face; 4] = [Face::Rust, Face::C, Face::Node, Face::Python];

/// Reads the table.
pub fn table(root: &Path) -> Result<Table> {
    let text = fs::read_to_string(root.join("tests/parity.toml")).map_err(|error| format!("parity.toml: {error}"))?;
    toml::from_str(&text).map_err(|error| format!("parity.toml: {error}"))
}

/// Reads every face.
pub fn surfaces(root: &Path) -> Result<Surfaces> {
    Face::ALL.into_iter().map(|face| Ok((face, face.read(root)?))).collect()
}

/// Everything that is wrong with the table. `options` are the names of the options in JSON: a keyword or a builder's
/// method of that name needs no row.
#[must_use]
pub fn faults(table: &Table, surfaces: &Surfaces, options: &[String]) -> Vec<String> {
    let mut found: Vec<String> = silent(table);
    let words = table.concept.iter().flat_map(|row| row.faces.keys()).chain(table.only.keys());
    let known: BTreeSet<_> = Face::ALL.map(Face::name).into();
    found.extend(words.filter(|word| !known.contains(word.as_str())).map(|word| format!("{word} is no face")));
    let options: BTreeSet<String> = options.iter().map(|option| snake(option)).collect();
    for (face, surface) in surfaces {
        let placed = placed(table, *face);
        for (name, row) in &placed {
            let there = match name.strip_suffix('*') {
                Some(owner) => surface.keys().any(|name| name.starts_with(owner)),
                None => surface.contains_key(*name),
            };
            if !there {
                found.push(format!("{}: there is no `{name}` (\"{row}\")", face.name()));
            }
        }
        // A name that is inherited stands for the one that was declared.
        let declared: BTreeSet<&str> = placed
            .keys()
            .map(|name| match surface.get(*name) {
                Some(Origin::From(declared)) => declared.as_str(),
                _ => *name,
            })
            .collect();
        let families: Vec<&str> = placed.keys().filter_map(|name| name.strip_suffix('*')).collect();
        for (name, _) in surface.iter().filter(|(_, origin)| **origin == Origin::Own) {
            let in_family = families.iter().any(|owner| name.starts_with(owner));
            if !in_family && !declared.contains(name.as_str()) && !is_option(name, &options) {
                found.push(format!(
                    "{}: `{name}` has no row: give it one with its siblings, or say under [only.{}] why it has none",
                    face.name(),
                    face.name()
                ));
            }
        }
    }
    found
}

/// Functions of C that `include/lodger.hpp` does not call and the table does not excuse, and excuses without need.
pub fn cpp_faults(table: &Table, root: &Path) -> Result<Vec<String>> {
    let layer = fs::read_to_string(root.join("include/lodger.hpp")).map_err(|error| format!("lodger.hpp: {error}"))?;
    let words: BTreeSet<&str> = layer.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let functions = c_functions(root)?;
    let left_out: Vec<&String> = functions.iter().filter(|name| !words.contains(name.as_str())).collect();
    let silent = left_out.iter().filter(|name| !table.not_in_cpp.contains_key(name.as_str()));
    let needless = table.not_in_cpp.keys().filter(|name| !left_out.contains(name));
    Ok(silent
        .map(|name| format!("lodger.hpp does without `{name}`: call it there, or say under [not_in_cpp] why not"))
        .chain(needless.map(|name| format!("[not_in_cpp] excuses `{name}` without need")))
        .collect())
}

/// Rows that say nothing about a face, or give no reason.
fn silent(table: &Table) -> Vec<String> {
    let mut found = Vec::new();
    for row in &table.concept {
        for face in SPOKEN_FOR.into_iter().filter(|face| !row.faces.contains_key(face.name())) {
            found.push(format!("\"{}\" says nothing about {}: name it, or `{{ \"-\" = why }}`", row.what, face.name()));
        }
        let reasons = row.faces.values().filter_map(|place| match place {
            Place::Absent { why } => Some(why),
            Place::Name(_) | Place::Names(_) => None,
        });
        found.extend(reasons.filter(|why| why.trim().is_empty()).map(|_| format!("\"{}\" gives no reason", row.what)));
    }
    let reasons = table.only.values().flatten();
    found.extend(reasons.filter(|(_, why)| why.trim().is_empty()).map(|(name, _)| format!("`{name}` gives no reason")));
    found
}

/// The names that the table gives to a face, each with its row.
fn placed(table: &Table, face: Face) -> BTreeMap<&str, &str> {
    let mut names = BTreeMap::new();
    for row in &table.concept {
        match row.faces.get(face.name()) {
            Some(Place::Name(name)) => drop(names.insert(name.as_str(), row.what.as_str())),
            Some(Place::Names(all)) => names.extend(all.iter().map(|name| (name.as_str(), row.what.as_str()))),
            Some(Place::Absent { .. }) | None => {}
        }
    }
    let only = table.only.get(face.name()).into_iter().flatten();
    names.extend(only.map(|(name, why)| (name.as_str(), why.as_str())));
    names
}

/// `create_agent(cwd)` and `AgentBuilder::cwd`.
fn is_option(name: &str, options: &BTreeSet<String>) -> bool {
    let keyword = name.strip_prefix("create_agent(").and_then(|rest| rest.strip_suffix(')'));
    keyword.or_else(|| name.strip_prefix("AgentBuilder::")).is_some_and(|option| options.contains(option))
}
