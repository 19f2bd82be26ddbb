//! `apply_patch`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use lodger_protocol::FileChange;
use serde_json::{Value, json};

use crate::kit::{Desk, mode, told};

fn patch(body: &str) -> Value {
    json!({ "patch": format!("*** Begin Patch\n{body}\n*** End Patch\n") })
}

const ALL: &str = "*** Add File: new/a.txt\n+made\n*** Update File: b.txt\n-old\n+new\n*** Update File: run.sh\n\
                   *** Move to: bin/run.sh\n-echo a\n+echo b\n*** Delete File: gone.txt";

/// A folder that the patch above fits.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.put_known("b.txt", "old\r\n");
    let run = desk.put_known("run.sh", "echo a\n");
    fs::set_permissions(run, fs::Permissions::from_mode(0o750)).unwrap();
    desk.put_known("gone.txt", "bye\n");
    desk
}

/// Everything is as it was.
fn untouched(desk: &Desk) {
    assert_eq!(
        (desk.text("b.txt"), desk.text("run.sh"), desk.text("gone.txt")),
        ("old\r\n".into(), "echo a\n".into(), "bye\n".into())
    );
    assert_eq!(mode(&desk.path("run.sh")), 0o750);
    assert_eq!(desk.names(""), ["b.txt", "gone.txt", "run.sh"]);
}

#[test]
fn files_are_added_updated_moved_and_deleted() {
    let desk = desk();
    let output = desk.call("apply_patch", patch(ALL));
    assert_eq!(told(&output, false), "made new/a.txt\nchanged b.txt\nmoved run.sh to bin/run.sh\ndeleted gone.txt");
    let change = |path: &str, created, removed| FileChange { created, removed, ..desk.changed(path) };
    assert_eq!(
        output.files,
        [
            change("new/a.txt", true, false),
            change("b.txt", false, false),
            change("run.sh", false, true),
            change("bin/run.sh", true, false),
            change("gone.txt", false, true),
        ]
    );
    assert_eq!(
        (desk.text("new/a.txt"), desk.text("b.txt"), desk.text("bin/run.sh")),
        ("made\n".into(), "new\r\n".into(), "echo b\n".into())
    );
    assert_eq!(mode(&desk.path("bin/run.sh")), 0o750);
    assert_eq!(desk.names(""), ["b.txt", "bin", "new"]);
}

#[test]
fn what_it_made_is_known_and_what_it_moved_is_too() {
    let desk = desk();
    desk.done("apply_patch", patch(ALL));
    desk.done("edit_file", json!({ "path": "bin/run.sh", "oldText": "b", "newText": "c" }));
    desk.done("write_file", json!({ "path": "new/a.txt", "content": "x" }));
}

#[test]
fn nothing_is_written_when_any_change_cannot_be_made() {
    for (more, why) in [
        ("*** Add File: b.txt\n+x", "stands in the patch twice"),
        ("*** Add File: ./b.txt\n+x", "named twice in the patch, by different paths"),
        ("*** Add File: unread\n+x", "unread exists already"),
        ("*** Update File: unread\n-x\n+y", "you have not read it"),
        ("*** Delete File: unread", "you have not read it"),
        ("*** Update File: stale\n-x\n+y", "has changed since you read it"),
        ("*** Update File: known\n-other\n+y", "known: change 1: these lines do not stand"),
        ("*** Update File: known\n*** Move to: unread", "unread exists already"),
        ("*** Delete File: missing", "no such file: missing"),
    ] {
        let desk = desk();
        let input = patch(&format!("{ALL}\n{more}"));
        let refused = match builtin_parse(&input) {
            Err(wrong) => wrong,
            Ok(()) => {
                desk.put("unread", "x\n");
                desk.put_known("stale", "x\n");
                desk.put("stale", "changed\n");
                desk.put_known("known", "x\n");
                let refused = desk.refused("apply_patch", input);
                for name in ["unread", "stale", "known"] {
                    fs::remove_file(desk.path(name)).unwrap();
                }
                refused
            }
        };
        assert!(refused.contains(why), "{more}: {refused}");
        untouched(&desk);
    }
}

fn builtin_parse(input: &Value) -> Result<(), String> {
    lodger_tools::builtin::patch::parse(input["patch"].as_str().unwrap()).map(|_| ())
}

#[test]
fn what_was_written_is_put_back_when_a_later_file_was_exchanged() {
    let desk = desk();
    desk.put_known("last", "x\n");
    let call = desk.resolve("apply_patch", patch(&format!("{ALL}\n*** Add File: late\n+x")));
    // Appears after everything was worked out from what the handles say.
    desk.put("late", "somebody else's\n");
    let refused = told(&desk.finish(call), true);
    assert!(refused.ends_with("nothing was changed"), "{refused}");
    assert_eq!(desk.text("late"), "somebody else's\n");
    for name in ["late", "last"] {
        fs::remove_file(desk.path(name)).unwrap();
    }
    untouched_but_for_folders(&desk);
}

/// Folders that were made for files may stay behind, empty.
fn untouched_but_for_folders(desk: &Desk) {
    for name in ["bin", "new"] {
        assert_eq!(desk.names(name), [""; 0]);
        fs::remove_dir(desk.path(name)).unwrap();
    }
    untouched(desk);
}

#[test]
fn nothing_is_changed_once_the_turn_is_cancelled() {
    let desk = desk();
    desk.stop.raise();
    let refused = desk.refused("apply_patch", patch(ALL));
    assert!(refused.ends_with("nothing was changed"), "{refused}");
    untouched(&desk);
}

#[test]
fn the_diff_shows_every_file() {
    let desk = desk();
    let diff = desk.resolve("apply_patch", patch(ALL)).preview().unwrap();
    for part in
        ["+made\n", "-old\r\n+new\r\n", "rename from run.sh\nrename to bin/run.sh\n", "-echo a\n+echo b\n", "-bye\n"]
    {
        assert!(diff.contains(part), "{part:?} in {diff:?}");
    }
}
