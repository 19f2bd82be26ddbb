//! Output of a command that is too long to be shown is kept in a file that the agent may read.

use std::fs;
use std::path::PathBuf;

use lodger::Agent;
use lodger::protocol::{DoneReason, Limits, Mode};
use serde_json::{Value, json};

use crate::support::script::{calls, says, shell};
use crate::support::*;

fn agent(stage: &Stage, steps: &[Value]) -> Agent {
    let limits = Limits { max_tool_output_bytes: 1000, ..Limits::default() };
    stage.agent(steps).mode(Mode::FullAuto).limits(limits).create().unwrap()
}

fn numbers() -> String {
    (1..=50_000).map(|number| format!("{number}\n")).collect()
}

/// The file that a result names.
fn file_of(told: &str) -> PathBuf {
    let path = told.rsplit_once(" bytes are in ").unwrap().1.split(']').next().unwrap();
    PathBuf::from(path)
}

#[tokio::test]
async fn all_of_it_is_in_the_file_that_the_result_names() {
    let stage = Stage::new();
    let agent = agent(&stage, &[shell("seq 1 50000; exit 2"), says("ok")]);
    let (told, is_error) = look::result(&play(&agent, "hello").await);
    assert!(told.starts_with("1\n2\n") && told.contains("\n50000\n[all 288894 bytes are in /"), "{told}");
    assert!(told.ends_with("]\n[exit code 2]") && is_error, "{told}");
    assert!(fs::read_to_string(file_of(&told)).unwrap() == numbers());
    agent.close().await;
    assert!(!file_of(&told).parent().unwrap().exists());
}

#[tokio::test]
async fn the_agent_may_read_it_without_being_asked_for() {
    let stage = Stage::new();
    let agent = agent(&stage, &[shell("seq 1 50000"), says("ok")]);
    let told = look::result(&play(&agent, "hello").await).0;
    let read = calls("read_file", json!({ "path": file_of(&told), "offset": 25_000, "limit": 1 }));
    agent.set_model(&stage.model(&[says("-"), says("-"), read, says("ok")])).unwrap();
    agent.set_mode(Mode::Ask).unwrap();
    let (shown, is_error) = look::result(&play(&agent, "look at it").await);
    assert!(shown.starts_with("25000\t25000\n") && !is_error, "{shown}");
    agent.close().await;
}

#[tokio::test]
async fn changing_it_asks_as_anywhere_outside() {
    let stage = Stage::new();
    let agent = agent(&stage, &[shell("seq 1 50000"), says("ok")]);
    let told = look::result(&play(&agent, "hello").await).0;
    let write = calls("write_file", json!({ "path": file_of(&told), "content": "" }));
    agent.set_model(&stage.model(&[says("-"), says("-"), write, says("ok")])).unwrap();
    agent.set_mode(Mode::AutoEdit).unwrap();
    let (shown, is_error) = look::result(&play(&agent, "change it").await);
    assert!(shown.starts_with("permission denied") && is_error, "{shown}");
    agent.close().await;
}

#[tokio::test]
async fn output_that_fits_makes_no_file() {
    let stage = Stage::new();
    let agent = agent(&stage, &[shell("seq 1 100"), says("ok")]);
    let told = look::result(&play(&agent, "hello").await).0;
    assert!(told.ends_with("\n100\n[exit code 0]"), "{told}");
    agent.close().await;
}

#[tokio::test]
async fn each_look_at_a_background_task_has_a_file_of_its_own() {
    let stage = Stage::new();
    let background = calls("run_shell", json!({ "command": "seq 1 50000", "background": true }));
    let output = calls("task_output", json!({ "taskId": "task_1", "waitMs": 600_000 }));
    let agent = agent(&stage, &[background, output, says("ok")]);
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    let told = look::results(&events)[1].0.clone();
    assert!(told.ends_with("]\n[task_1 has ended: exit code 0]"), "{told}");
    assert!(fs::read_to_string(file_of(&told)).unwrap() == numbers());
    agent.close().await;
}

#[tokio::test]
async fn where_no_file_can_be_made_the_command_is_as_good_as_before() {
    let stage = Stage::new();
    let limits = Limits { max_tool_output_bytes: 1000, ..Limits::default() };
    let nowhere = lodger::protocol::Environment::new([
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
        ("TMPDIR".to_owned(), "/nowhere/at/all".to_owned()),
    ]);
    let agent = stage
        .agent(&[shell("seq 1 50000"), says("ok")])
        .environment(nowhere)
        .mode(Mode::FullAuto)
        .limits(limits)
        .create()
        .unwrap();
    let (told, is_error) = look::result(&play(&agent, "hello").await);
    assert!(told.ends_with("\n50000\n[exit code 0]") && !is_error, "{told}");
    agent.close().await;
}
