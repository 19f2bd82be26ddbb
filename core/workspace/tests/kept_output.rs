//! The private folder for output that is too long to be shown.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use lodger_protocol::{ErrorCode, Intent};
use lodger_workspace::Workspace;
use support::{Bench, assert_code, open};

/// With temporary files in a folder of the test's own.
fn bench() -> Bench {
    let mut bench = Bench::new();
    let temporary = bench.outside("").display().to_string();
    let cwd = bench.path("");
    bench.workspace = open(&cwd, &[("PATH", "/usr/bin:/bin"), ("TMPDIR", &temporary)], &bench.processes);
    bench
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn temporary_entries(bench: &Bench) -> usize {
    fs::read_dir(bench.outside("")).unwrap().count()
}

#[test]
fn nothing_is_made_before_there_is_something_to_keep() {
    assert_eq!(temporary_entries(&bench()), 0);
}

#[test]
fn each_file_is_its_own_and_for_nobody_else() {
    let bench = bench();
    let mut files = [bench.workspace.keep_output().unwrap(), bench.workspace.keep_output().unwrap()];
    assert_eq!([files[0].append(b"one"), files[1].append(b"two")], [3, 3]);
    let [one, two] = [files[0].path(), files[1].path()];
    assert_eq!([fs::read(one).unwrap(), fs::read(two).unwrap()], [b"one", b"two"]);
    assert_eq!((mode(one), mode(one.parent().unwrap())), (0o600, 0o700));
    assert_eq!(one.parent(), two.parent());
    assert!(one.starts_with(bench.outside("").canonicalize().unwrap()));
}

#[test]
fn it_may_be_read_as_if_inside_the_roots_and_not_written() {
    let bench = bench();
    let mut file = bench.workspace.keep_output().unwrap();
    file.append(b"text");
    let path = file.path().to_str().unwrap();
    let read = bench.resolve(path, Intent::Read);
    assert!(read.access().inside_roots);
    assert_eq!(read.read(100).unwrap().0, b"text");
    assert!(!bench.resolve(path, Intent::Write).access().inside_roots);
}

#[test]
fn a_link_in_it_leads_to_where_it_leads() {
    let bench = bench();
    let folder = bench.workspace.keep_output().unwrap().path().parent().unwrap().to_owned();
    fs::write(bench.outside("secret"), "s").unwrap();
    std::os::unix::fs::symlink(bench.outside("secret"), folder.join("link")).unwrap();
    assert!(!bench.resolve(folder.join("link").to_str().unwrap(), Intent::Read).access().inside_roots);
}

#[test]
fn the_kept_output_of_another_agent_is_outside() {
    let (bench, other) = (bench(), bench());
    let file = other.workspace.keep_output().unwrap();
    assert!(!bench.resolve(file.path().to_str().unwrap(), Intent::Read).access().inside_roots);
}

#[test]
fn it_goes_with_the_workspace() {
    let bench = bench();
    let mut file = bench.workspace.keep_output().unwrap();
    bench.workspace.shut_down();
    assert_eq!(temporary_entries(&bench), 0);
    file.append(b"late");
    assert_code(&bench.workspace.keep_output().err().unwrap(), ErrorCode::Closed);

    let other = self::bench();
    let _file = other.workspace.keep_output().unwrap();
    let support::Bench { folder, workspace, .. } = other;
    drop(workspace);
    assert_eq!(fs::read_dir(folder.path().join("outside")).unwrap().count(), 0);
}

#[test]
fn a_missing_folder_for_temporary_files_is_told() {
    let mut bench = Bench::new();
    bench.workspace = open(&bench.path(""), &[("TMPDIR", "/nowhere/at/all")], &bench.processes);
    assert_code(&bench.workspace.keep_output().err().unwrap(), ErrorCode::Internal);
}
