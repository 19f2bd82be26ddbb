//! What stands on standard output and what on standard error.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::kit::{Place, events, find, lodger, runs, says, stderr, stdout};

#[test]
fn text_is_the_answer_alone_and_calls_are_told_on_standard_error() {
    let place = Place::new(&[
        json!({ "reply": [
            { "type": "text", "text": "I will look.", "chunks": 4 },
            { "type": "tool_call", "toolName": "run_shell", "input": { "command": "echo here; exit 3" } },
        ] }),
        says("It is *here*.\n"),
    ]);
    let output = place.run(&["--mode", "full-auto"]);
    assert_eq!(stdout(&output), "I will look.\n\nIt is *here*.\n");
    assert_eq!(stderr(&output), "> run_shell: echo here; exit 3\n  failed: [exit code 3]\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn json_is_one_object_with_the_result_and_the_session() {
    let place = Place::new(&[json!({
        "reply": [{ "type": "text", "text": "Grüße\n", "chunks": 3 }],
        "usage": { "inputTokens": 12, "outputTokens": 3 },
    })]);
    let output = place.run(&["--output-format", "json"]);
    assert_eq!(stdout(&output).lines().count(), 1);
    let told: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(told["reason"], "end_turn");
    assert_eq!(told["text"], "Grüße\n");
    assert_eq!(told["usage"], json!({ "inputTokens": 12, "outputTokens": 3 }));
    assert!(told["sessionId"].as_str().is_some_and(|id| !id.is_empty()), "{told}");
    assert_eq!(stderr(&output), "");
}

#[test]
fn json_of_a_turn_that_failed_holds_the_error() {
    let fault = json!({ "type": "error", "code": "provider_overloaded", "message": "too much to do" });
    let place = Place::new(&[json!({ "reply": [], "fault": fault })]);
    let told: Value = serde_json::from_str(stdout(&place.run(&["--output-format", "json"]))).unwrap();
    assert_eq!(told["reason"], "error");
    assert_eq!(told["error"]["code"], "provider_overloaded");
}

/// A schema in a file, and a script whose second answer fits it.
fn with_schema() -> (Place, String) {
    let answers =
        |n: Value| json!({ "reply": [{ "type": "tool_call", "toolName": "structured_output", "input": { "n": n } }] });
    let place = Place::new(&[says("Let me count."), answers(json!(7))]);
    let file = place.folder.path().join("schema.json");
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    std::fs::write(&file, schema.to_string()).unwrap();
    (place, file.display().to_string())
}

#[test]
fn an_answer_that_must_fit_a_schema_stands_alone_on_standard_output() {
    let (place, schema) = with_schema();
    let output = place.run(&["--output-schema", &schema]);
    assert_eq!(stdout(&output), "{\"n\":7}\n");
    assert!(stderr(&output).contains("asking again: - the answer is not JSON alone"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn json_and_stream_json_hold_the_answer_that_fits_a_schema() {
    let (place, schema) = with_schema();
    let output = place.run(&["--output-format", "json", "--output-schema", &schema]);
    let told: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(told["structured"], json!({ "n": 7 }));
    let output = place.run(&["--output-format", "stream-json", "--output-schema", &schema]);
    assert_eq!(events(stdout(&output)).last().unwrap()["structured"], json!({ "n": 7 }));
}

#[test]
fn a_schema_that_cannot_be_read_is_told_before_anything_begins() {
    let (place, _) = with_schema();
    let missing = place.run(&["--output-schema", "/no/such/schema.json"]);
    assert!(stderr(&missing).contains("--output-schema /no/such/schema.json: "), "{}", stderr(&missing));
    assert_eq!((stdout(&missing), missing.status.code()), ("", Some(2)));
}

#[test]
fn stream_json_is_one_event_a_line_and_the_last_is_done() {
    let place = Place::new(&[runs("echo one"), says("two\n\nlines\n")]);
    let output = place.run(&["--output-format", "stream-json", "--mode", "full-auto"]);
    let text = stdout(&output);
    assert!(text.ends_with('\n') && !text.contains("\n\n"), "{text:?}");
    let events = events(text);
    let sequence: Vec<_> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(sequence.windows(2).all(|pair| pair[0] < pair[1]), "{sequence:?}");
    assert_eq!(find(&events, "tool_progress")["chunk"], "one\n");
    let done = events.last().unwrap();
    assert_eq!((&done["type"], &done["reason"]), (&json!("done"), &json!("end_turn")));
    assert_eq!(events.iter().filter(|event| event["type"] == "done").count(), 1);
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_tool_that_prints_to_the_descriptors_of_the_command_does_no_harm_to_standard_output() {
    // To its own descriptors, and to those of the process that it runs in.
    let noise = "echo own; echo own >&2; echo foreign > /proc/$PPID/fd/1";
    let place = Place::new(&[runs(noise), says("Done.")]);
    let output = place.run(&["--output-format", "stream-json", "--mode", "full-auto"]);
    let events = events(stdout(&output));
    assert_eq!(find(&events, "tool_result")["isError"], false);
    assert_eq!(events.last().unwrap()["type"], "done");
    assert_eq!(stderr(&output), "foreign\n");
}

#[test]
fn a_dash_takes_the_prompt_from_standard_input() {
    let place = Place::new(&[json!({
        "expect": { "lastUserText": "Mend it.\nÜ\n" },
        "reply": [{ "type": "text", "text": "Done." }],
    })]);
    let mut arguments = place.arguments(&[]);
    arguments[1] = "-".to_owned();
    let mut child = lodger().args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all("Mend it.\nÜ\n".as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(stdout(&output), "Done.\n");
}

#[test]
fn without_a_terminal_a_call_that_needs_approval_is_refused_and_everybody_is_told_why() {
    let place = Place::new(&[
        runs("touch made"),
        json!({
            "expect": { "toolResults": [{ "contains": "answers no permission requests", "isError": true }] },
            "reply": [{ "type": "text", "text": "I may not." }],
        }),
    ]);
    let output = place.run(&[]);
    assert_eq!(stdout(&output), "I may not.\n");
    assert!(stderr(&output).contains("  refused: ") && stderr(&output).contains("--mode"), "{}", stderr(&output));
    assert!(!place.work().join("made").exists());
}

#[test]
fn more_instructions_reach_the_model() {
    let place = Place::new(&[json!({
        "expect": { "system": "Answer in rhyme." },
        "reply": [{ "type": "text", "text": "Fine." }],
    })]);
    let output = place.run(&["--append-system-prompt", "Answer in rhyme."]);
    assert_eq!(stdout(&output), "Fine.\n", "{}", stderr(&output));
}

#[test]
fn a_reader_that_leaves_ends_the_command_quietly() {
    for format in ["text", "stream-json"] {
        let place = Place::new(&[json!({ "reply": [{ "type": "repeat", "text": "more\n", "count": 10_000_000 }] })]);
        let mut command = place.command(&["--output-format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(141), ""), "{format}");
    }
}
