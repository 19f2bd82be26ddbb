//! Background tasks: commands that outlive their call, and nothing else.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;

use futures_util::StreamExt;
use lodger::protocol::{DoneReason, Entry, Event, Mode};
use lodger::{Agent, AgentBuilder};
use serde_json::{Value, json};

use crate::support::script::{call, calls, said, says, shell, silence, step};
use crate::support::*;

/// A step that starts a command in the background.
fn background(line: &str) -> Value {
    calls("run_shell", json!({ "command": line, "background": true }))
}

fn output(wait_ms: u64) -> Value {
    calls("task_output", json!({ "taskId": "task_1", "waitMs": wait_ms }))
}

/// Waits in the foreground until a file is there.
fn until_there(file: &str) -> Value {
    shell(&format!("until [ -e {file} ]; do sleep 0.02; done"))
}

fn builder(stage: &Stage, steps: &[Value]) -> AgentBuilder {
    stage.agent(steps).mode(Mode::FullAuto)
}

fn agent(stage: &Stage, steps: &[Value]) -> Agent {
    builder(stage, steps).create().unwrap()
}

/// Plays a script to its end, and returns what its calls came to.
async fn results(stage: &Stage, steps: &[Value]) -> Vec<(String, bool)> {
    let agent = agent(stage, steps);
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    agent.close().await;
    look::results(&events)
}

fn ends(events: &[Arc<Event>]) -> Vec<(String, String)> {
    look::entries(events)
        .filter_map(|entry| match entry {
            Entry::BackgroundTaskEnded { task_id, text, .. } => Some((task_id.clone(), text.clone())),
            _ => None,
        })
        .collect()
}

async fn death_of(pid: i32) {
    until(&format!("the death of {pid}"), || (!lives(pid)).then_some(())).await;
}

#[tokio::test]
async fn the_call_names_the_task_and_is_over_while_it_runs() {
    let stage = Stage::new();
    let results = results(&stage, &[background("sleep 1000"), calls("task_output", json!({})), says("ok")]).await;
    assert!(results[0].0.contains("as task_1") && !results[0].1, "{results:?}");
    assert!(results[1].0.starts_with("task_1 runs for ") && results[1].0.ends_with(": sleep 1000"), "{results:?}");
}

#[tokio::test]
async fn each_look_shows_what_came_since_the_last_one() {
    let stage = Stage::new();
    let line = "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 3";
    let steps = [background(line), output(0), shell("touch go"), output(600_000), output(0), says("ok")];
    let results = results(&stage, &steps).await;
    let [first, second, third] = [&results[1].0, &results[3].0, &results[4].0];
    assert!(first.contains("[task_1 runs for "), "{first}");
    assert_eq!(format!("{first}{second}").matches("one\n").count(), 1);
    assert!(!first.contains("two") && second.ends_with("two\n[task_1 has ended: exit code 3]"), "{second}");
    assert_eq!(third, "[task_1 has ended: exit code 3]");
}

#[tokio::test]
async fn a_killed_task_is_gone_with_what_it_started_and_shows_what_it_printed() {
    let stage = Stage::new();
    let line = "trap '' TERM; setsid sleep 1000 & echo $$ $! > pids; echo said; wait";
    let kill = calls("task_kill", json!({ "taskId": "task_1" }));
    let results = results(&stage, &[background(line), until_there("pids"), kill, says("ok")]).await;
    assert_eq!(results[2], ("said\n[task_1 was killed]".to_owned(), false));
    for pid in pids_in(&stage.work("pids")).await {
        death_of(pid).await;
    }
}

#[tokio::test]
async fn a_task_that_nobody_knows_is_an_error_that_names_the_known() {
    let stage = Stage::new();
    let unknown = |tool| calls(tool, json!({ "taskId": "task_7" }));
    let steps = [unknown("task_kill"), background("true"), unknown("task_output"), says("ok")];
    let results = results(&stage, &steps).await;
    assert!(results[0].1 && results[0].0.contains("there are none"), "{results:?}");
    assert!(results[2].1 && results[2].0.contains("known are: task_1."), "{results:?}");
}

#[tokio::test]
async fn a_time_limit_holds_in_the_background_where_it_is_given() {
    let stage = Stage::new();
    let timed = calls("run_shell", json!({ "command": "sleep 1000", "background": true, "timeoutMs": 50 }));
    let results = results(&stage, &[timed, output(600_000), says("ok")]).await;
    assert!(results[1].0.contains("stopped after 50 ms"), "{results:?}");
}

#[tokio::test]
async fn a_command_may_see_a_terminal_in_the_background_too() {
    let stage = Stage::new();
    let seen = |background: bool| {
        let line = "[ -t 1 ] && [ ! -t 0 ] && echo terminal";
        calls("run_shell", json!({ "command": line, "pty": true, "background": background }))
    };
    let results = results(&stage, &[seen(false), seen(true), output(600_000), says("ok")]).await;
    assert_eq!(results[0], ("terminal\n[exit code 0]".to_owned(), false));
    assert_eq!(results[2].0, "terminal\n[task_1 has ended: exit code 0]");
}

#[tokio::test]
async fn no_more_than_sixteen_run_at_once() {
    let stage = Stage::new();
    let start = call("run_shell", json!({ "command": "sleep 1000", "background": true }));
    let results = results(&stage, &[step(&vec![start; 17]), says("ok")]).await;
    assert_eq!(results.iter().filter(|(_, is_error)| *is_error).count(), 1);
    assert!(results[16].0.contains("16 background tasks run already"), "{results:?}");
}

#[tokio::test]
async fn the_end_of_a_task_is_told_once_to_model_and_host() {
    let stage = Stage::new();
    let server = server_of(
        &json!({ "steps": [background("until [ -e go ]; do sleep 0.02; done; exit 4"), says("ok")],
                                    "after": "last" }),
        lodger_kit::MockOptions::default(),
    );
    let agent = client(&server)
        .cwd(stage.work("").display().to_string())
        .environment(environment())
        .mode(Mode::FullAuto)
        .create()
        .unwrap();
    assert_eq!(ends(&play(&agent, "hello").await), []);
    stage.put("go", "");
    let mut told = Vec::new();
    until_told(&agent, &mut told).await;
    let text = "[background task task_1 has ended: exit code 4: until [ -e go ]; do sleep 0.02; done; exit 4]";
    assert_eq!(told, [("task_1".to_owned(), text.to_owned())]);
    let body = server.stats().bodies.back().unwrap().clone();
    look::valid(&body);
    assert_eq!(body.to_string().matches("[background task task_1 has ended").count(), 1);
    assert_eq!(ends(&play(&agent, "and now?").await), []);
    agent.close().await;
}

async fn until_told(agent: &Agent, told: &mut Vec<(String, String)>) {
    let start = std::time::Instant::now();
    while told.is_empty() {
        assert!(start.elapsed() < LONG, "waited too long for the end of a task");
        told.extend(ends(&play(agent, "and now?").await));
    }
}

#[tokio::test]
async fn the_end_that_a_look_has_shown_is_not_told_again() {
    let stage = Stage::new();
    let agent = agent(&stage, &[background("true"), output(600_000), says("ok"), says("ok")]);
    for _ in 0..2 {
        assert_eq!(ends(&play(&agent, "hello").await), []);
    }
    agent.close().await;
}

#[tokio::test]
async fn a_task_outlives_its_turn_also_a_cancelled_one_and_not_its_agent() {
    let stage = Stage::new();
    let steps = [background("echo $$ > pid; exec sleep 1000"), until_there("pid"), step(&[said("half"), silence()])];
    let agent = agent(&stage, &steps);
    let mut turn = agent.prompt("hello").unwrap();
    read_to(&mut turn, "text_delta").await;
    turn.cancel();
    look::kinds(&read(&mut turn).await);
    let [pid] = pids_in(&stage.work("pid")).await[..] else { panic!("one number") };
    assert!(lives(pid));
    agent.close().await;
    death_of(pid).await;
}

#[tokio::test]
async fn a_task_of_an_agent_that_is_dropped_without_being_closed_dies_too() {
    let stage = Stage::new();
    let agent = agent(&stage, &[background("echo $$ > pid; exec sleep 1000"), until_there("pid"), says("ok")]);
    play(&agent, "hello").await;
    let [pid] = pids_in(&stage.work("pid")).await[..] else { panic!("one number") };
    assert!(lives(pid));
    drop(agent);
    death_of(pid).await;
}

#[tokio::test]
async fn a_task_whose_output_nobody_looks_at_goes_on() {
    let stage = Stage::new();
    let steps = [background("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end"), output(600_000), says("ok")];
    let results = results(&stage, &steps).await;
    assert!(results[1].0.contains("bytes left out") && results[1].0.contains("\nend\n"), "{}", results[1].0.len());
}

#[tokio::test]
async fn the_host_is_asked_as_for_any_command_and_sees_that_it_stays() {
    let stage = Stage::new();
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let agent = stage
        .agent(&[background("touch made"), output(0), says("ok")])
        .on_permission(move |request| {
            seen.lock().unwrap().push(request.body.summary.clone());
            async { lodger::protocol::PermissionAnswer::Deny { feedback: None } }
        })
        .create()
        .unwrap();
    let results = look::results(&play(&agent, "hello").await);
    assert_eq!(*asked.lock().unwrap(), ["touch made (in the background)"]);
    assert!(results[0].1 && results[1].0.contains("there are none"), "{results:?}");
    assert!(!stage.work("made").exists());
}

/// How many calls do their worst: enough to see it, and a thousand where there is time.
#[expect(clippy::disallowed_methods, reason = "a test may be told by its environment how deep to look")]
fn rounds() -> usize {
    if std::env::var_os("LODGER_DEEP").is_some() { 100 } else { 3 }
}

#[tokio::test]
async fn nothing_is_left_of_calls_that_do_their_worst() {
    let stage = Stage::new();
    // What they start has a name of its own, so that it is found whatever became of it.
    let name = format!("lodger-worst-{}", std::process::id());
    let program = stage.put(&name, "#!/bin/sh\ntrap '' TERM HUP INT\nwhile :; do sleep 1; done\n");
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let lines = [
        format!("./{name} & echo out"),
        format!("./{name} >/dev/null 2>&1 & setsid ./{name} & echo out"),
        format!("setsid ./{name} >/dev/null 2>&1 & (setsid ./{name} &) & exit 1"),
        format!("(trap '' TERM; ./{name} | ./{name}) & (exec setsid nohup ./{name} >/dev/null 2>&1) & disown -a"),
    ];
    let mut parts: Vec<Value> =
        (0..9).map(|index| call("run_shell", json!({ "command": lines[index % lines.len()] }))).collect();
    parts.push(call("run_shell", json!({ "command": format!("./{name} & exec setsid ./{name}"), "background": true })));
    let kill = (1..=rounds()).map(|round| calls("task_kill", json!({ "taskId": format!("task_{round}") })));
    let rounds = kill.flat_map(|kill| [step(&parts), kill]).collect::<Vec<_>>();
    // The last task is left to the end of the agent.
    let agent = builder(&stage, &[&rounds[..], &[step(&parts), says("ok")]].concat())
        .limits(lodger::protocol::Limits { max_steps: 1000, ..Default::default() })
        .create()
        .unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    let mut calls = 0;
    while let Some(event) = turn.next().await {
        calls += usize::from(look::kind(&event) == "tool_result");
    }
    assert_eq!(calls, rounds.len() / 2 * 11 + 10);
    agent.close().await;
    let left = || processes_named(&name).into_iter().filter(|pid| lives(*pid)).collect::<Vec<_>>();
    assert_eq!(left(), Vec::<i32>::new());
}

fn processes_named(name: &str) -> Vec<i32> {
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid| {
        fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(name))
    })
    .filter(|pid: &i32| *pid != std::process::id().cast_signed())
    .collect()
}

/// Not a test of its own: the host that the test below starts in a folder of its own, and kills.
#[tokio::test]
#[ignore = "started by the test below"]
async fn host() {
    let cwd = std::env::current_dir().unwrap();
    let agent = talker("scripted/script.json")
        .cwd(cwd.display().to_string())
        .environment(environment())
        .mode(Mode::FullAuto)
        .create()
        .unwrap();
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    fs::write("idle", "1\n").unwrap();
    tokio::time::sleep(LONG).await;
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[tokio::test]
async fn a_host_killed_with_9_between_two_turns_takes_its_tasks_along() {
    let folder = tempfile::tempdir().unwrap();
    let line = "setsid sleep 1000 & echo $$ $! > pids; wait";
    let script = json!({ "steps": [background(line), until_there("pids"), says("ok")] });
    fs::write(folder.path().join("script.json"), script.to_string()).unwrap();
    let host = start_host(folder.path());
    pids_in(&folder.path().join("idle")).await;
    let pids = pids_in(&folder.path().join("pids")).await;
    assert!(pids.len() == 2 && pids.iter().all(|pid| lives(*pid)));
    drop(host);
    for pid in pids {
        death_of(pid).await;
    }
}

fn start_host(folder: &Path) -> Killed {
    let host = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "background::host", "--ignored", "--nocapture"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Killed(host.unwrap())
}
