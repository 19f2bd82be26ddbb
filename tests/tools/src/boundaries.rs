//! The floors of the house: the table in `boundaries.toml` against what cargo says is so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::Result;

/// The table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boundaries {
    /// One row for each member of the workspace.
    pub crates: BTreeMap<String, Row>,
    /// Who must choose the same features.
    pub selection: Selection,
    /// What must not be below a crate.
    pub bans: Vec<Ban>,
    /// What must not be anywhere.
    pub absent: Vec<Absent>,
}

/// Where a crate stands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its floor; imports never go up.
    pub floor: u8,
    /// The members that it may import.
    pub imports: Vec<String>,
}

/// Crates that must choose the same features.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// What is built alone by those who want one face only.
    pub faces: Vec<String>,
}

/// Names that must not be in a tree.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ban {
    /// The crate whose tree is looked at.
    pub root: String,
    /// What must not be in it.
    pub names: Vec<String>,
    /// Why.
    pub why: String,
}

/// Names that must not be in the lock file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// What must not be in it.
    pub names: Vec<String>,
    /// Why.
    pub why: String,
}

/// What a member of the workspace imports, as its manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The crate.
    pub name: String,
    /// Its normal and build dependencies inside the workspace.
    pub imports: Vec<String>,
}

/// Reads the table.
pub fn table(root: &Path) -> Result<Boundaries> {
    let path = root.join("tests/tools/boundaries.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| error.to_string())
}

/// The members of the workspace, as cargo sees them.
pub fn members(root: &Path) -> Result<Vec<Member>> {
    let json = cargo(root, &["metadata", "--format-version", "1", "--no-deps"])?;
    let metadata: Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    Ok(packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            let imports = dependencies
                .filter(|dependency| dependency["path"].is_string() && dependency["kind"] != "dev")
                .map(name)
                .collect();
            Member { name: name(package), imports }
        })
        .collect())
}

/// Every way in which the members leave the table, as sentences.
#[must_use]
pub fn trespasses(table: &Boundaries, members: &[Member]) -> Vec<String> {
    let mut found = Vec::new();
    for member in members {
        let Some(row) = table.crates.get(&member.name) else {
            found.push(format!("{} has no row in boundaries.toml: give it a floor", member.name));
            continue;
        };
        for import in &member.imports {
            if !row.imports.contains(import) {
                found.push(format!("{} imports {import}, which its row does not name", member.name));
            }
        }
    }
    for (name, row) in &table.crates {
        for import in &row.imports {
            match table.crates.get(import) {
                None => found.push(format!("the row of {name} names {import}, which has no row")),
                Some(below) if below.floor > row.floor => {
                    found.push(format!("{name} on floor {} may not import {import} above it", row.floor));
                }
                Some(_) => {}
            }
        }
    }
    found
}

/// The names of all packages that a crate's default build pulls in.
pub fn tree(root: &Path, package: &str) -> Result<Vec<String>> {
    let text =
        cargo(root, &["tree", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}"])?;
    Ok(text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}

/// What cargo would build for some packages: each with the features that it chose, as `NAME VERSION: FEATURES`.
pub fn chosen(root: &Path, packages: &[&str]) -> Result<BTreeSet<String>> {
    let fixed = ["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}: {f}"];
    let text = cargo(root, &[&fixed[..], packages].concat())?;
    // Behind the version stand marks and folders: ` (proc-macro)`, ` (*)`, ` (/the/folder)`.
    let without_marks = |line: &str| {
        let (package, features) = line.split_once(": ").unwrap_or((line, ""));
        let package = package.split(" (").next().unwrap_or(package).to_owned();
        format!("{package}: {}", features.trim_end_matches(" (*)"))
    };
    Ok(text.lines().map(without_marks).collect())
}

/// The names of all packages in the lock file.
pub fn locked(root: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(root.join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    Ok(text.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).map(str::to_owned).collect())
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo {}: {error}", arguments.join(" ")))?;
    if !output.status.success() {
        return Err(format!("cargo {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
