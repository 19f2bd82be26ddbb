//! What a turn is bounded by, and what becomes of calls that cannot run.

use lodger::protocol::{Boundary, DoneReason, Entry, EventBody, Limits, Mode, Passing};
use serde_json::{Value, json};

use crate::support::script::{call, calls, says, shell, step};
use crate::support::*;

#[tokio::test]
async fn the_number_of_steps_ends_a_turn_after_the_results_of_the_last() {
    let script = json!({ "steps": [shell("echo again")], "after": "loop" });
    let stage = Stage::new();
    let server = server_of(&script, Default::default());
    let agent = client(&server)
        .cwd(stage.work("").display().to_string())
        .environment(environment())
        .mode(Mode::FullAuto)
        .limits(Limits { max_steps: 3, ..Limits::default() })
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::MaxSteps);
    assert_eq!((server.stats().requests, look::results(&events).len()), (3, 3));
    let last = look::entries(&events).last();
    assert!(matches!(last, Some(Entry::Done { boundary: Boundary::Complete, .. })), "{last:?}");
    look::ended(&play(&agent, "go on").await, DoneReason::MaxSteps);
    look::valid(server.stats().bodies.back().unwrap());
}

/// What the model is told of a command's output, when it may be told so many bytes.
async fn told(line: &str, max_tool_output_bytes: usize) -> (String, bool) {
    let stage = Stage::new();
    let agent = stage
        .agent(&[shell(line), says("ok")])
        .mode(Mode::FullAuto)
        .limits(Limits { max_tool_output_bytes, ..Limits::default() })
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    let truncated = look::entries(&events).any(|entry| matches!(entry, Entry::ToolResult { truncated: true, .. }));
    (look::result(&events).0, truncated)
}

#[tokio::test]
async fn long_output_keeps_head_and_tail_and_says_how_much_is_missing() {
    let (text, truncated) = told("seq 1 100000", 1000).await;
    assert!(truncated && text.starts_with("1\n2\n3\n"), "{text}");
    let (text, remarks) = text.split_once("\n[all ").unwrap();
    assert!(text.ends_with("99999\n100000") && remarks.ends_with("]\n[exit code 0]"), "{text} {remarks}");
    let whole: usize = (1..=100_000).map(|number: u32| number.to_string().len() + 1).sum();
    let (head, rest) = text.split_once("\n[... ").unwrap();
    let (left_out, tail) = rest.split_once(" bytes left out ...]\n").unwrap();
    let kept = head.len() + tail.len() + "\n".len();
    assert_eq!(kept + left_out.parse::<usize>().unwrap(), whole, "the count is right: {text}");
    assert_eq!(text.matches("left out").count(), 1);
}

#[tokio::test]
async fn output_within_the_bound_is_told_whole_to_the_last_byte() {
    let (text, truncated) = told("printf '%0.s\u{20ac}' $(seq 1 333)", 999).await;
    assert_eq!((text, truncated), (format!("{}\n[exit code 0]", "\u{20ac}".repeat(333)), false));
}

#[tokio::test]
async fn output_of_any_tool_is_bounded() {
    let stage = Stage::new();
    let mine = lodger::protocol::ToolOptions {
        name: "mine".to_owned(),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: false,
        approval: Default::default(),
    };
    let agent = stage
        .agent(&[calls("mine", json!({})), says("ok")])
        .tool(mine, |_| async { format!("head{}tail", "\u{20ac}".repeat(10_000)) })
        .limits(Limits { max_tool_output_bytes: 100, ..Limits::default() })
        .create()
        .unwrap();
    let (text, _) = look::result(&play(&agent, "hello").await);
    assert!(text.starts_with("head\u{20ac}") && text.ends_with("\u{20ac}tail") && text.len() < 200, "{text}");
}

#[tokio::test]
async fn characters_that_two_pieces_of_output_share_are_shown_whole() {
    let stage = Stage::new();
    let line = "printf '\\xe2'; sleep 0.1; printf '\\x82'; sleep 0.1; printf '\\xac!'";
    let agent = stage.agent(&[shell(line), says("ok")]).mode(Mode::FullAuto).create().unwrap();
    let shown: String = play(&agent, "hello")
        .await
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Passing(Passing::ToolProgress { chunk, .. }) => Some(chunk.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(shown, "\u{20ac}!");
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_stopped_and_told() {
    let stage = Stage::new();
    let slow = calls("run_shell", json!({ "command": "echo began; sleep 600", "timeoutMs": 3000 }));
    let agent = stage.agent(&[slow, says("ok")]).mode(Mode::FullAuto).create().unwrap();
    let (text, is_error) = look::result(&play(&agent, "hello").await);
    assert!(is_error && text.starts_with("began\n[stopped after 3000 ms"), "{text}");
}

/// The one result of a step, and whether it is an error; the turn goes on.
async fn result_of(part: Value) -> (String, bool) {
    let server = server(&[step(&[part]), says("ok")]);
    let stage = Stage::new();
    let agent = client(&server)
        .cwd(stage.work("").display().to_string())
        .environment(environment())
        .mode(Mode::FullAuto)
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    look::valid(server.stats().bodies.back().unwrap());
    assert_eq!(std::fs::read_dir(stage.work("")).unwrap().count(), 0, "nothing ran");
    look::result(&events)
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_told_with_those_that_are() {
    let (text, is_error) = result_of(call("delete_everything", json!({}))).await;
    assert!(is_error && text.contains("delete_everything") && text.contains("read_file, write_file"), "{text}");
}

#[tokio::test]
async fn input_that_does_not_fit_is_told_with_its_place() {
    let wrong = [
        (json!({}), "missing field `command`"),
        (json!({ "command": 7 }), "command"),
        (json!({ "command": "touch made", "cwd": "/" }), "unknown field `cwd`"),
        (json!({ "command": "touch made", "timeoutMs": "soon" }), "timeoutMs"),
        (json!({ "command": "  " }), "command is empty"),
        (json!({ "command": "touch made\u{0}" }), "NUL"),
    ];
    for (input, expected) in wrong {
        let (text, is_error) = result_of(call("run_shell", input)).await;
        assert!(is_error && text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn input_that_is_no_json_never_runs() {
    for raw in ["{\"command\": \"touch made\"", "touch made", "[\"touch made\"]", "{\"command\": \"touch made\"} x"] {
        let part = json!({ "type": "tool_call", "toolName": "run_shell", "rawInput": raw });
        let (text, is_error) = result_of(part).await;
        assert!(is_error && text.contains("run_shell"), "{raw}: {text}");
    }
}

#[tokio::test]
async fn a_call_in_a_reply_that_reached_its_limit_runs_only_if_its_input_is_whole() {
    let cut = json!({ "type": "tool_call", "toolName": "run_shell", "rawInput": "{\"command\": \"touch ma" });
    let mut cut = step(&[cut]);
    cut["stopReason"] = json!("max_output_tokens");
    let server = server(&[cut, says("ok")]);
    let stage = Stage::new();
    let agent = client(&server).cwd(stage.work("").display().to_string()).mode(Mode::FullAuto).create().unwrap();
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert!(look::result(&events).1);
    assert_eq!(std::fs::read_dir(stage.work("")).unwrap().count(), 0);
    look::valid(server.stats().bodies.back().unwrap());
}

#[tokio::test]
async fn a_refused_reply_runs_no_call() {
    let mut refused = shell("touch made");
    refused["stopReason"] = json!("refused");
    let server = server(&[refused, says("ok")]);
    let stage = Stage::new();
    let agent = client(&server).cwd(stage.work("").display().to_string()).mode(Mode::FullAuto).create().unwrap();
    look::ended(&play(&agent, "hello").await, DoneReason::Refused);
    assert!(!stage.work("made").exists());
    look::ended(&play(&agent, "go on").await, DoneReason::EndTurn);
    look::valid(server.stats().bodies.back().unwrap());
}
