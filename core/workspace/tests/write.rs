//! Writing through the handle.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use lodger_protocol::{ErrorCode, Intent};
use lodger_workspace::{StopFlag, WriteReport};
use support::{Bench, assert_code};

const REPLACED: WriteReport = WriteReport { created: false, atomic: true };
const CREATED: WriteReport = WriteReport { created: true, atomic: true };
const IN_PLACE: WriteReport = WriteReport { created: false, atomic: false };

fn inode(path: impl AsRef<Path>) -> u64 {
    fs::symlink_metadata(path).unwrap().ino()
}

fn raised() -> StopFlag {
    let stop = StopFlag::default();
    stop.raise();
    stop
}

#[test]
fn a_file_is_replaced_in_one_step() {
    let bench = Bench::new();
    let path = bench.put("a", "old and longer");
    let before = inode(&path);
    assert_eq!(bench.write("a", "new"), REPLACED);
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_ne!(inode(&path), before);
    assert_eq!(bench.names(""), ["a"]);
}

#[test]
fn line_ends_and_byte_order_marks_stay_as_they_are_given() {
    let bench = Bench::new();
    let content = "\u{feff}one\r\ntwo\nthree\r";
    bench.write("a", content);
    assert_eq!(fs::read(bench.path("a")).unwrap(), content.as_bytes());
}

#[test]
fn mode_bits_are_kept() {
    let bench = Bench::new();
    let path = bench.put("run.sh", "old");
    fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();
    bench.write("run.sh", "new");
    assert_eq!(fs::metadata(path).unwrap().mode() & 0o7777, 0o751);
}

#[test]
fn a_new_file_has_the_mode_that_any_program_would_give_it() {
    let bench = Bench::new();
    assert_eq!(bench.write("new", "x"), CREATED);
    let usual = bench.put("usual", "x");
    assert_eq!(fs::metadata(bench.path("new")).unwrap().mode(), fs::metadata(usual).unwrap().mode());
}

#[test]
fn missing_folders_are_made() {
    let bench = Bench::new();
    assert_eq!(bench.write("a/b/c/new.txt", "x"), CREATED);
    assert_eq!(fs::read_to_string(bench.path("a/b/c/new.txt")).unwrap(), "x");
}

#[test]
fn a_link_is_written_through_and_stays_a_link() {
    let bench = Bench::new();
    bench.put("real", "old");
    symlink("real", bench.path("link")).unwrap();
    assert_eq!(bench.write("link", "new"), REPLACED);
    assert_eq!(fs::read_to_string(bench.path("real")).unwrap(), "new");
    assert!(fs::symlink_metadata(bench.path("link")).unwrap().is_symlink());
}

#[test]
fn a_file_with_several_names_is_written_in_place() {
    let bench = Bench::new();
    let path = bench.put("a", "old and longer");
    fs::hard_link(&path, bench.path("b")).unwrap();
    assert_eq!(bench.write("a", "new"), IN_PLACE);
    assert_eq!(fs::read_to_string(bench.path("b")).unwrap(), "new");
    assert_eq!(inode(path), inode(bench.path("b")));
    assert_eq!(bench.names(""), ["a", "b"]);
}

#[test]
fn a_file_of_another_owner_is_written_in_place() {
    let bench = Bench::new();
    let path = bench.put("a", "old");
    // Only root can make such a file.
    if std::os::unix::fs::chown(&path, Some(12345), Some(12345)).is_err() {
        return;
    }
    assert_eq!(bench.write("a", "new"), IN_PLACE);
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.uid(), metadata.gid()), (12345, 12345));
    assert_eq!(fs::read_to_string(path).unwrap(), "new");
    assert_eq!(bench.names(""), ["a"]);
}

#[test]
fn a_raised_flag_leaves_everything_as_it_was() {
    let bench = Bench::new();
    let path = bench.put("a", "old");
    fs::hard_link(bench.put("several", "old"), bench.path("names")).unwrap();
    for name in ["a", "new", "deep/er/new", "several"] {
        let error = bench.resolve(name, Intent::Write).write(b"new", &raised()).unwrap_err();
        assert_code(&error, ErrorCode::Closed);
    }
    assert_eq!(fs::read_to_string(path).unwrap(), "old");
    assert_eq!(fs::read_to_string(bench.path("several")).unwrap(), "old");
    assert_eq!(bench.names(""), ["a", "names", "several"]);
}

#[test]
fn a_flag_raised_in_the_middle_leaves_the_file_whole_and_nothing_beside_it() {
    let bench = Bench::new();
    let content = vec![b'n'; 64 << 20];
    let mut stopped = 0;
    for round in 0..20 {
        let name = format!("deep{round}/file");
        let handle = bench.resolve(&name, Intent::Write);
        let stop = StopFlag::default();
        let raiser = std::thread::spawn({
            let stop = stop.clone();
            move || {
                std::thread::sleep(std::time::Duration::from_millis(round));
                stop.raise();
            }
        });
        match handle.write(&content, &stop) {
            Ok(_) => assert_eq!(fs::metadata(bench.path(&name)).unwrap().len(), content.len() as u64),
            Err(error) => {
                assert_code(&error, ErrorCode::Closed);
                assert!(!bench.path(&format!("deep{round}")).exists());
                stopped += 1;
            }
        }
        raiser.join().unwrap();
        fs::remove_dir_all(bench.path(&format!("deep{round}"))).ok();
    }
    assert!(stopped > 0, "no write was stopped on its way");
}

#[test]
fn a_file_that_changed_hands_is_not_written() {
    let bench = Bench::new();
    let path = bench.put("a", "old");
    let secret = bench.outside("secret");
    fs::write(&secret, "secret").unwrap();
    let handle = bench.resolve("a", Intent::Write);
    fs::remove_file(&path).unwrap();
    symlink(&secret, &path).unwrap();
    assert_code(&handle.write(b"new", &StopFlag::default()).unwrap_err(), ErrorCode::PathChanged);
    assert_eq!(fs::read_to_string(secret).unwrap(), "secret");
    assert_eq!(bench.names(""), ["a"]);
}

#[test]
fn a_missing_folder_that_became_a_link_is_not_written_through() {
    let bench = Bench::new();
    let handle = bench.resolve("new/file", Intent::Write);
    symlink(bench.outside(""), bench.path("new")).unwrap();
    assert_code(&handle.write(b"x", &StopFlag::default()).unwrap_err(), ErrorCode::PathChanged);
    assert!(!bench.outside("file").exists());
}

#[test]
fn a_file_that_has_appeared_meanwhile_is_not_overwritten() {
    let bench = Bench::new();
    let handle = bench.resolve("new", Intent::Write);
    let path = bench.put("new", "somebody else's");
    assert_code(&handle.write(b"mine", &StopFlag::default()).unwrap_err(), ErrorCode::PathChanged);
    assert_eq!(fs::read_to_string(path).unwrap(), "somebody else's");
}

#[test]
fn a_handle_goes_on_with_what_it_wrote() {
    let bench = Bench::new();
    bench.put("a", "1");
    for name in ["a", "b/new"] {
        let handle = bench.resolve(name, Intent::Write);
        handle.write(b"2", &StopFlag::default()).unwrap();
        assert_eq!(handle.read(10).unwrap().0, b"2");
        assert_eq!(handle.write(b"3", &StopFlag::default()).unwrap(), REPLACED);
        assert_eq!(fs::read_to_string(bench.path(name)).unwrap(), "3");
    }
}

#[test]
fn a_file_that_somebody_changed_since_it_was_read_is_not_overwritten() {
    let bench = Bench::new();
    let path = bench.put("a", "old");
    fs::hard_link(bench.put("several", "old"), bench.path("names")).unwrap();
    for name in ["a", "several"] {
        let handle = bench.resolve(name, Intent::Write);
        handle.read(10).unwrap();
        fs::write(bench.path(name), "by somebody else").unwrap();
        assert_code(&handle.write(b"mine", &StopFlag::default()).unwrap_err(), ErrorCode::PathChanged);
        assert_code(&handle.remove(&StopFlag::default()).unwrap_err(), ErrorCode::PathChanged);
        assert_eq!(fs::read_to_string(bench.path(name)).unwrap(), "by somebody else");
        // Once it was read again it may be.
        handle.read(100).unwrap();
        handle.write(b"mine", &StopFlag::default()).unwrap();
        assert_eq!(fs::read_to_string(bench.path(name)).unwrap(), "mine");
        handle.write(b"mine again", &StopFlag::default()).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), "mine again");
}

#[test]
fn a_new_file_gets_the_mode_that_is_asked_for() {
    let bench = Bench::new();
    let handle = bench.resolve("deep/new", Intent::Write);
    assert_eq!(handle.mode(), None);
    assert_eq!(handle.write_new(b"x", Some(0o640), &StopFlag::default()).unwrap(), CREATED);
    assert_eq!(handle.mode(), Some(0o640));
    assert_eq!(fs::metadata(bench.path("deep/new")).unwrap().mode() & 0o7777, 0o640);
}

#[test]
fn a_file_that_exists_is_not_made_anew() {
    let bench = Bench::new();
    let path = bench.put("a", "old");
    let error = bench.resolve("a", Intent::Write).write_new(b"new", None, &StopFlag::default()).unwrap_err();
    assert_code(&error, ErrorCode::PathChanged);
    assert_eq!(fs::read_to_string(path).unwrap(), "old");
}

#[test]
fn a_file_is_removed_and_can_be_put_back() {
    let bench = Bench::new();
    let path = bench.put("a", "old");
    fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();
    let handle = bench.resolve("a", Intent::Write);
    let mode = handle.mode();
    handle.remove(&StopFlag::default()).unwrap();
    assert!(!path.exists());
    assert_code(&handle.remove(&StopFlag::default()).unwrap_err(), ErrorCode::InvalidInput);
    assert_eq!(handle.write_new(b"old", mode, &StopFlag::default()).unwrap(), CREATED);
    assert_eq!(
        (fs::read_to_string(&path).unwrap().as_str(), fs::metadata(&path).unwrap().mode() & 0o7777),
        ("old", 0o750)
    );
}

#[test]
fn only_the_name_of_a_file_is_removed_where_it_has_several() {
    let bench = Bench::new();
    fs::hard_link(bench.put("a", "old"), bench.path("b")).unwrap();
    bench.resolve("a", Intent::Write).remove(&StopFlag::default()).unwrap();
    assert_eq!(bench.names(""), ["b"]);
}

#[test]
fn what_took_the_place_of_a_file_is_not_removed() {
    let bench = Bench::new();
    let path = bench.put("a", "old");
    let handle = bench.resolve("a", Intent::Write);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "somebody else's").unwrap();
    assert_code(&handle.remove(&StopFlag::default()).unwrap_err(), ErrorCode::PathChanged);
    let handle = bench.resolve("a", Intent::Write);
    assert_code(&handle.remove(&raised()).unwrap_err(), ErrorCode::Closed);
    assert_eq!(fs::read_to_string(path).unwrap(), "somebody else's");
}
