//! `edit_file` and `multi_edit`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::kit::{Desk, mode};

fn edit(old: &str, new: &str) -> Value {
    json!({ "path": "f", "oldText": old, "newText": new })
}

#[test]
fn a_file_that_was_never_read_is_not_edited() {
    let desk = Desk::new();
    desk.put("f", "a\n");
    let told = desk.refused("edit_file", edit("a", "b"));
    assert_eq!(told, "f exists and you have not read it in this session; read it with read_file, then make the change");
    assert_eq!(desk.text("f"), "a\n");
    desk.done("read_file", json!({ "path": "f" }));
    assert_eq!(desk.done("edit_file", edit("a", "b")), "replaced 1 place in f");
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_edited_until_it_is_read_again() {
    let desk = Desk::new();
    desk.put("f", "a\n");
    desk.done("read_file", json!({ "path": "f" }));
    desk.put("f", "a\nmore\n");
    let told = desk.refused("edit_file", edit("a", "b"));
    assert!(told.contains("f has changed since you read it; read it again"), "{told}");
    assert_eq!(desk.text("f"), "a\nmore\n");
    desk.done("read_file", json!({ "path": "f" }));
    desk.done("edit_file", edit("a", "b"));
    assert_eq!(desk.text("f"), "b\nmore\n");
}

#[test]
fn a_file_that_is_touched_but_the_same_is_edited() {
    let desk = Desk::new();
    desk.put("f", "a\n");
    desk.done("read_file", json!({ "path": "f" }));
    fs::remove_file(desk.path("f")).unwrap();
    desk.put("f", "a\n");
    desk.done("edit_file", edit("a", "b"));
}

#[test]
fn a_session_knows_what_it_wrote_itself() {
    let desk = Desk::new();
    desk.done("write_file", json!({ "path": "f", "content": "a\n" }));
    desk.done("edit_file", edit("a", "b"));
    desk.done("edit_file", edit("b", "c"));
    assert_eq!(desk.text("f"), "c\n");
}

#[test]
fn everything_but_the_change_stays_byte_for_byte() {
    let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    for (before, after) in [
        (b"\xEF\xBB\xBFa\r\nb\r\nlast".to_vec(), b"\xEF\xBB\xBFa\r\nx\r\ny\r\nlast".to_vec()),
        (utf16("\u{feff}a\r\nb\r\n\u{1f600}"), utf16("\u{feff}a\r\nx\r\ny\r\n\u{1f600}")),
        (b"a\n\tb\r\nlone\rend\n".to_vec(), b"a\n\tx\ny\r\nlone\rend\n".to_vec()),
    ] {
        let desk = Desk::new();
        let path = desk.put_known("f", &before);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        desk.done("edit_file", edit("b", "x\ny"));
        assert_eq!(desk.bytes("f"), after);
        assert_eq!(mode(&path), 0o640);
    }
}

#[test]
fn what_was_forgiven_is_said() {
    let desk = Desk::new();
    desk.put_known("f", "if a:\r\n    b\r\n");
    let told = desk.done("edit_file", edit("if a:\n    b\n", "if a:\n    c\n"));
    assert_eq!(told, "replaced 1 place in f (oldText differed from the file in its line ends)");
    assert_eq!(desk.text("f"), "if a:\r\n    c\r\n");
}

#[test]
fn a_change_is_told_with_the_file() {
    let desk = Desk::new();
    desk.put_known("f", "a");
    assert_eq!(desk.call("edit_file", edit("a", "b")).files, [desk.changed("f")]);
}

#[test]
fn the_diff_shows_what_the_edit_would_do() {
    let desk = Desk::new();
    desk.put("f", "a\r\nb\r\n");
    let diff = desk.resolve("edit_file", edit("a\nb\n", "a\nc\n")).preview().unwrap();
    assert!(diff.contains("-b\r\n+c\r\n"), "{diff:?}");
}

#[test]
fn several_edits_of_a_file_are_made_in_order() {
    let desk = Desk::new();
    desk.put_known("f", "a\nb\nc\nc\n");
    let told = desk.done(
        "multi_edit",
        json!({ "path": "f", "edits": [
            { "oldText": "a", "newText": "b" },
            { "oldText": "b\nb", "newText": "x" },
            { "oldText": "c", "newText": "y", "replaceAll": true },
        ] }),
    );
    assert_eq!((told.as_str(), desk.text("f").as_str()), ("replaced 4 places in f", "x\ny\ny\n"));
}

#[test]
fn of_several_edits_none_is_made_when_one_cannot_be() {
    let desk = Desk::new();
    desk.put_known("f", "a\nb\n");
    let edits = json!([{ "oldText": "a", "newText": "x" }, { "oldText": "a", "newText": "y" }]);
    let told = desk.refused("multi_edit", json!({ "path": "f", "edits": edits }));
    assert!(told.starts_with("edits[1], so nothing was changed: oldText does not stand in f"), "{told}");
    assert_eq!(desk.text("f"), "a\nb\n");
}
