#![allow(clippy::unwrap_used)]

use super::parse::{MAX_PATCH_BYTES, MAX_PATCH_FILES, MAX_PATCH_HUNKS};
use super::*;

fn patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}\n*** End Patch")
}

/// A text with the changes of a patch.
fn changed(text: &str, changes: &str) -> Result<String, String> {
    let patch = parse(&patch(&format!("*** Update File: f\n{changes}"))).unwrap();
    let [FilePatch::Update { hunks, .. }] = patch.files.as_slice() else { panic!("{patch:?}") };
    apply(text, hunks)
}

#[test]
fn every_part_of_the_form_is_read() {
    let read = parse(
        "\n*** Begin Patch\n*** Add File: a/new.txt\n+one\n+\n+two\n*** Delete File: gone\n*** Update File: old\n\
         *** Move to: new\n@@ class A\n@@ def f\n keep\n\n-go\n+come\n@@\n+last\n*** End of File\n*** End Patch\n\n",
    );
    let hunks = vec![
        Hunk {
            below: vec!["class A".to_owned(), "def f".to_owned()],
            lines: vec![
                HunkLine::Keep("keep".to_owned()),
                HunkLine::Keep(String::new()),
                HunkLine::Remove("go".to_owned()),
                HunkLine::Add("come".to_owned()),
            ],
            at_end: false,
        },
        Hunk { below: vec![], lines: vec![HunkLine::Add("last".to_owned())], at_end: true },
    ];
    let files = vec![
        FilePatch::Add { path: "a/new.txt".to_owned(), content: "one\n\ntwo\n".to_owned() },
        FilePatch::Delete { path: "gone".to_owned() },
        FilePatch::Update { path: "old".to_owned(), move_to: Some("new".to_owned()), hunks },
    ];
    assert_eq!(read, Ok(Patch { files }));
}

#[test]
fn what_does_not_fit_the_form_is_refused_and_its_line_named() {
    for (body, told) in [
        ("", "ends too early: expected \"*** Begin Patch\""),
        ("diff --git a b", "line 1 of the patch: expected \"*** Begin Patch\", found \"diff --git a b\""),
        ("*** Begin Patch\n*** End Patch", "changes no file"),
        ("*** Begin Patch\n*** Add File: a\n+x", "ends too early"),
        ("*** Begin Patch\n*** Add File: a\nx\n*** End Patch", "line 3 of the patch: expected \"*** Add File: \""),
        ("*** Begin Patch\n*** Add File:  \n*** End Patch", "line 2 of the patch: expected a path"),
        ("*** Begin Patch\n*** Update File: a\n*** End Patch", "line 3 of the patch: expected a change of a"),
        ("*** Begin Patch\n*** Update File: a\n@@\n*** End Patch", "line 4 of the patch: expected a line that begins"),
        ("*** Begin Patch\n*** Update File: a\n x\n*** End Patch", "no line with - or +"),
        (
            "*** Begin Patch\n*** Update File: a\n@@@ -1 +1 @@\n-x\n*** End Patch",
            "line 3 of the patch: expected \"@@\"",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n-x\nx\n*** End Patch",
            "line 4 of the patch: expected a line that begins",
        ),
        ("*** Begin Patch\n*** Update File: a\n-x\n*** End of File\n-y\n*** End Patch", "line 5 of the patch"),
        ("*** Begin Patch\n*** Rename File: a\n*** End Patch", "line 2 of the patch"),
        ("*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore", "nothing after"),
        ("*** Begin Patch\n*** Delete File: a\n*** Add File: a\n+x\n*** End Patch", "a stands in the patch twice"),
        (
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: b\n*** End Patch",
            "b stands in the patch",
        ),
    ] {
        let wrong = parse(body).unwrap_err();
        assert!(wrong.contains(told), "{body}\n{wrong}");
    }
}

#[test]
fn a_patch_is_held_to_its_bounds() {
    assert!(parse(&"x".repeat(MAX_PATCH_BYTES + 1)).unwrap_err().contains("bytes"));
    let files = |count: usize| {
        patch((0..count).map(|index| format!("*** Delete File: {index}\n")).collect::<String>().trim_end())
    };
    assert!(parse(&files(MAX_PATCH_FILES)).is_ok());
    assert!(parse(&files(MAX_PATCH_FILES + 1)).unwrap_err().contains("more than 100 files"));
    let hunks = |count: usize| patch(&format!("*** Update File: f\n{}", "@@\n+x\n".repeat(count).trim_end()));
    assert!(parse(&hunks(MAX_PATCH_HUNKS)).is_ok());
    assert!(parse(&hunks(MAX_PATCH_HUNKS + 1)).unwrap_err().contains("more than 1000 changes"));
}

#[test]
fn changes_are_made_where_their_lines_stand_and_nothing_else_is_touched() {
    for (text, changes, expected) in [
        ("a\nb\nc\n", " a\n-b\n+x\n c", "a\nx\nc\n"),
        ("a\nb\nc\n", "-a\n-b\n-c", ""),
        ("a\nb\nc\n", " a\n+x\n b\n@@\n-c\n+y", "a\nx\nb\ny\n"),
        // Below a line of the file, the first place is meant.
        ("f:\n  x\ng:\n  x\n", "@@ g:\n-  x\n+  y", "f:\n  x\ng:\n  y\n"),
        ("f:\n  x\nf:\n  x\n  x\n", "@@ f:\n-  x\n+  y", "f:\n  y\nf:\n  x\n  x\n"),
        (
            "class A:\n  f:\nclass B:\n  f:\n    x\n",
            "@@ class B:\n@@ f:\n+    y",
            "class A:\n  f:\nclass B:\n  f:\n    y\n    x\n",
        ),
        // The next change is looked for below the one before.
        ("x\na\nx\nb\n", " a\n-x\n+y\n@@\n-b\n+c", "x\na\ny\nc\n"),
        // At the end.
        ("x\nx\n", "-x\n+y\n*** End of File", "x\ny\n"),
        ("a\n", "+b", "a\nb\n"),
        ("", "+b", "b\n"),
        // Line ends stay: of lines that stay, of the others, and at the end.
        ("a\r\nb\r\nc\r\n", " a\n-b\n+x\n c", "a\r\nx\r\nc\r\n"),
        ("a\r\nb\nc\n", " a\n-b\n+x\n c", "a\r\nx\nc\n"),
        ("a\nb", "-b\n+x\n+y", "a\nx\ny"),
        ("a\nb", "+c", "a\nb\nc"),
        ("a\nb", " a\n-b", "a"),
        // Blanks at line ends and kinds of quotes may differ; lines that stay keep theirs.
        ("a  \nb\n", " a\n-b\n+x", "a  \nx\n"),
        ("it\u{2019}s\nb\n", " it's\n-b\n+x", "it\u{2019}s\nx\n"),
    ] {
        assert_eq!(changed(text, changes).as_deref(), Ok(expected), "{changes:?} in {text:?}");
    }
}

#[test]
fn what_stands_nowhere_or_could_be_meant_in_several_places_is_refused() {
    for (text, changes, told) in [
        ("a\nb\n", " a\n-x", "change 1: these lines do not stand"),
        ("a\nb\n", " a\n-x", "The lines most like them are:\n1\ta\n2\tb\n"),
        ("x\na\nx\n", "-x\n+y", "stand 2 times, from lines 1, 3"),
        ("b\na\n", "-a\n+x\n@@\n-b\n+y", "change 2: these lines do not stand below the change before"),
        ("a\n", "@@ def f\n-a", "no line \"def f\""),
        ("x\ny\n", "-x\n*** End of File", "do not stand at the end of the file"),
        ("ab\n", "-a", "do not stand"),
    ] {
        let wrong = changed(text, changes).unwrap_err();
        assert!(wrong.contains(told), "{changes:?} in {text:?}: {wrong}");
    }
}
