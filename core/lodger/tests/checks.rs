//! Checks: whoever judges a change before it happens has the last word, and what is no clear word is a refusal.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use lodger::protocol::{
    AgentOptions, CheckAnswer, CheckOptions, CheckRequest, Checks, DeniedBy, DoneReason, Entry, Event, EventBody,
    GuardReport, GuardVerdict, Mode, Passing, PermissionAnswer, RequestBody,
};
use lodger::{AgentBuilder, ErrorCode};
use serde_json::{Value, json};

use crate::support::script::{calls, says, shell, write};
use crate::support::*;

fn command(line: &str) -> CheckOptions {
    CheckOptions { command: Some(line.to_owned()), ..CheckOptions::default() }
}

fn says_json(answer: &Value) -> CheckOptions {
    command(&format!("echo '{answer}'"))
}

fn blocks() -> CheckOptions {
    says_json(&json!({ "blocking": true, "findings": ["there is a key in it"] }))
}

/// An agent that is checked by these and plays the steps.
fn checked(stage: &Stage, mode: Mode, checks: Vec<CheckOptions>, steps: &[Value]) -> AgentBuilder {
    let options = AgentOptions {
        model: Some(stage.model(steps)),
        cwd: Some(stage.work("").display().to_string()),
        mode,
        checks,
        ..AgentOptions::default()
    };
    lodger::Agent::builder().options(options).environment(environment())
}

/// What comes of writing the file `f` in full-auto under these checks.
async fn written(checks: Vec<CheckOptions>) -> (Vec<Arc<Event>>, bool) {
    let stage = Stage::new();
    let agent = checked(&stage, Mode::FullAuto, checks, &[write("f", "x"), says("done")]).create().unwrap();
    let events = play(&agent, "write").await;
    look::ended(&events, DoneReason::EndTurn);
    (events, stage.work("f").exists())
}

fn denied(events: &[Arc<Event>]) -> Vec<(DeniedBy, String)> {
    look::entries(events)
        .filter_map(|entry| match entry {
            Entry::ToolDenied { by, feedback, .. } => Some((*by, feedback.clone().unwrap_or_default())),
            _ => None,
        })
        .collect()
}

fn reports(events: &[Arc<Event>]) -> Vec<GuardReport> {
    events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Passing(Passing::GuardVerdict { report }) => Some(report.clone()),
            _ => None,
        })
        .collect()
}

fn shown_checks(events: &[Arc<Event>]) -> Vec<Option<Checks>> {
    look::entries(events)
        .filter_map(|entry| match entry {
            Entry::RequestOpened { request } => match &request.body {
                RequestBody::Permission(body) => Some(body.checks.clone()),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_command_that_blocks_refuses_the_change_in_full_auto_and_the_model_hears_why() {
    let (events, exists) = written(vec![blocks()]).await;
    assert!(!exists);
    assert_eq!(denied(&events), [(DeniedBy::Checks, "a check refuses this call: there is a key in it".to_owned())]);
    let (told, is_error) = look::results(&events).remove(0);
    assert!(is_error && told.contains("there is a key in it"), "{told}");
}

#[tokio::test]
async fn a_command_that_finds_nothing_lets_the_change_happen() {
    let (events, exists) = written(vec![says_json(&json!({ "blocking": false, "findings": ["looks odd"] }))]).await;
    assert!(exists);
    assert_eq!(denied(&events), []);
}

#[tokio::test]
async fn one_check_that_blocks_is_enough() {
    let passes = says_json(&json!({ "blocking": false }));
    let (events, exists) = written(vec![passes.clone(), blocks(), passes]).await;
    assert!(!exists);
    let verdicts: Vec<_> = reports(&events).into_iter().map(|report| report.verdict).collect();
    assert_eq!(verdicts, [GuardVerdict::Passed, GuardVerdict::Blocked, GuardVerdict::Passed]);
}

#[tokio::test]
async fn what_blocks_does_so_whatever_is_answered_and_leaves_no_grant() {
    let stage = Stage::new();
    let steps = [write("f", "x"), write("f", "x"), says("done")];
    let agent = checked(&stage, Mode::Ask, vec![blocks()], &steps)
        .on_permission(|_| async { PermissionAnswer::AllowAlways { rule: None, persist: None } })
        .create()
        .unwrap();
    let events = play(&agent, "write twice").await;
    assert!(!stage.work("f").exists());
    assert_eq!(denied(&events).iter().filter(|(by, _)| *by == DeniedBy::Checks).count(), 2);
    let shown = Checks { blocking: true, findings: vec!["there is a key in it".to_owned()] };
    assert_eq!(shown_checks(&events), [Some(shown.clone()), Some(shown)], "the second call asks again");
}

#[tokio::test]
async fn a_call_that_was_allowed_for_good_is_checked_all_the_same() {
    let stage = Stage::new();
    let line = format!(
        "test -e {0} && echo '{{\"blocking\": true}}' || echo '{{\"blocking\": false}}'",
        stage.work("f").display()
    );
    let steps = [write("f", "x"), write("f", "x"), says("done")];
    let agent = checked(&stage, Mode::Ask, vec![command(&line)], &steps)
        .on_permission(|_| async { PermissionAnswer::AllowAlways { rule: None, persist: None } })
        .create()
        .unwrap();
    let events = play(&agent, "write twice").await;
    assert_eq!(denied(&events), [(DeniedBy::Checks, "a check refuses this call, and says no more".to_owned())]);
    assert_eq!(shown_checks(&events).len(), 1, "the second call did not ask");
}

#[tokio::test]
async fn a_command_that_gives_no_clear_verdict_refuses() {
    let nonsense = [
        "exit 3",
        "true",
        "kill -9 $$",
        "echo yes",
        "echo '[false]'",
        "echo '{}'",
        r#"echo '{"findings": []}'"#,
        r#"echo '{"blocking": "no"}'"#,
        r#"echo '{"blocking": false, "extra": 1}'"#,
        r#"echo '{"blocking": false}{"blocking": false}'"#,
        r#"echo '{"blocking": false}'; exit 1"#,
        "head -c 100000 /dev/zero | tr '\\0' ' '",
        "/there/is/no/such/program",
    ];
    for line in nonsense {
        let (events, exists) = written(vec![command(line)]).await;
        assert!(!exists, "{line}");
        let [(DeniedBy::Checks, told)] = &denied(&events)[..] else { panic!("{line}: {:?}", denied(&events)) };
        assert!(told.contains("gave no verdict: "), "{line}: {told}");
        assert_eq!(reports(&events)[0].verdict, GuardVerdict::Failed, "{line}");
    }
}

#[tokio::test]
async fn a_command_that_takes_too_long_refuses() {
    let check = CheckOptions { timeout_ms: Some(50), ..command("sleep 600") };
    let began = Instant::now();
    let (events, exists) = written(vec![check]).await;
    assert!(!exists && began.elapsed() < LONG);
    assert!(denied(&events)[0].1.ends_with("it took longer than 50 ms"), "{:?}", denied(&events));
}

#[tokio::test]
async fn a_command_gets_the_call_as_json_and_each_verdict_stands_among_the_events() {
    let stage = Stage::new();
    let line = r#"cat > ../outside/told.json; echo '{"blocking": false, "findings": ["fine"]}'"#;
    let agent =
        checked(&stage, Mode::AutoEdit, vec![command(line)], &[write("f", "x\n"), says("done")]).create().unwrap();
    let events = play(&agent, "write").await;
    let told: Value = serde_json::from_slice(&std::fs::read(stage.outside("told.json")).unwrap()).unwrap();
    assert_eq!(told["toolName"], "write_file");
    assert_eq!(told["input"], json!({ "path": "f", "content": "x\n" }));
    assert_eq!(told["target"]["effect"], "write");
    assert_eq!(told["targets"], json!([stage.work("f")]));
    assert_eq!(told["risk"], "medium");
    assert_eq!(told["sessionId"], agent.session_id());
    assert!(told["diff"].as_str().unwrap().contains("+x"), "{told}");
    let report = reports(&events).remove(0);
    assert_eq!(told["toolCallId"], json!(report.tool_call_id));
    assert_eq!((report.command.as_deref(), report.verdict), (Some(line), GuardVerdict::Passed));
    assert_eq!(report.findings, ["fine"]);
}

#[tokio::test]
async fn only_calls_that_do_more_than_read_are_checked_unless_an_entry_names_others() {
    let stage = Stage::new();
    stage.put("f", "x");
    let steps = [calls("read_file", json!({ "path": "f" })), shell("true"), write("g", "y"), says("done")];
    let reads = CheckOptions { tools: Some(vec!["read_*".to_owned()]), ..blocks() };
    for (check, refused) in [(blocks(), ["run_shell", "write_file"].as_slice()), (reads, &["read_file"])] {
        let agent = checked(&stage, Mode::FullAuto, vec![check], &steps).create().unwrap();
        let events = play(&agent, "go").await;
        let names: Vec<_> = look::entries(&events)
            .filter_map(|entry| match entry {
                Entry::ToolDenied { tool_name, .. } => Some(tool_name.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(names, refused);
    }
}

#[tokio::test]
async fn the_hosts_own_check_judges_every_change_and_sees_it() {
    let stage = Stage::new();
    let seen: Arc<Mutex<Vec<CheckRequest>>> = Arc::default();
    let keep = Arc::clone(&seen);
    let steps = [write("good", "x"), write("bad", "x"), says("done")];
    let agent = checked(&stage, Mode::FullAuto, Vec::new(), &steps)
        .on_check(move |asked| {
            let blocking = asked.body.targets[0].ends_with("bad");
            keep.lock().unwrap().push(asked.body);
            async move { CheckAnswer { blocking, findings: vec!["by its name".to_owned()] } }
        })
        .create()
        .unwrap();
    let events = play(&agent, "write both").await;
    assert!(stage.work("good").exists() && !stage.work("bad").exists());
    assert_eq!(denied(&events), [(DeniedBy::Checks, "a check refuses this call: by its name".to_owned())]);
    assert_eq!(seen.lock().unwrap().len(), 2);
    assert!(reports(&events).iter().all(|report| report.command.is_none()));
}

#[tokio::test]
async fn a_check_of_the_hosts_that_fails_refuses() {
    let stage = Stage::new();
    let agent = checked(&stage, Mode::FullAuto, Vec::new(), &[write("f", "x"), says("done")])
        .on_check(|_| async { panic!("no idea") })
        .create()
        .unwrap();
    let events = play(&agent, "write").await;
    assert!(!stage.work("f").exists());
    assert!(denied(&events)[0].1.contains("no idea"), "{:?}", denied(&events));
}

#[tokio::test]
async fn a_check_that_is_left_to_a_host_without_a_handler_refuses() {
    let (events, exists) = written(vec![CheckOptions::default()]).await;
    assert!(!exists);
    assert!(denied(&events)[0].1.contains("this host gives no verdict on checks"), "{:?}", denied(&events));
}

#[tokio::test]
async fn a_verdict_that_does_not_come_in_time_refuses() {
    let stage = Stage::new();
    let check = CheckOptions { timeout_ms: Some(20), ..CheckOptions::default() };
    let agent = checked(&stage, Mode::FullAuto, vec![check], &[write("f", "x"), says("done")])
        .on_check(|_| std::future::pending::<CheckAnswer>())
        .create()
        .unwrap();
    let events = play(&agent, "write").await;
    assert!(!stage.work("f").exists());
    assert!(denied(&events)[0].1.contains("within 20 ms"), "{:?}", denied(&events));
}

#[tokio::test]
async fn a_cancelled_turn_waits_for_no_check() {
    let stage = Stage::new();
    let line = "touch ../outside/began; sleep 600";
    let agent =
        checked(&stage, Mode::FullAuto, vec![command(line)], &[write("f", "x"), says("done")]).create().unwrap();
    let turn = agent.prompt("write").unwrap();
    let began = stage.outside("began");
    until("the check runs", || began.exists().then_some(())).await;
    turn.cancel();
    assert_eq!(turn.result().await.unwrap().reason, DoneReason::Cancelled);
    assert!(!stage.work("f").exists());
}

#[test]
fn what_could_not_judge_is_no_option() {
    let stage = Stage::new();
    let refused = |more: Value| {
        let options = stage.options(&[says("done")], more);
        assert_code(
            lodger::embed::Agent::create(None, &options.to_string(), environment(), Default::default()),
            ErrorCode::InvalidOptions,
        )
        .message
    };
    for (check, told) in [
        (json!({ "command": " " }), "option checks[0].command is empty"),
        (json!({ "command": "true", "timeoutMs": 0 }), "option checks[0].timeoutMs is 0"),
        (json!({ "tools": ["a(b)"] }), "option checks[0].tools: \"a(b)\": "),
        (json!({ "comand": "true" }), "unknown option \"checks.0.comand\"; did you mean \"command\"?"),
    ] {
        let message = refused(json!({ "checks": [check] }));
        assert!(message.starts_with(told), "{message}");
    }
    let many = vec![json!({ "command": "true" }); 17];
    assert_eq!(refused(json!({ "checks": many })), "option checks has 17 entries; at most 16 are taken");
}
