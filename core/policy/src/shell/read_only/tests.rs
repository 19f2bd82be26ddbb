//! The list holds to its examples.

use super::ReadOnly;
use super::table::TABLE;
use crate::shell::{analyse, is_read_only, read_only};

fn reads(line: &str) -> bool {
    analyse(line).understood().is_some_and(|commands| commands.all().iter().all(is_read_only))
}

#[test]
fn every_entry_holds_to_its_examples() {
    for entry in TABLE {
        assert!(!entry.reads.is_empty() && !entry.not.is_empty(), "{:?} needs examples of both", entry.programs);
        let named = |line: &&&str| entry.programs.iter().any(|program| line.contains(program));
        for line in entry.reads.iter().inspect(|line| assert!(named(line), "{line}")) {
            assert!(reads(line), "{line} only reads, but: {:?}", analyse(line));
        }
        for line in entry.not.iter().inspect(|line| assert!(named(line), "{line}")) {
            assert!(!reads(line), "{line} may change something");
        }
    }
}

#[test]
fn a_program_stands_in_one_entry() {
    let mut names: Vec<_> = TABLE.iter().flat_map(|entry| entry.programs).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn git_that_may_run_configured_programs_is_told_from_git_that_changes() {
    let of = |line| read_only(&analyse(line).understood().unwrap().all()[0]);
    for line in [
        "git status --short",
        "git log --oneline -5",
        "git diff --stat HEAD",
        "git show HEAD:a",
        "git blame a",
        "git diff --no-index a b",
        "git rev-list HEAD",
        "git cat-file -p HEAD",
    ] {
        assert_eq!(of(line), ReadOnly::UnlessConfigured, "{line}");
    }
    for line in ["git log --output=a", "git diff --output a", "git status --new", "git show -O x", "git commit"] {
        assert_eq!(of(line), ReadOnly::No, "{line}");
    }
}
