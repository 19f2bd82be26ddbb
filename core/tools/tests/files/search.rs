//! `glob`, `grep` and `list_dir`.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::kit::{Desk, told};

/// A folder with a bit of everything: nested, hidden, ignored, binary, version control, links.
fn desk() -> Desk {
    let desk = Desk::new();
    for (path, content) in [
        (".gitignore", "build/\n*.log\n"),
        (".git/config", "needle in metadata\n"),
        (".hidden/a.rs", "needle hidden\n"),
        ("README.md", "No such word\n"),
        ("build/out.rs", "needle ignored\n"),
        ("src/b.rs", "one\nneedle b\nthree\n"),
        ("src/a.rs", "needle a1\nno\nNeedle a2\n"),
        ("src/deep/c.rs", "fn c() {\n    needle()\n}\n"),
        ("src/x.log", "needle log\n"),
    ] {
        desk.put(path, content);
    }
    desk.put("src/data.bin", b"needle\0\x01");
    fs::write(desk.outside("secret.rs"), "needle outside\n").unwrap();
    symlink(desk.outside(""), desk.path("link")).unwrap();
    symlink(desk.outside("secret.rs"), desk.path("src/link.rs")).unwrap();
    desk
}

fn grep(desk: &Desk, more: Value) -> String {
    let mut input = json!({ "pattern": "needle" });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    desk.done("grep", input)
}

#[test]
fn files_are_found_by_name_sorted_and_without_what_is_hidden_ignored_or_linked() {
    let desk = desk();
    let found = |input: Value| desk.done("glob", input);
    assert_eq!(found(json!({ "pattern": "*.rs" })), "src/a.rs\nsrc/b.rs\nsrc/deep/c.rs\n[3 files]");
    assert_eq!(found(json!({ "pattern": "src/*.rs" })), "src/a.rs\nsrc/b.rs\n[2 files]");
    assert_eq!(found(json!({ "pattern": "*.rs", "path": "src/deep" })), "src/deep/c.rs\n[1 file]");
    assert_eq!(found(json!({ "pattern": "*.py" })), "[0 files]");
    assert_eq!(
        found(json!({ "pattern": "*.rs", "hidden": true, "ignored": true })),
        ".hidden/a.rs\nbuild/out.rs\nsrc/a.rs\nsrc/b.rs\nsrc/deep/c.rs\n[5 files]"
    );
}

#[test]
fn metadata_of_version_control_is_never_looked_through() {
    let desk = desk();
    let all = json!({ "pattern": "*", "hidden": true, "ignored": true });
    assert!(!desk.done("glob", all).contains(".git/"));
    assert!(!grep(&desk, json!({ "hidden": true, "ignored": true })).contains("metadata"));
}

#[test]
fn matching_lines_are_shown_by_file_with_their_numbers() {
    let desk = desk();
    assert_eq!(
        grep(&desk, json!({})),
        "src/a.rs\n1:needle a1\n\nsrc/b.rs\n2:needle b\n\nsrc/deep/c.rs\n2:    needle()\n\n[3 matching lines in 3 files]"
    );
    assert_eq!(
        grep(&desk, json!({ "ignoreCase": true, "path": "src/a.rs" })),
        "src/a.rs\n1:needle a1\n3:Needle a2\n\n[2 matching lines in 1 file]"
    );
    assert_eq!(grep(&desk, json!({ "pattern": "nowhere" })), "[no match]");
}

#[test]
fn lines_around_a_match_are_marked_and_gaps_shown() {
    let desk = Desk::new();
    desk.put("f", "x1\na\nb\nc\nd\nx2\ne\n");
    assert_eq!(
        desk.done("grep", json!({ "pattern": "x\\d", "context": 1 })),
        "f\n1:x1\n2-a\n--\n5-d\n6:x2\n7-e\n\n[2 matching lines in 1 file]"
    );
}

#[test]
fn files_alone_or_counts_can_be_asked_for() {
    let desk = desk();
    let with = |output: &str| grep(&desk, json!({ "output": output, "ignoreCase": true, "glob": "src/*.rs" }));
    assert_eq!(with("files"), "src/a.rs\nsrc/b.rs\n[2 files]");
    assert_eq!(with("counts"), "src/a.rs: 2\nsrc/b.rs: 1\n[2 files]");
}

#[test]
fn a_pattern_may_be_plain_text_or_go_over_several_lines() {
    let desk = desk();
    assert!(grep(&desk, json!({ "pattern": "needle()", "literal": true })).contains("src/deep/c.rs\n2:    needle()\n"));
    assert_eq!(
        grep(&desk, json!({ "pattern": "\\{\\s*needle\\(\\)\\s*\\}", "multiline": true })),
        "src/deep/c.rs\n1:fn c() {\n2:    needle()\n3:}\n\n[3 matching lines in 1 file]"
    );
}

#[test]
fn the_end_of_a_line_is_found_before_crlf_too() {
    let desk = Desk::new();
    desk.put("f", "a;\r\nb\r\n");
    desk.put("g", "c;\n");
    assert_eq!(desk.done("grep", json!({ "pattern": ";$" })), "f\n1:a;\n\ng\n1:c;\n\n[2 matching lines in 2 files]");
}

#[test]
fn utf_16_with_a_mark_is_searched() {
    let desk = Desk::new();
    let bytes: Vec<u8> = "\u{feff}gr\u{fc}n\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    desk.put("f", bytes);
    assert_eq!(desk.done("grep", json!({ "pattern": "gr.n" })), "f\n1:gr\u{fc}n\n\n[1 matching line in 1 file]");
}

#[test]
fn what_is_no_pattern_is_refused_with_a_way_on() {
    for (pattern, hint) in [("needle(", "set literal"), ("a\\nb", "set multiline")] {
        let input = json!({ "pattern": pattern });
        let wrong = lodger_tools::builtin::tools()
            .iter()
            .find(|tool| tool.spec().name == "grep")
            .and_then(|tool| tool.parse(&input).err())
            .unwrap();
        assert!(wrong.0.contains(hint), "{}", wrong.0);
    }
}

#[test]
fn the_first_matches_by_path_are_shown_and_all_are_counted() {
    let desk = Desk::new();
    for file in 0..50 {
        desk.put(&format!("f{file:02}"), "needle\nneedle\nneedle\n");
    }
    let text = grep(&desk, json!({ "limit": 5 }));
    assert_eq!(
        text,
        "f00\n1:needle\n2:needle\n3:needle\n\nf01\n1:needle\n2:needle\n\n\
         [the first 5 of 150 matching lines in 50 files; narrow the search to see others]"
    );
    let text = grep(&desk, json!({ "limit": 2, "output": "counts" }));
    assert_eq!(text, "f00: 3\nf01: 3\n[the first 2 of 50 files; narrow the search to see others]");
}

#[test]
fn no_more_is_shown_than_there_is_room_for_and_what_is_shown_is_whole() {
    let mut desk = Desk::new();
    desk.limits.max_tool_output_bytes = 300;
    for file in 0..50 {
        desk.put(&format!("f{file:02}"), "needle 1\nneedle 2\nneedle 3\n");
    }
    let output = desk.call("grep", json!({ "pattern": "needle" }));
    let text = told(&output, false);
    assert!(output.truncated && output.bounded && text.len() < 400, "{text}");
    let shown = text.lines().filter(|line| line.contains("needle ")).count();
    assert!(text.contains(&format!("[the first {shown} of 150 matching lines")), "{text}");
    desk.limits.max_tool_output_bytes = 100;
    let text = desk.done("glob", json!({ "pattern": "f*" }));
    assert!(text.ends_with("f24\n[the first 25 of 50 files; narrow the glob to see others]"), "{text}");
}

#[test]
fn a_long_line_is_cut_around_its_match() {
    let desk = Desk::new();
    desk.put("f", format!("{}needle{}\n", "a".repeat(5000), "b".repeat(5000)));
    let text = grep(&desk, json!({}));
    assert!(text.contains(":[...]aaa") && text.contains("aneedleb") && text.contains("bbb[...]\n"), "{text}");
    assert!(text.len() < 600);
}

#[test]
fn a_folder_is_listed_with_what_each_entry_is() {
    let desk = desk();
    assert_eq!(desk.done("list_dir", json!({})), "README.md\nlink@\nsrc/\n[3 entries]");
    assert_eq!(desk.done("list_dir", json!({ "path": "src" })), "a.rs\nb.rs\ndata.bin\ndeep/\nlink.rs@\n[5 entries]");
    assert_eq!(
        desk.done("list_dir", json!({ "depth": 2, "hidden": true, "ignored": true })),
        ".gitignore\n.hidden/\n.hidden/a.rs\nREADME.md\nbuild/\nbuild/out.rs\nlink@\nsrc/\nsrc/a.rs\nsrc/b.rs\n\
         src/data.bin\nsrc/deep/\nsrc/link.rs@\nsrc/x.log\n[14 entries]"
    );
}

#[test]
fn a_file_is_no_folder() {
    let desk = desk();
    for (tool, input) in
        [("list_dir", json!({ "path": "README.md" })), ("glob", json!({ "pattern": "*", "path": "README.md" }))]
    {
        assert_eq!(desk.refused(tool, input), "this is a file, and a folder is needed: README.md");
    }
}

#[test]
fn a_folder_outside_is_looked_through_by_whole_paths() {
    let desk = desk();
    let outside = desk.outside("");
    let call = desk.resolve("grep", json!({ "pattern": "needle", "path": outside }));
    assert!(!call.tree.as_ref().unwrap().access().inside_roots);
    let file = outside.join("secret.rs");
    assert_eq!(
        told(&desk.finish(call), false),
        format!("{}\n1:needle outside\n\n[1 matching line in 1 file]", file.display())
    );
}

#[test]
fn what_may_not_be_read_is_neither_named_nor_counted() {
    let mut desk = desk();
    let forbidden = desk.path("src/a.rs");
    desk.may_read = Arc::new(move |path| path != forbidden);
    let one = json!({ "pattern": "needle", "path": "src/a.rs" });
    for text in [
        grep(&desk, json!({})),
        grep(&desk, json!({ "output": "counts" })),
        desk.done("grep", one),
        desk.done("glob", json!({ "pattern": "*.rs" })),
        desk.done("list_dir", json!({ "path": "src" })),
    ] {
        assert!(!text.contains("a.rs") && !text.contains("a1"), "{text}");
    }
    assert!(grep(&desk, json!({})).ends_with("[2 matching lines in 2 files]"));
}

#[test]
fn a_cancelled_search_ends_without_a_result() {
    let desk = desk();
    desk.stop.raise();
    for (tool, input) in
        [("grep", json!({ "pattern": "x" })), ("glob", json!({ "pattern": "*" })), ("list_dir", json!({}))]
    {
        assert!(desk.refused(tool, input).starts_with("cancelled"));
    }
}

#[test]
fn a_folder_that_is_by_turns_a_link_to_outside_never_shows_what_is_there() {
    let desk = Desk::new();
    desk.put("real/inside.txt", "needle inside\n");
    fs::write(desk.outside("outside.txt"), "needle outside\n").unwrap();
    let (folder, real, outside) = (desk.path("folder"), desk.path("real"), desk.outside(""));
    fs::rename(&real, &folder).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                fs::rename(&folder, &real).unwrap();
                symlink(&outside, &folder).unwrap();
                fs::remove_file(&folder).unwrap();
                fs::rename(&real, &folder).unwrap();
            }
        });
        for _ in 0..300 {
            for (tool, input) in [
                ("grep", json!({ "pattern": "needle", "hidden": true })),
                ("glob", json!({ "pattern": "**" })),
                ("list_dir", json!({ "depth": 3 })),
            ] {
                let text = told(&desk.call(tool, input), false);
                assert!(!text.contains("outside"), "{tool}: {text}");
            }
        }
        done.store(true, Ordering::SeqCst);
    });
}

#[test]
fn a_folder_that_was_exchanged_after_it_was_judged_is_not_looked_through() {
    let desk = desk();
    let call = desk.resolve("grep", json!({ "pattern": "needle", "path": "src" }));
    fs::rename(desk.path("src"), desk.path("moved")).unwrap();
    symlink(desk.outside(""), desk.path("src")).unwrap();
    let refused = told(&desk.finish(call), true);
    assert!(refused.contains("something else stands at this path"), "{refused}");
}

#[test]
fn searches_of_several_sessions_at_once_all_come_to_their_end() {
    let desk = desk();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let one = desk.another();
                for _ in 0..10 {
                    assert!(grep(&one, json!({})).ends_with("[3 matching lines in 3 files]"));
                }
            });
        }
    });
}
