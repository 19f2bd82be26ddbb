//! Ctrl-C and SIGTERM.

use std::io::Read;
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::kit::{Place, runs, says, wait_for};
use crate::terminal::Terminal;

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
}

#[test]
fn ctrl_c_cancels_the_turn_which_ends_in_order_and_leaves_no_child() {
    let place = Place::new(&[runs("echo $$ > pid; sleep 1000"), says("never")]);
    let arguments = ["--output-format", "stream-json", "--mode", "full-auto"];
    let mut terminal = Terminal::new(&place, &arguments, Some(Stdio::piped()));
    let mut stdout = terminal.child.stdout.take().unwrap();
    let pid = wait_for(&place.work().join("pid"));
    terminal.type_in("\u{3}");
    let mut text = String::new();
    stdout.read_to_string(&mut text).unwrap();
    let done: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((&done["type"], &done["reason"]), (&json!("done"), &json!("cancelled")));
    assert_eq!(terminal.end().1, Some(130));
    assert!(!std::path::Path::new("/proc").join(pid).exists());
}

#[test]
fn ctrl_c_at_a_question_withdraws_it() {
    let place = Place::new(&[runs("touch made"), says("never")]);
    let mut terminal = Terminal::new(&place, &[], None);
    terminal.until("Allow this?");
    terminal.type_in("\u{3}");
    // What is shown from here on may be lost: a terminal drops its output when the keys for a signal arrive.
    assert_eq!(terminal.end().1, Some(130));
    assert!(!place.work().join("made").exists());
}

#[test]
fn sigterm_cancels_too_and_has_its_own_code() {
    let place = Place::new(&[runs("echo $$ > pid; sleep 1000"), says("never")]);
    let child = place.command(&["--mode", "full-auto"]).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&place.work().join("pid"));
    send(&child, Signal::SIGTERM);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    assert!(crate::kit::stderr(&output).ends_with("the turn ended early: cancelled\n"));
}

#[test]
fn a_second_one_ends_the_command_at_once() {
    // Nobody reads, so that the command stands in the middle of writing and cannot end in order.
    let place = Place::new(&[json!({ "reply": [{ "type": "repeat", "text": "more\n", "count": 10_000_000 }] })]);
    let mut child = place.command(&[]).stdout(Stdio::piped()).spawn().unwrap();
    let stdout = child.stdout.take().unwrap();
    let (mut before, mut held) = (0, 0);
    // A pipe holds 64 KiB, and somewhat less when it was filled piece by piece.
    while held < 32 * 1024 || held != before {
        std::thread::sleep(std::time::Duration::from_millis(300));
        (before, held) = (held, rustix::io::ioctl_fionread(&stdout).unwrap());
    }
    let mut sent = 0;
    let status = loop {
        send(&child, Signal::SIGINT);
        sent += 1;
        std::thread::sleep(std::time::Duration::from_millis(200));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
    };
    assert!(sent > 1);
    assert_eq!(status.code(), Some(130));
}
