//! `write_file`.

use serde_json::{Value, json};

use crate::kit::Desk;

fn write(content: &str) -> Value {
    json!({ "path": "f", "content": content })
}

#[test]
fn a_file_that_exists_is_replaced_only_once_it_was_read() {
    let desk = Desk::new();
    desk.put("f", "precious");
    let told = desk.refused("write_file", write("new"));
    assert!(told.contains("you have not read it in this session"), "{told}");
    assert_eq!(desk.text("f"), "precious");
    desk.done("read_file", json!({ "path": "f" }));
    assert_eq!(desk.done("write_file", write("new")), "replaced f (3 bytes)");
}

#[test]
fn a_new_file_an_empty_one_and_one_that_is_the_same_already_need_no_look() {
    let desk = Desk::new();
    assert_eq!(desk.done("write_file", write("a")), "made f (1 bytes)");
    // Of another session, which knows of nothing.
    let desk = Desk::new();
    for there in ["", "a"] {
        let desk = desk.another();
        desk.put("f", there);
        assert_eq!(desk.done("write_file", write("a")), "replaced f (1 bytes)");
    }
}

#[test]
fn a_binary_file_that_was_looked_at_may_be_replaced() {
    let desk = Desk::new();
    desk.put("f", b"\0\x01");
    desk.refused("read_file", json!({ "path": "f" }));
    desk.done("write_file", write("text"));
    assert_eq!(desk.text("f"), "text");
}

#[test]
fn a_file_keeps_its_byte_order_mark_and_its_line_ends() {
    let desk = Desk::new();
    desk.put_known("f", "\u{feff}a\r\nb\r\n");
    let call = desk.resolve("write_file", write("a\nc\n"));
    assert!(call.preview().unwrap().contains(" a\r\n-b\r\n+c\r\n"));
    desk.finish(call);
    assert_eq!(desk.text("f"), "\u{feff}a\r\nc\r\n");
}
