//! The Rust programs in docs/: each compiles, and prints what its page says.
//!
//! `build.rs` makes a module of each. A program runs in a process of its own: this one again, in a folder that holds
//! the files of the page.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::process::{Command, Termination};
use std::{env, fs};

use lodger_dev::files;

include!(concat!(env!("OUT_DIR"), "/guides.rs"));

const PROGRAM: &str = "LODGER_GUIDE_PROGRAM";
const BEGIN: &str = "---- the program begins\n";
const END: &str = "---- the program has ended\n";

/// Not a test of its own: what the test below starts once for each program.
#[test]
#[ignore = "started by the other test of this file"]
#[expect(clippy::disallowed_methods, reason = "which program it is comes from its parent, the other test")]
fn program() {
    let Ok(asked) = env::var(PROGRAM) else { return };
    let (page, name) = asked.split_once(' ').unwrap();
    print!("{BEGIN}");
    run(page, name);
    print!("{END}");
}

#[test]
fn every_rust_program_of_a_guide_prints_what_the_guide_says() {
    let mut count = 0;
    for page in fs::read_dir(files::root().join("docs")).unwrap().map(|entry| entry.unwrap().path()) {
        let text = fs::read_to_string(&page).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let stem = page.file_stem().unwrap().to_string_lossy().replace('-', "_");
        let mut programs = Vec::new();
        for block in text.split("<!-- file: ").skip(1) {
            let (name, rest) = block.split_once(" -->\n").unwrap();
            let (language, rest) = rest.trim_start_matches('`').split_once('\n').unwrap();
            let (content, rest) = rest.split_once("```").unwrap();
            fs::write(folder.path().join(name), content).unwrap();
            if language == "rust" {
                let printed = rest.strip_prefix("\n\n```text\n").and_then(|rest| rest.split_once("```"));
                programs.push((name, printed.unwrap_or_else(|| panic!("{name} says not what it prints")).0));
            }
        }
        assert_eq!(programs.len(), text.matches("\n```rust\n").count(), "{stem}: each has a name");
        for (name, printed) in &programs {
            assert_eq!(said(&stem, name, folder.path()), *printed, "{stem}: {name}");
        }
        count += programs.len();
    }
    assert!(count > 0, "no page has a Rust program");
}

/// What a program prints.
fn said(page: &str, name: &str, folder: &Path) -> String {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "program", "--ignored", "--nocapture"])
        .env(PROGRAM, format!("{page} {name}"))
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{page}: {name}: {said}\n{}", String::from_utf8_lossy(&output.stderr));
    let (_, said) = said.split_once(BEGIN).unwrap();
    said.split_once(END).unwrap().0.to_owned()
}
