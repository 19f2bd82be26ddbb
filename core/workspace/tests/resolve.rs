//! What a path turns out to be.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;

use lodger_protocol::{ErrorCode, FileId, Intent, ResolvedAccess};
use lodger_workspace::{LocalWorkspace, ProcessTable, Workspace};
use nix::sys::stat::Mode;
use support::{Bench, assert_code};

fn look(bench: &Bench, path: &str) -> ResolvedAccess {
    bench.resolve(path, Intent::Read).access().clone()
}

#[test]
fn a_plain_file_is_told_with_all_that_is_known() {
    let bench = Bench::new();
    let path = bench.put("src/main.rs", "fn main() {}");
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!(
        look(&bench, "./src/../src/main.rs"),
        ResolvedAccess {
            given: "./src/../src/main.rs".to_owned(),
            canonical: path,
            intent: Intent::Read,
            file_id: Some(FileId { device: metadata.dev(), inode: metadata.ino() }),
            inside_roots: true,
            link_count: 1,
            protected: false,
        }
    );
}

#[test]
fn a_link_inside_that_points_outside_is_outside() {
    let bench = Bench::new();
    fs::write(bench.outside("secret"), "s").unwrap();
    symlink(bench.outside("secret"), bench.path("link")).unwrap();
    symlink(bench.outside(""), bench.path("folder")).unwrap();
    for path in ["link", "folder/secret", "folder/new"] {
        let access = look(&bench, path);
        assert!(!access.inside_roots, "{path}");
        assert!(access.canonical.starts_with(bench.outside("")), "{path}");
    }
}

#[test]
fn a_link_outside_that_points_inside_is_inside() {
    let bench = Bench::new();
    let path = bench.put("a", "a");
    symlink(&path, bench.outside("link")).unwrap();
    let access = look(&bench, bench.outside("link").to_str().unwrap());
    assert!(access.inside_roots);
    assert_eq!(access.canonical, path);
}

#[test]
fn a_dangling_link_is_judged_by_where_it_points() {
    let bench = Bench::new();
    symlink("../outside/new", bench.path("link")).unwrap();
    let access = look(&bench, "link");
    assert_eq!((access.canonical, access.inside_roots, access.file_id), (bench.outside("new"), false, None));
}

#[test]
fn links_that_lead_to_one_another_are_refused() {
    let bench = Bench::new();
    symlink("b", bench.path("a")).unwrap();
    symlink("a", bench.path("b")).unwrap();
    assert_code(&bench.refused("a", Intent::Read), ErrorCode::InvalidInput);
}

#[test]
fn a_folder_whose_name_only_begins_like_the_root_is_outside() {
    let bench = Bench::new();
    let sibling = bench.path("").parent().unwrap().join("workshop");
    fs::create_dir(&sibling).unwrap();
    fs::write(sibling.join("a"), "a").unwrap();
    assert!(!look(&bench, sibling.join("a").to_str().unwrap()).inside_roots);
    assert!(!look(&bench, "../workshop/a").inside_roots);
}

#[test]
fn a_file_that_does_not_exist_has_a_place_all_the_same() {
    let bench = Bench::new();
    symlink("real", bench.path("alias")).unwrap();
    fs::create_dir(bench.path("real")).unwrap();
    let access = look(&bench, "alias/new/deeper/file.txt");
    assert_eq!(access.canonical, bench.path("real/new/deeper/file.txt"));
    assert_eq!((access.file_id, access.link_count, access.inside_roots), (None, 0, true));
}

#[test]
fn going_up_from_a_folder_that_does_not_exist_is_refused() {
    let bench = Bench::new();
    bench.put("a", "a");
    assert_code(&bench.refused("missing/../a", Intent::Read), ErrorCode::InvalidInput);
}

#[test]
fn several_names_of_a_file_are_counted() {
    let bench = Bench::new();
    fs::hard_link(bench.put("a", "a"), bench.outside("b")).unwrap();
    assert_eq!(look(&bench, "a").link_count, 2);
}

#[test]
fn metadata_of_version_control_and_of_lodger_is_protected_in_any_case_of_letters() {
    let bench = Bench::new();
    bench.put(".git/config", "");
    symlink(".git", bench.path("innocent")).unwrap();
    for path in [".git/config", "innocent/config", "sub/.GIT/hooks/x", ".hg/hgrc", ".svn/a", ".jj/a", ".lodger/a"] {
        assert!(look(&bench, path).protected, "{path}");
    }
    for path in [".gitignore", ".github/workflows/a.yml", "git/config"] {
        assert!(!look(&bench, path).protected, "{path}");
    }
}

#[test]
fn a_git_file_of_a_worktree_is_protected() {
    let bench = Bench::new();
    bench.put(".git", "gitdir: elsewhere");
    assert!(look(&bench, ".git").protected);
}

#[test]
fn what_cannot_be_a_path_is_refused() {
    let bench = Bench::new();
    for path in ["", "a\0b"] {
        assert_code(&bench.refused(path, Intent::Read), ErrorCode::InvalidInput);
    }
}

#[test]
fn a_folder_is_refused_by_whatever_name() {
    let bench = Bench::new();
    fs::create_dir(bench.path("src")).unwrap();
    for path in ["src", "src/", ".", "..", "/", "src/.", "new/"] {
        let error = bench.refused(path, Intent::Write);
        assert_code(&error, ErrorCode::InvalidInput);
        assert!(error.message.contains("folder"), "{path}: {}", error.message);
    }
}

#[test]
fn a_file_used_as_a_folder_is_refused() {
    let bench = Bench::new();
    bench.put("a", "a");
    let error = bench.refused("a/b", Intent::Write);
    assert_eq!(error.message, "a part of this path is a file and not a folder: a/b");
}

#[test]
fn special_files_are_refused_without_being_opened() {
    let bench = Bench::new();
    nix::unistd::mkfifo(&bench.path("fifo"), Mode::S_IRWXU).unwrap();
    let _listener = UnixListener::bind(bench.path("socket")).unwrap();
    for (path, what) in [("fifo", "a FIFO"), ("socket", "a socket"), ("/dev/null", "a device")] {
        for intent in [Intent::Read, Intent::Write] {
            let error = bench.refused(path, intent);
            assert_code(&error, ErrorCode::InvalidInput);
            assert!(error.message.contains(what), "{}", error.message);
        }
    }
}

#[test]
fn a_workspace_needs_a_folder_that_exists() {
    let bench = Bench::new();
    bench.put("file", "");
    let open = |cwd: &Path, roots: &[std::path::PathBuf]| {
        LocalWorkspace::open(cwd, roots, BTreeMap::new(), Arc::new(ProcessTable::new())).unwrap_err()
    };
    for (cwd, found) in [("missing", "there is none"), ("file", "this is not a folder")] {
        let error = open(&bench.path(cwd), &[]);
        assert_code(&error, ErrorCode::InvalidOptions);
        assert!(error.message.starts_with("`cwd`: expected an existing folder"), "{}", error.message);
        assert!(error.message.contains(found), "{}", error.message);
    }
    let error = open(&bench.path(""), &["missing".into()]);
    assert!(error.message.starts_with("`roots`: expected an existing folder"), "{}", error.message);
}

#[test]
fn further_roots_are_inside_and_the_working_folder_is_not_when_it_is_no_root() {
    let bench = Bench::new();
    bench.put("a", "a");
    fs::write(bench.outside("b"), "b").unwrap();
    let roots = [bench.outside("")];
    let workspace =
        LocalWorkspace::open(&bench.path(""), &roots, BTreeMap::new(), Arc::clone(&bench.processes)).unwrap();
    assert!(!workspace.resolve("a", Intent::Read).unwrap().access().inside_roots);
    assert!(workspace.resolve("../outside/b", Intent::Read).unwrap().access().inside_roots);
}

#[test]
fn the_working_folder_is_told_without_links() {
    let bench = Bench::new();
    symlink(bench.path(""), bench.outside("link")).unwrap();
    let workspace = support::open(&bench.outside("link"), &[], &bench.processes);
    assert_eq!(workspace.cwd(), bench.path("").canonicalize().unwrap());
}
