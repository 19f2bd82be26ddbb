//! Generated files are committed, and hold what the Rust types say.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;

use lodger_dev::files::{self, Generated};
use lodger_dev::vocabulary::{self, Shape};
use lodger_dev::{drift, schema};
use serde_json::json;

#[test]
fn generated_files_say_what_the_rust_types_say() {
    let diff = drift::diff(&files::root(), &files::all().unwrap()).unwrap();
    assert!(diff.is_empty(), "run `make gen` and commit what it writes:\n{diff}");
}

/// docs/diagnostics.md is written by hand.
#[test]
fn the_page_of_diagnostics_has_every_type_and_every_field() {
    let page = fs::read_to_string(files::root().join("docs/diagnostics.md")).unwrap();
    let types = vocabulary::read(&schema::document()).unwrap();
    let Shape::Union { members, base, .. } = &types["Diagnostic"].shape else { panic!("diagnostics are a union") };
    for member in members {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", member.word)));
        let row = row.unwrap_or_else(|| panic!("no row for {}", member.word));
        for field in &member.fields {
            assert!(row.contains(&format!("`{}`", field.name)), "{}: {}", member.word, field.name);
        }
    }
    assert!(base.iter().all(|field| page.contains(&format!("`{}`", field.name))));
}

#[test]
fn a_changed_file_shows_as_a_unified_diff_and_writing_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = [Generated { path: "docs/errors.md", text: "one\ntwo\n".to_owned() }];
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::write(folder.path().join("docs/errors.md"), "one\n2\n").unwrap();

    let diff = drift::diff(folder.path(), &files).unwrap();
    assert!(diff.contains("-2\n+two\n"), "{diff}");
    assert_eq!(drift::write(folder.path(), &files).unwrap(), ["docs/errors.md"]);
    assert_eq!(drift::diff(folder.path(), &files).unwrap(), "");
    assert!(drift::write(folder.path(), &files).unwrap().is_empty(), "what is right is not written again");
}

#[test]
fn a_missing_file_is_drift() {
    let folder = tempfile::tempdir().unwrap();
    let files = [Generated { path: "docs/errors.md", text: "one\n".to_owned() }];
    assert!(drift::diff(folder.path(), &files).unwrap().contains("+one"));
}

#[test]
fn two_runs_give_the_same_bytes() {
    let texts = || files::all().unwrap().into_iter().map(|file| file.text).collect::<Vec<_>>();
    assert_eq!(texts(), texts());
}

#[test]
fn a_shape_without_a_form_in_the_other_languages_is_refused() {
    let mut document = schema::document();
    document["$defs"]["Odd"] = json!({ "type": "array", "items": { "type": "string" } });
    let error = vocabulary::read(&document).unwrap_err();
    assert!(error.starts_with("Odd: "), "{error}");
}
