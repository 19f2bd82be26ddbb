//! Imports go down, heavy parts stay where they can be left out, and TLS is one thing everywhere.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;

use lodger_dev::boundaries::{self, Boundaries, Member};
use lodger_dev::files;

#[test]
fn every_crate_imports_only_what_its_row_names() {
    let root = files::root();
    let found = boundaries::trespasses(&boundaries::table(&root).unwrap(), &boundaries::members(&root).unwrap());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn heavy_parts_stay_out_of_the_trees_that_ban_them() {
    let root = files::root();
    for ban in boundaries::table(&root).unwrap().bans {
        let tree = boundaries::tree(&root, &ban.root).unwrap();
        assert!(tree.contains(&ban.root), "cargo tree did not list {} itself", ban.root);
        let found: Vec<_> = ban.names.iter().filter(|name| tree.contains(name)).collect();
        assert!(found.is_empty(), "{} pulls in {found:?}: {}", ban.root, ban.why);
    }
}

#[test]
fn a_face_built_alone_compiles_nothing_that_the_workspace_has_not_compiled() {
    let root = files::root();
    let workspace = boundaries::chosen(&root, &["--workspace"]).unwrap();
    assert!(workspace.iter().any(|package| package.starts_with("tokio v")), "cargo tree was not understood");
    for face in boundaries::table(&root).unwrap().selection.faces {
        let alone = boundaries::chosen(&root, &["--package", &face]).unwrap();
        let again: Vec<_> = alone.difference(&workspace).collect();
        assert!(again.is_empty(), "{face} chooses otherwise: level {again:#?} in core/workspace-hack/Cargo.toml");
    }
}

#[test]
fn the_lock_file_has_one_tls_and_no_library_of_the_host() {
    let root = files::root();
    let locked = boundaries::locked(&root).unwrap();
    assert!(locked.contains(&"rustls".to_owned()), "the lock file was not read");
    for absent in boundaries::table(&root).unwrap().absent {
        let found: Vec<_> = absent.names.iter().filter(|name| locked.contains(name)).collect();
        assert!(found.is_empty(), "Cargo.lock has {found:?}: {}", absent.why);
    }
}

/// `forbid(unsafe_code)` comes with the workspace's lints; a crate that does not take them is out of its reach.
#[test]
fn every_core_crate_takes_the_lints_of_the_workspace() {
    for folder in fs::read_dir(files::root().join("core")).unwrap() {
        let manifest = folder.unwrap().path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        let manifest_toml: toml::Table = toml::from_str(&text).unwrap();
        let lints = manifest_toml.get("lints").and_then(|lints| lints.get("workspace"));
        assert_eq!(lints.and_then(toml::Value::as_bool), Some(true), "{}", manifest.display());
    }
}

/// A crate that names its test programs itself runs no file that it does not name.
#[test]
fn every_file_of_tests_belongs_to_a_test_program() {
    for folder in fs::read_dir(files::root().join("core")).unwrap() {
        let folder = folder.unwrap().path();
        let manifest: toml::Table = toml::from_str(&fs::read_to_string(folder.join("Cargo.toml")).unwrap()).unwrap();
        if manifest["package"].get("autotests").and_then(toml::Value::as_bool) != Some(false) {
            continue;
        }
        let programs = manifest["test"].as_array().unwrap().iter().map(|test| test["name"].as_str().unwrap());
        let mut known: Vec<String> = programs.map(str::to_owned).collect();
        for program in known.clone() {
            let text = fs::read_to_string(folder.join("tests").join(program).with_extension("rs")).unwrap();
            let modules = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
            known.extend(modules.map(str::to_owned));
        }
        for file in fs::read_dir(folder.join("tests")).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(known.contains(&name), "{} is run by no test program: add `mod {name};` to all.rs", file.display());
        }
    }
}

#[test]
fn an_import_that_goes_up_or_is_not_named_is_found() {
    let table: Boundaries = toml::from_str(
        r#"
        bans = []
        absent = []
        selection.faces = []
        [crates.low]
        floor = 0
        imports = ["high"]
        [crates.high]
        floor = 1
        imports = []
        "#,
    )
    .unwrap();
    let member = |name: &str, imports: &[&str]| Member {
        name: name.to_owned(),
        imports: imports.iter().map(|import| (*import).to_owned()).collect(),
    };
    let found = boundaries::trespasses(&table, &[member("low", &[]), member("high", &["low"]), member("new", &[])]);
    assert_eq!(
        found,
        [
            "high imports low, which its row does not name",
            "new has no row in boundaries.toml: give it a floor",
            "low on floor 0 may not import high above it",
        ]
    );
}
