//! A person at a real terminal.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use pty_process::blocking::{Command, Pty, open};
use rustix::termios::{LocalModes, tcgetattr};
use serde_json::{Value, json};

use crate::kit::{LODGER, Place, events, find, runs, says};

const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with the command in it.
pub(crate) struct Terminal {
    pub(crate) child: Child,
    keys: Pty,
    output: Receiver<Vec<u8>>,
    seen: Vec<u8>,
}

impl Terminal {
    pub(crate) fn new(place: &Place, more: &[&str], stdout: Option<Stdio>) -> Self {
        let mut command = Command::new(LODGER).args(place.arguments(more)).env_clear().env("PATH", std::env!("PATH"));
        if let Some(stdout) = stdout {
            command = command.stdout(stdout);
        }
        Self::of(command)
    }

    /// Another command.
    pub(crate) fn of(command: Command) -> Self {
        let (pty, terminal) = open().unwrap();
        let child = command.spawn(terminal).unwrap();
        let keys = std::os::fd::AsFd::as_fd(&pty).try_clone_to_owned().unwrap();
        let (sender, output) = sync_channel(1024);
        let mut screen = std::fs::File::from(keys);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails when the other side is closed.
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, keys: pty, output, seen: Vec::new() }
    }

    /// Waits until this stands on the screen; gives what was shown up to there and forgets it.
    pub(crate) fn until(&mut self, text: &str) -> String {
        loop {
            let shown = String::from_utf8_lossy(&self.seen).replace("\r\n", "\n");
            if let Some(at) = shown.find(text) {
                let end = at + text.len();
                self.seen = shown.as_bytes()[end..].to_vec();
                return shown[..end].to_owned();
            }
            match self.output.recv_timeout(PATIENCE) {
                Ok(more) => self.seen.extend(more),
                Err(_) => panic!("{text:?} never came; there is {shown:?}"),
            }
        }
    }

    pub(crate) fn type_in(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn shows_what_is_typed(&self) -> bool {
        tcgetattr(&self.keys).unwrap().local_modes.contains(LocalModes::ECHO)
    }

    /// Everything that is still shown, and the exit code.
    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        let status = self.child.wait().unwrap();
        while let Ok(more) = self.output.recv_timeout(PATIENCE) {
            self.seen.extend(more);
        }
        (String::from_utf8_lossy(&self.seen).replace("\r\n", "\n"), status.code())
    }
}

fn told(text: &str) -> Value {
    json!({
        "expect": { "toolResults": [{ "contains": text }] },
        "reply": [{ "type": "text", "text": "So it is." }],
    })
}

const QUESTION: &str = "y(es), n(o), a(lways for this call): ";

#[test]
fn yes_runs_the_call_after_showing_what_it_is_and_its_risk() {
    let place = Place::new(&[runs("touch made"), told("[exit code 0]")]);
    let mut terminal = Terminal::new(&place, &[], None);
    let shown = terminal.until(QUESTION);
    assert!(shown.contains("touch made") && shown.contains("high risk"), "{shown}");
    assert!(!place.work().join("made").exists());
    terminal.type_in("y\n");
    let (rest, code) = terminal.end();
    assert!(rest.contains("So it is."), "{rest}");
    assert_eq!(code, Some(0));
    assert!(place.work().join("made").exists());
}

#[test]
fn no_refuses_the_call_and_the_model_is_told_who_said_so() {
    let place = Place::new(&[runs("touch made"), told("the person at the terminal said no")]);
    let mut terminal = Terminal::new(&place, &[], None);
    terminal.until(QUESTION);
    terminal.type_in("n\n");
    let (rest, code) = terminal.end();
    assert!(rest.contains("So it is."), "{rest}");
    assert_eq!(code, Some(0));
    assert!(!place.work().join("made").exists());
}

#[test]
fn always_asks_no_more_for_the_same_call() {
    let place = Place::new(&[runs("echo x >> made"), runs("echo x >> made"), says("Twice.")]);
    let mut terminal = Terminal::new(&place, &[], None);
    terminal.until(QUESTION);
    terminal.type_in("a\n");
    let (rest, _) = terminal.end();
    assert!(rest.contains("Twice.") && !rest.contains(QUESTION), "{rest}");
    assert_eq!(std::fs::read_to_string(place.work().join("made")).unwrap(), "x\nx\n");
}

#[test]
fn an_answer_that_is_none_is_asked_for_again_and_the_end_of_input_refuses() {
    let place = Place::new(&[runs("touch made"), told("said no")]);
    let mut terminal = Terminal::new(&place, &[], None);
    terminal.until(QUESTION);
    terminal.type_in("\n");
    terminal.until(QUESTION);
    terminal.type_in("sure\n");
    terminal.until(QUESTION);
    terminal.type_in("\u{4}");
    let (rest, _) = terminal.end();
    assert!(rest.contains("So it is."), "{rest}");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer_to_it() {
    let place = Place::new(&[
        json!({ "reply": [
            { "type": "text", "text": "One moment." },
            { "type": "wait", "file": "go" },
            { "type": "tool_call", "toolName": "run_shell", "input": { "command": "touch made" } },
        ] }),
        told("said no"),
    ]);
    let mut terminal = Terminal::new(&place, &[], None);
    terminal.until("One moment.");
    terminal.type_in("y\n");
    // The terminal shows what is typed: it has arrived.
    terminal.until("y");
    std::fs::write(place.folder.path().join("go"), "").unwrap();
    terminal.until(QUESTION);
    terminal.type_in("n\n");
    let (rest, _) = terminal.end();
    assert!(rest.contains("So it is."), "{rest}");
    assert!(!place.work().join("made").exists());
}

#[test]
fn a_change_of_a_file_is_shown_as_a_diff() {
    let edit = json!({ "path": "greeting.txt", "oldText": "Hello", "newText": "Goodbye" });
    let place = Place::new(&[
        json!({ "reply": [{ "type": "tool_call", "toolName": "read_file", "input": { "path": "greeting.txt" } }] }),
        json!({ "reply": [{ "type": "tool_call", "toolName": "edit_file", "input": edit }] }),
        told("replaced 1 place"),
    ]);
    std::fs::write(place.work().join("greeting.txt"), "Hello\n").unwrap();
    let mut terminal = Terminal::new(&place, &[], None);
    let shown = terminal.until(QUESTION);
    assert!(shown.contains("-Hello") && shown.contains("+Goodbye"), "{shown}");
    terminal.type_in("yes\n");
    terminal.end();
    assert_eq!(std::fs::read_to_string(place.work().join("greeting.txt")).unwrap(), "Goodbye\n");
}

#[test]
fn a_command_cannot_hide_behind_escape_sequences() {
    let place = Place::new(&[runs("touch made # \u{1b}[2K\rls"), told("said no")]);
    let mut terminal = Terminal::new(&place, &[], None);
    let shown = terminal.until(QUESTION);
    assert!(shown.contains("touch made # \\u{1b}[2K\\u{d}ls"), "{shown:?}");
    terminal.type_in("n\n");
    terminal.end();
}

#[test]
fn a_question_that_nobody_answers_in_time_is_a_refusal() {
    let place = Place::new(&[runs("touch made"), told("nobody answered")]);
    let mut terminal = Terminal::new(&place, &["--permission-timeout", "1"], None);
    terminal.until(QUESTION);
    terminal.until("\n  no longer asked\n");
    let (rest, code) = terminal.end();
    assert!(rest.contains("So it is."), "{rest}");
    assert_eq!(code, Some(0));
}

#[test]
fn questions_do_not_stand_on_standard_output() {
    let place = Place::new(&[runs("true"), told("[exit code 0]")]);
    let mut terminal = Terminal::new(&place, &["--output-format", "stream-json"], Some(Stdio::piped()));
    let mut stdout = terminal.child.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).unwrap();
        text
    });
    terminal.until(QUESTION);
    terminal.type_in("y\n");
    terminal.end();
    let events = events(&reader.join().unwrap());
    assert_eq!(find(&events, "request_opened")["kind"], "permission");
    assert_eq!(find(&events, "request_resolved")["outcome"], "allowed_once");
    assert_eq!(events.last().unwrap()["type"], "done");
}
