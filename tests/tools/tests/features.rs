//! What docs/features.md promises is shown by tests that exist.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;

use lodger_dev::{features, files};

#[test]
fn every_promise_names_tests_that_exist_or_is_planned() {
    let faults = features::faults(&files::root()).unwrap();
    assert!(faults.is_empty(), "docs/features.md:\n{}", faults.join("\n"));
}

#[test]
fn a_test_that_is_gone_and_a_promise_without_one_are_found() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["docs", "core"] {
        fs::create_dir(folder.path().join(path)).unwrap();
    }
    fs::write(folder.path().join("core/a.rs"), "#[test]\nfn holds() {}\n\nfn no_test() {}\n").unwrap();
    let page =
        "- It holds. `core/a.rs::holds`\n- So does this. `core/a.rs::no_test`\n- And this.\n- Later. *planned*\n";
    fs::write(folder.path().join("docs/features.md"), page).unwrap();
    assert_eq!(
        features::faults(folder.path()).unwrap(),
        ["core/a.rs has no test `no_test`", "name a test for this, or say that it is *planned*, not both: And this."]
    );
}
