//! Reading through the handle.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;

use lodger_protocol::{ErrorCode, Intent};
use support::{Bench, assert_code};

#[test]
fn the_whole_content_comes_with_the_size() {
    let bench = Bench::new();
    bench.put("a", "one\r\ntwo");
    assert_eq!(bench.resolve("a", Intent::Read).read(1000).unwrap(), (b"one\r\ntwo".to_vec(), 8));
}

#[test]
fn no_more_is_read_than_wanted_and_the_full_size_is_told() {
    let bench = Bench::new();
    bench.put("a", &"x".repeat(200_000));
    let (content, size) = bench.resolve("a", Intent::Read).read(100_000).unwrap();
    assert_eq!((content.len(), size), (100_000, 200_000));
}

#[test]
fn a_file_that_has_more_than_it_says_is_read_to_its_end() {
    let bench = Bench::new();
    let (content, size) = bench.resolve("/proc/self/status", Intent::Read).read(1_000_000).unwrap();
    assert!(content.starts_with(b"Name:"));
    assert_eq!(content.len() as u64, size);
}

#[test]
fn a_missing_file_is_named_as_it_was_given() {
    let bench = Bench::new();
    let error = bench.resolve("src/x.rs", Intent::Read).read(10).unwrap_err();
    assert_code(&error, ErrorCode::InvalidInput);
    assert_eq!(error.message, "no such file: src/x.rs");
}

#[test]
fn one_handle_can_be_read_many_times() {
    let bench = Bench::new();
    bench.put("a", "content");
    let handle = bench.resolve("a", Intent::Read);
    for _ in 0..3 {
        assert_eq!(handle.read(100).unwrap().0, b"content");
    }
}

#[test]
fn a_file_that_was_replaced_meanwhile_is_not_read() {
    let bench = Bench::new();
    let path = bench.put("a", "old");
    let handle = bench.resolve("a", Intent::Read);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "new").unwrap();
    assert_code(&handle.read(10).unwrap_err(), ErrorCode::PathChanged);
}

#[test]
fn a_file_that_was_changed_in_place_is_the_same_file() {
    let bench = Bench::new();
    let path = bench.put("a", "old");
    let handle = bench.resolve("a", Intent::Read);
    fs::write(path, "newer").unwrap();
    assert_eq!(handle.read(10).unwrap(), (b"newer".to_vec(), 5));
}

#[test]
fn a_file_that_was_removed_or_has_appeared_meanwhile_is_not_read() {
    let bench = Bench::new();
    let path = bench.put("a", "a");
    let removed = bench.resolve("a", Intent::Read);
    let appeared = bench.resolve("b", Intent::Read);
    fs::remove_file(path).unwrap();
    bench.put("b", "b");
    assert_code(&removed.read(10).unwrap_err(), ErrorCode::PathChanged);
    assert_code(&appeared.read(10).unwrap_err(), ErrorCode::PathChanged);
}

#[test]
fn a_link_that_was_turned_elsewhere_meanwhile_is_not_followed() {
    let bench = Bench::new();
    bench.put("a", "a");
    fs::write(bench.outside("secret"), "secret").unwrap();
    symlink("a", bench.path("link")).unwrap();
    let handle = bench.resolve("link", Intent::Read);
    fs::remove_file(bench.path("link")).unwrap();
    symlink(bench.outside("secret"), bench.path("link")).unwrap();
    assert_code(&handle.read(10).unwrap_err(), ErrorCode::PathChanged);
}

#[test]
fn a_file_that_became_a_link_meanwhile_is_not_read() {
    let bench = Bench::new();
    let path = bench.put("a", "a");
    let secret = bench.outside("secret");
    fs::write(&secret, "secret").unwrap();
    let handle = bench.resolve("a", Intent::Read);
    fs::remove_file(&path).unwrap();
    symlink(secret, path).unwrap();
    assert_code(&handle.read(10).unwrap_err(), ErrorCode::PathChanged);
}

#[test]
fn a_folder_on_the_way_that_became_a_link_meanwhile_is_not_followed() {
    let bench = Bench::new();
    bench.put("folder/a", "a");
    fs::write(bench.outside("a"), "secret").unwrap();
    let handle = bench.resolve("folder/a", Intent::Read);
    fs::rename(bench.path("folder"), bench.path("moved")).unwrap();
    symlink(bench.outside(""), bench.path("folder")).unwrap();
    assert_code(&handle.read(10).unwrap_err(), ErrorCode::PathChanged);
}
