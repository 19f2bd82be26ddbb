//! Files that somebody else changes while a tool works on them.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::json;

use crate::kit::{Desk, told};

#[test]
fn a_link_that_was_turned_elsewhere_between_check_and_use_is_not_followed() {
    let desk = Desk::new();
    desk.put("a", "a\n");
    fs::write(desk.outside("secret"), "secret\n").unwrap();
    symlink("a", desk.path("link")).unwrap();
    desk.done("read_file", json!({ "path": "link" }));
    for (tool, input) in [
        ("read_file", json!({ "path": "link" })),
        ("edit_file", json!({ "path": "link", "oldText": "secret", "newText": "x" })),
        ("write_file", json!({ "path": "link", "content": "x" })),
        ("apply_patch", json!({ "patch": "*** Begin Patch\n*** Delete File: link\n*** End Patch" })),
    ] {
        fs::remove_file(desk.path("link")).unwrap();
        symlink("a", desk.path("link")).unwrap();
        let call = desk.resolve(tool, input);
        fs::remove_file(desk.path("link")).unwrap();
        symlink(desk.outside("secret"), desk.path("link")).unwrap();
        let refused = told(&desk.finish(call), true);
        assert!(refused.contains("something else stands at this path"), "{tool}: {refused}");
    }
    assert_eq!(fs::read_to_string(desk.outside("secret")).unwrap(), "secret\n");
    assert_eq!(desk.text("a"), "a\n");
}

#[test]
fn a_file_that_was_replaced_between_read_and_edit_is_not_edited() {
    let desk = Desk::new();
    desk.put("f", "a\n");
    desk.done("read_file", json!({ "path": "f" }));
    let call = desk.resolve("edit_file", json!({ "path": "f", "oldText": "a", "newText": "b" }));
    fs::rename(desk.put("other", "a, of somebody else\n"), desk.path("f")).unwrap();
    told(&desk.finish(call), true);
    assert_eq!(desk.text("f"), "a, of somebody else\n");
}

#[test]
fn two_sessions_that_edit_one_tree_never_lose_what_the_other_wrote() {
    // Each adds its own lines to one file, reading it again whenever it is told to.
    let one = Desk::new();
    let two = one.another();
    one.put("f", "end\n");
    let add = |desk: &Desk, name: &str| {
        for number in 0..25 {
            let edit = json!({ "path": "f", "oldText": "end\n", "newText": format!("{name}{number}\nend\n") });
            loop {
                if desk.call("read_file", json!({ "path": "f" })).is_error {
                    continue;
                }
                if !desk.call("edit_file", edit.clone()).is_error {
                    break;
                }
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| add(&one, "a"));
        scope.spawn(|| add(&two, "b"));
    });
    let text = one.text("f");
    for name in ["a", "b"] {
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(name)).collect();
        let all: Vec<String> = (0..25).map(|number| format!("{name}{number}")).collect();
        assert_eq!(lines, all, "{text}");
    }
}

#[test]
fn a_reader_sees_the_old_text_or_the_new_one_and_nothing_between() {
    let desk = Desk::new();
    let (old, new) = ("old\n".repeat(50_000), "new\n".repeat(50_000));
    desk.put_known("f", &old);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                let text = desk.text("f");
                assert!(text == old || text == new, "{} bytes", text.len());
            }
        });
        for (from, to) in [("old", "new"), ("new", "old")].into_iter().cycle().take(20) {
            desk.done("edit_file", json!({ "path": "f", "oldText": from, "newText": to, "replaceAll": true }));
        }
        done.store(true, Ordering::SeqCst);
        reader.join().unwrap();
    });
}
