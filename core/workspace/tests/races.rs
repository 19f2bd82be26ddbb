//! Paths that are turned to and fro by somebody else while they are used.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use lodger_protocol::{ErrorCode, Intent};
use lodger_workspace::{StopFlag, Workspace};
use support::Bench;

const ROUNDS: usize = 3000;

/// Repeats `turn` on another thread while `work` runs.
fn while_turning(turn: impl Fn() + Send + 'static, work: impl FnOnce()) {
    let done = Arc::new(AtomicBool::new(false));
    let turner = thread::spawn({
        let done = Arc::clone(&done);
        move || {
            while !done.load(Ordering::SeqCst) {
                turn();
            }
        }
    });
    work();
    done.store(true, Ordering::SeqCst);
    turner.join().unwrap();
}

fn point(link: &Path, target: &Path) {
    let new = link.with_extension("new");
    symlink(target, &new).unwrap();
    fs::rename(new, link).unwrap();
}

#[test]
fn what_was_judged_inside_is_never_read_from_outside() {
    let bench = Bench::new();
    let inside = bench.put("inside", "inside");
    let outside = bench.outside("outside");
    fs::write(&outside, "outside").unwrap();
    let link = bench.path("link");
    point(&link, &inside);
    let mut read = [0; 2];
    while_turning(
        move || [&outside, &inside].into_iter().for_each(|target| point(&link, target)),
        || {
            for _ in 0..ROUNDS {
                let Ok(handle) = bench.workspace.resolve("link", Intent::Read) else { continue };
                let is_inside = handle.access().inside_roots;
                if let Ok((content, _)) = handle.read(100) {
                    assert_eq!(content == b"inside", is_inside);
                    read[usize::from(is_inside)] += 1;
                }
            }
        },
    );
    assert!(read.into_iter().all(|count| count > 0), "{read:?}");
}

#[test]
fn what_was_judged_inside_is_never_written_outside() {
    let bench = Bench::new();
    bench.put("real/file", "untouched");
    fs::write(bench.outside("file"), "untouched").unwrap();
    let (folder, real, outside) = (bench.path("folder"), bench.path("real"), bench.outside(""));
    // The folder itself is by turns a real one and a link that leads out.
    fs::rename(&real, &folder).unwrap();
    let mut written = 0;
    while_turning(
        move || {
            fs::rename(&folder, &real).unwrap();
            symlink(&outside, &folder).unwrap();
            fs::remove_file(&folder).unwrap();
            fs::rename(&real, &folder).unwrap();
            // Long enough for a write that is not met by a turn.
            thread::sleep(Duration::from_millis(1));
        },
        || {
            for _ in 0..ROUNDS {
                let Ok(handle) = bench.workspace.resolve("folder/file", Intent::Write) else { continue };
                if handle.access().inside_roots && handle.access().file_id.is_some() {
                    match handle.write(b"written", &StopFlag::default()) {
                        Ok(_) => written += 1,
                        Err(error) => {
                            assert!(matches!(error.code, ErrorCode::PathChanged | ErrorCode::InvalidInput), "{error}")
                        }
                    }
                }
            }
        },
    );
    assert!(written > 0);
    assert_eq!(fs::read_to_string(bench.outside("file")).unwrap(), "untouched");
    let left: Vec<_> = fs::read_dir(bench.outside("")).unwrap().collect();
    assert_eq!(left.len(), 1);
    assert_eq!(bench.names("folder"), ["file"]);
}
