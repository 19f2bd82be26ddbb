//! Folders that are looked through.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::fs;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::os::unix::fs::symlink;
use std::sync::Mutex;

use lodger_protocol::ErrorCode;
use lodger_workspace::{FoundKind, StopFlag, Tree, Walk, Workspace};
use nix::sys::stat::Mode;
use support::{Bench, assert_code};

fn tree(bench: &Bench, path: &str) -> Box<dyn Tree> {
    bench.workspace.resolve_tree(path).unwrap()
}

/// What is found, relative to the working folder.
fn found(bench: &Bench, path: &str, walk: &Walk) -> Vec<(String, FoundKind)> {
    let all = Mutex::new(Vec::new());
    let tree = tree(bench, path);
    let walked = tree.walk(walk, &mut || {
        Box::new(|found| {
            let below = found.path.strip_prefix(bench.workspace.cwd()).unwrap_or(found.path);
            all.lock().unwrap().push((below.display().to_string(), found.kind));
            ControlFlow::Continue(())
        })
    });
    assert_eq!(walked.unwrap().unreadable, 0);
    let mut all = all.into_inner().unwrap();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

fn names(bench: &Bench, path: &str, walk: &Walk) -> Vec<String> {
    found(bench, path, walk).into_iter().map(|(path, _)| path).collect()
}

#[test]
fn everything_is_told_with_what_it_is_and_no_link_is_followed() {
    let bench = Bench::new();
    bench.put("src/a", "");
    symlink(bench.outside(""), bench.path("src/out")).unwrap();
    symlink("a", bench.path("src/in")).unwrap();
    nix::unistd::mkfifo(&bench.path("src/fifo"), Mode::S_IRWXU).unwrap();
    fs::write(bench.outside("secret"), "").unwrap();
    let file = |path: &str, kind| (path.to_owned(), kind);
    assert_eq!(
        found(&bench, ".", &Walk::default()),
        [
            file("src", FoundKind::Folder),
            file("src/a", FoundKind::File),
            file("src/fifo", FoundKind::Special),
            file("src/in", FoundKind::Link),
            file("src/out", FoundKind::Link),
        ]
    );
}

#[test]
fn hidden_and_ignored_files_are_left_out_unless_they_are_asked_for() {
    let bench = Bench::new();
    for (path, content) in
        [(".git/HEAD", ""), (".gitignore", "*.log"), (".env", ""), ("a.log", ""), ("b/.lodger/x", "")]
    {
        bench.put(path, content);
    }
    let walk = |hidden, ignored| names(&bench, ".", &Walk { hidden, ignored, ..Walk::default() });
    assert_eq!(walk(false, false), ["b"]);
    assert_eq!(walk(true, false), [".env", ".gitignore", "b"]);
    assert_eq!(walk(false, true), ["a.log", "b"]);
    assert_eq!(walk(true, true), [".env", ".gitignore", "a.log", "b"]);
}

#[test]
fn rules_of_a_folder_above_count_below_it() {
    let bench = Bench::new();
    for (path, content) in [(".git/HEAD", ""), (".gitignore", "*.log"), ("sub/a.log", ""), ("sub/b", "")] {
        bench.put(path, content);
    }
    assert_eq!(names(&bench, "sub", &Walk::default()), ["sub/b"]);
}

#[test]
fn a_walk_goes_no_deeper_than_it_is_told() {
    let bench = Bench::new();
    bench.put("a/b/c", "");
    assert_eq!(names(&bench, ".", &Walk { max_depth: Some(2), ..Walk::default() }), ["a", "a/b"]);
}

#[test]
fn a_file_is_a_tree_of_one() {
    let bench = Bench::new();
    bench.put("src/a", "content");
    assert!(!tree(&bench, "src/a").is_folder());
    assert_eq!(found(&bench, "src/a", &Walk::default()), [("src/a".to_owned(), FoundKind::File)]);
}

#[test]
fn a_tree_says_where_it_is() {
    let bench = Bench::new();
    symlink(bench.outside(""), bench.path("link")).unwrap();
    bench.put(".git/hooks/x", "");
    assert!(tree(&bench, ".").access().inside_roots);
    assert!(!tree(&bench, "..").access().inside_roots);
    assert_eq!((tree(&bench, "link").access().inside_roots, tree(&bench, "link/").is_folder()), (false, true));
    assert!(tree(&bench, ".git").access().protected);
}

#[test]
fn what_is_no_tree_is_refused() {
    let bench = Bench::new();
    nix::unistd::mkfifo(&bench.path("fifo"), Mode::S_IRWXU).unwrap();
    for (path, told) in
        [("", "is empty"), ("missing", "no such file or folder: missing"), ("fifo", "neither a folder nor")]
    {
        let error = bench.workspace.resolve_tree(path).err().unwrap();
        assert_code(&error, ErrorCode::InvalidInput);
        assert!(error.message.contains(told), "{}", error.message);
    }
}

#[test]
fn a_file_is_opened_below_the_folder_that_was_resolved() {
    let bench = Bench::new();
    bench.put("src/deep/a", "inside");
    fs::write(bench.outside("a"), "outside").unwrap();
    let tree = tree(&bench, "src");
    let path = bench.path("src/deep/a");
    let walk = Walk::default();
    let read = Mutex::new(Vec::new());
    let look = |exchange: bool| {
        tree.walk(&walk, &mut || {
            Box::new(|found| {
                if found.kind == FoundKind::File {
                    if exchange {
                        fs::rename(bench.path("src/deep"), bench.path("moved")).unwrap();
                        symlink(bench.outside(""), bench.path("src/deep")).unwrap();
                    }
                    let mut content = String::new();
                    let opened = found.open().and_then(|mut file| file.read_to_string(&mut content));
                    read.lock().unwrap().push(opened.map(|_| content).ok());
                }
                ControlFlow::Continue(())
            })
        })
        .unwrap();
    };
    look(false);
    assert!(tree.holds(&path));
    look(true);
    assert!(!tree.holds(&path), "a link stands on the way");
    assert_eq!(*read.lock().unwrap(), [Some("inside".to_owned()), None]);
}

#[test]
fn a_tree_that_was_exchanged_is_not_walked() {
    let bench = Bench::new();
    bench.put("src/a", "");
    for path in ["src", "src/a"] {
        let tree = tree(&bench, path);
        fs::rename(bench.path(path), bench.path("moved")).unwrap();
        symlink(bench.outside(""), bench.path(path)).unwrap();
        let error = tree.walk(&Walk::default(), &mut || Box::new(|_| ControlFlow::Continue(()))).unwrap_err();
        assert_code(&error, ErrorCode::PathChanged);
        fs::remove_file(bench.path(path)).unwrap();
        fs::rename(bench.path("moved"), bench.path(path)).unwrap();
    }
}

#[test]
fn a_raised_flag_ends_the_walk() {
    let bench = Bench::new();
    bench.put("a", "");
    let stop = StopFlag::default();
    stop.raise();
    assert_eq!(found(&bench, ".", &Walk { stop, ..Walk::default() }), []);
}
