//! Audit logs: written along, and whether they are as they were written.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::kit::{Place, lodger, runs, says, stderr, stdout};

/// The log of a run.
fn log() -> String {
    let place = Place::new(&[runs("true"), says("done")]);
    let file = place.folder.path().join("audit.jsonl");
    let output = place.run(&["--mode", "full-auto", "--audit", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    fs::read_to_string(file).unwrap()
}

fn verify(file: &Path, more: &[&str]) -> (Option<i32>, String) {
    let output = lodger().args(["audit", "verify"]).arg(file).args(more).output().unwrap();
    (output.status.code(), stdout(&output).to_owned())
}

fn verified(log: &str, more: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    fs::write(&file, log).unwrap();
    verify(&file, more)
}

#[test]
fn a_log_that_nobody_touched_is_whole_and_its_head_is_told() {
    let log = log();
    let head = &log.trim_end()[log.trim_end().len() - 66..][..64];
    let records = log.lines().count();
    assert!(log.contains("\"type\":\"effect\""), "{log}");
    assert_eq!(verified(&log, &[]), (Some(0), format!("ok: {records} records, head {head}\n")));
    let (code, said) = verified(&log, &["--json", "--head", head]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, said), (Some(0), json!({ "ok": true, "records": records, "head": head })));
}

#[test]
fn the_first_line_that_is_wrong_is_named() {
    let log = log();
    let lines: Vec<&str> = log.lines().collect();
    let without_third = [&lines[..2], &lines[3..]].concat().join("\n") + "\n";
    for (log, line) in [(log.replace("run_shell", "read_file"), 2), (without_third, 3)] {
        let (code, said) = verified(&log, &[]);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.starts_with(&format!("broken: line {line}: ")), "{said}");
    }
    let (code, said) = verified(&log, &["--head", &"0".repeat(63)]);
    assert_eq!(code, Some(1));
    assert!(said.contains("records were cut off the end"), "{said}");
}

#[test]
fn a_file_that_is_not_there_is_an_argument_that_cannot_be_used() {
    assert_eq!(verify(Path::new("/there/is/no/such/log"), &[]).0, Some(2));
}
