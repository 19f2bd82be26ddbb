//! `read_file`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lodger_protocol::Content;
use serde_json::json;

use crate::kit::Desk;

/// The smallest PNG, of 1 x 1 pixels.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn png() -> Vec<u8> {
    STANDARD.decode(PNG).unwrap()
}

fn read(desk: &Desk, path: &str) -> Vec<Content> {
    let output = desk.call("read_file", json!({ "path": path }));
    assert!(!output.is_error, "{output:?}");
    output.content
}

#[test]
fn every_encoding_with_a_mark_is_read_as_text_and_named() {
    let desk = Desk::new();
    let utf16 =
        |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { "\u{feff}gr\u{fc}n\n".encode_utf16().flat_map(bytes).collect() };
    for (name, bytes, note) in [
        ("plain", "gr\u{fc}n\n".as_bytes().to_vec(), ""),
        ("marked", "\u{feff}gr\u{fc}n\n".as_bytes().to_vec(), "[the file is UTF-8 with a byte order mark]\n"),
        ("le", utf16(u16::to_le_bytes), "[the file is UTF-16 LE]\n"),
        ("be", utf16(u16::to_be_bytes), "[the file is UTF-16 BE]\n"),
    ] {
        desk.put(name, bytes);
        assert_eq!(read(&desk, name), [Content::text(format!("1\tgr\u{fc}n\n{note}"))]);
    }
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    let desk = Desk::new();
    desk.put("empty", "");
    assert_eq!(desk.done("read_file", json!({ "path": "empty" })), "(the file is empty)");
}

#[test]
fn a_binary_file_is_named_with_its_kind_and_size() {
    let desk = Desk::new();
    desk.put("program", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".repeat(4));
    let told = desk.refused("read_file", json!({ "path": "program" }));
    assert!(told.contains("binary file, application/x-executable, with 64 bytes"), "{told}");
    desk.put("noise", b"\0\x01\x02");
    let told = desk.refused("read_file", json!({ "path": "noise" }));
    assert!(told.contains("binary file, of no known kind, with 3 bytes"), "{told}");
}

#[test]
fn text_in_another_encoding_is_said_to_be_that() {
    let desk = Desk::new();
    desk.put("latin1", b"gr\xFCn\n");
    let told = desk.refused("read_file", json!({ "path": "latin1" }));
    assert!(told.contains("neither UTF-8 nor marked as UTF-16"), "{told}");
}

#[test]
fn a_picture_is_shown_as_a_picture_whatever_its_name() {
    let desk = Desk::new();
    desk.put("picture.txt", png());
    let image = Content::Image { mime_type: "image/png".to_owned(), data: PNG.to_owned() };
    let told = format!("picture.txt: image/png, 1 x 1 pixels, {} bytes", png().len());
    assert_eq!(read(&desk, "picture.txt"), [Content::text(told), image]);
}

#[test]
fn a_picture_that_providers_would_refuse_is_told_and_not_shown() {
    let desk = Desk::new();
    let mut wide = png();
    wide[16..20].copy_from_slice(&8001_u32.to_be_bytes());
    desk.put("wide.png", wide);
    let told = desk.refused("read_file", json!({ "path": "wide.png" }));
    assert!(told.contains("8001 x 1 pixels") && told.contains("at most 8000"), "{told}");
    let mut large = png();
    large.resize(4 * 1024 * 1024, 0);
    desk.put("large.png", large);
    let told = desk.refused("read_file", json!({ "path": "large.png" }));
    assert!(told.contains("at most 3932160 bytes"), "{told}");
}

#[test]
fn what_only_begins_like_a_picture_is_none() {
    let desk = Desk::new();
    desk.put("a.gif", "GIF8\n");
    assert_eq!(read(&desk, "a.gif"), [Content::text("1\tGIF8\n")]);
}

#[test]
fn a_pdf_is_shown_as_a_document() {
    let desk = Desk::new();
    desk.put("a.pdf", "%PDF-1.7\n");
    let document = Content::Document {
        mime_type: "application/pdf".to_owned(),
        data: STANDARD.encode("%PDF-1.7\n"),
        name: Some("a.pdf".to_owned()),
    };
    assert_eq!(read(&desk, "a.pdf"), [Content::text("a.pdf: application/pdf, 9 bytes"), document]);
}

#[test]
fn a_long_file_is_shown_in_parts_that_fit_and_say_where_to_go_on() {
    let mut desk = Desk::new();
    desk.limits.max_tool_output_bytes = 1000;
    desk.put("long", (1..=500).map(|line| format!("line {line}\n")).collect::<String>());
    let (mut offset, mut seen) = (1, String::new());
    loop {
        let part = desk.done("read_file", json!({ "path": "long", "offset": offset }));
        assert!(part.len() < 1100);
        let lines = part.lines().filter(|line| !line.starts_with('['));
        seen.extend(lines.map(|line| format!("{}\n", line.split_once('\t').unwrap().1)));
        let Some((_, next)) = part.split_once("go on with offset ") else { break };
        offset = next.split(']').next().unwrap().parse().unwrap();
    }
    assert_eq!(seen, desk.text("long"));
}

#[test]
fn a_file_that_is_too_large_is_refused_with_its_size() {
    let desk = Desk::new();
    let path = desk.put("huge", "");
    std::fs::File::options().write(true).open(path).unwrap().set_len(17 * 1024 * 1024).unwrap();
    let told = desk.refused("read_file", json!({ "path": "huge" }));
    assert!(told.contains("17825792 bytes"), "{told}");
}
