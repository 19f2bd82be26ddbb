//! A cancelled turn ends promptly, once, and as cancelled, wherever it stood; what comes late changes nothing; and
//! the next prompt makes a request that the provider accepts.

use std::fs;
use std::future::pending;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use lodger::protocol::{
    Content, DoneReason, Entry, EventBody, Mode, Outcome, PermissionAnswer, StopReason, ToolAnswer, ToolOptions,
};
use lodger::{Agent, ErrorCode, embed};
use lodger_kit::{MockServer, WireFault};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::script::{call, calls, repeat, said, says, shell, silence, step, wait, write};
use crate::support::*;

fn tool(name: &str) -> ToolOptions {
    ToolOptions {
        name: name.to_owned(),
        description: "for tests".to_owned(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: false,
        approval: Default::default(),
    }
}

/// The agent takes the next prompt, and what the provider was then sent is in order.
async fn goes_on(agent: &Agent, server: &MockServer) {
    look::ended(&play(agent, "go on").await, DoneReason::EndTurn);
    look::valid(server.stats().bodies.back().unwrap());
}

#[tokio::test]
async fn before_the_first_event_is_read() {
    let server = server(&[says("one"), says("two")]);
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    turn.cancel();
    look::ended(&read(&mut turn).await, DoneReason::Cancelled);
    goes_on(&agent, &server).await;
}

#[tokio::test]
async fn while_the_server_has_not_even_taken_the_connection() {
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", deaf.local_addr().unwrap());
    let agent = Agent::builder().model("anthropic/mock").endpoint(endpoint(base_url)).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    read_to(&mut turn, "turn_start").await;
    turn.cancel();
    assert_eq!(look::kinds(&read(&mut turn).await), ["done"]);
    assert_eq!(turn.result().await.unwrap().reason, DoneReason::Cancelled);
}

#[tokio::test]
async fn while_the_server_keeps_silent() {
    let server = faulty_server(&[says("one")], WireFault::Silence);
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    until("the request", || (server.stats().requests == 1).then_some(())).await;
    turn.cancel();
    look::ended(&read(&mut turn).await, DoneReason::Cancelled);
    goes_on(&agent, &server).await;
}

#[tokio::test]
async fn in_mid_stream_keeps_what_was_said() {
    let server = server(&[step(&[said("half a"), silence()]), says("two")]);
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    let mut events = read_to(&mut turn, "text_delta").await;
    turn.cancel();
    events.extend(read(&mut turn).await);
    look::ended(&events, DoneReason::Cancelled);
    assert!(look::entries(&events).any(|entry| matches!(
        entry,
        Entry::AssistantMessage { content, stop_reason: StopReason::Cancelled, .. } if *content == [Content::text("half a")]
    )));
    assert_eq!(turn.result().await.unwrap().text, "half a");
    goes_on(&agent, &server).await;
    assert_eq!(server.stats().bodies[1]["messages"][1]["content"][0]["text"], "half a");
}

#[tokio::test]
async fn in_a_flood_lets_nothing_come_but_what_lay_unread() {
    let stage = Stage::new();
    let agent = stage.agent(&[step(&[repeat("x", 1_000_000_000)])]).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    read_to(&mut turn, "text_delta").await;
    turn.cancel();
    let events = read(&mut turn).await;
    // A batch of 256 in the reader's hands, 256 in the queue, what was on its way into it, and the end.
    assert!(events.len() <= 600, "{} events", events.len());
    assert_eq!(look::kind(events.last().unwrap()), "done");
}

#[tokio::test]
async fn in_mid_stream_closes_the_providers_connection() {
    let server = server(&[step(&[said("half"), silence()])]);
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    read_to(&mut turn, "text_delta").await;
    turn.cancel();
    until("the abort", || (server.stats().aborted == 1 && !server.stats().connections[0].open).then_some(())).await;
}

#[tokio::test]
async fn in_the_middle_of_a_calls_input_runs_no_call() {
    let stage = Stage::new();
    let line = format!("touch {}", stage.work("made").display());
    let half = json!({ "type": "tool_call", "toolName": "run_shell", "input": { "command": line }, "chunks": 2 });
    let server = faulty_server(&[step(&[said("so"), half]), says("two")], WireFault::Stall { after_bytes: 1100 });
    let agent = client(&server).cwd(stage.work("").display().to_string()).mode(Mode::FullAuto).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    let mut events = read_to(&mut turn, "tool_input_delta").await;
    turn.cancel();
    events.extend(read(&mut turn).await);
    look::ended(&events, DoneReason::Cancelled);
    assert!(!look::kinds(&events).contains(&"tool_call".to_owned()));
    goes_on(&agent, &server).await;
    assert!(!stage.work("made").exists());
}

#[tokio::test]
async fn while_a_permission_is_open_withdraws_it() {
    let stage = Stage::new();
    let server = server(&[write("made", "x"), says("two")]);
    let (asked, withdrawn) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell_asked, tell_withdrawn) = (Arc::clone(&asked), Arc::clone(&withdrawn));
    let agent = client(&server)
        .cwd(stage.work("").display().to_string())
        .on_permission(move |request| {
            let withdrawn = Arc::clone(&tell_withdrawn);
            tell_asked.notify_one();
            async move {
                request.withdrawn.cancelled().await;
                withdrawn.notify_one();
                PermissionAnswer::AllowOnce {}
            }
        })
        .create()
        .unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    within(asked.notified()).await;
    turn.cancel();
    let events = read(&mut turn).await;
    look::ended(&events, DoneReason::Cancelled);
    assert_eq!(look::outcomes(&events), [Outcome::Cancelled]);
    within(withdrawn.notified()).await;
    goes_on(&agent, &server).await;
    assert!(!stage.work("made").exists(), "an allow after the cancel counts for nothing");
}

#[tokio::test]
async fn inside_a_host_tool_that_ignores_it() {
    let server = server(&[calls("stubborn", json!({})), says("two")]);
    let agent = client(&server).tool(tool("stubborn"), |_| pending::<ToolAnswer>()).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    let mut events = read_to(&mut turn, "request_opened").await;
    turn.cancel();
    events.extend(read(&mut turn).await);
    look::ended(&events, DoneReason::Cancelled);
    assert_eq!(look::outcomes(&events), [Outcome::Cancelled]);
    goes_on(&agent, &server).await;
}

#[test]
fn a_late_answer_of_a_host_tool_is_refused_and_changes_nothing() {
    let server = server(&[calls("slow", json!({})), says("two")]);
    let options = client_options(
        &server,
        json!({ "tools": [{ "name": "slow", "description": "", "inputSchema": { "type": "object" } }] }),
    );
    let agent = embedded(&options);
    let turn = agent.prompt("\"hello\"").unwrap();
    let request = next_request(&turn);
    turn.cancel();
    let result = turn.wait(Some(LONG)).unwrap();
    assert_eq!(result.reason, DoneReason::Cancelled);
    let late = r#"{"content":[{"type":"text","text":"late"}]}"#;
    assert_code(request.answer(late), ErrorCode::RequestSettled);
    assert_code(agent.answer(request.request().request_id.as_str(), late), ErrorCode::RequestSettled);
    assert_code(request.progress("late"), ErrorCode::RequestSettled);
    assert!(!look::result(&drain(&turn)).0.contains("late"));
    let next = agent.prompt("\"go on\"").unwrap();
    look::ended(&drain(&next), DoneReason::EndTurn);
    let body = server.stats().bodies[1].clone();
    look::valid(&body);
    assert!(!body.to_string().contains("late"));
}

#[tokio::test]
async fn inside_a_command_kills_it_and_its_grandchildren() {
    let stage = Stage::new();
    let pids = stage.work("pids");
    let line = "bash -c 'sleep 600 & echo $$ $! $PPID > pids; wait' & wait";
    let server = server(&[shell(line), says("two")]);
    let agent = client(&server)
        .cwd(stage.work("").display().to_string())
        .environment(environment())
        .mode(Mode::FullAuto)
        .create()
        .unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    let running = pids_in(&pids).await;
    assert_eq!(running.len(), 3);
    turn.cancel();
    let events = read(&mut turn).await;
    look::ended(&events, DoneReason::Cancelled);
    assert!(look::result(&events).0.contains("[cancelled]"));
    assert!(!running.iter().any(|pid| lives(*pid)), "killed before the turn ended");
    goes_on(&agent, &server).await;
}

#[test]
fn ends_a_command_whose_output_nobody_reads() {
    let stage = Stage::new();
    let options = stage.options(&[shell("echo $$ > pids; exec yes"), says("two")], json!({ "mode": "full-auto" }));
    let agent = embedded(&options);
    let turn = agent.prompt("\"hello\"").unwrap();
    let command = wait_until("the command", || fs::read_to_string(stage.work("pids")).ok()?.trim().parse().ok());
    wait_until("it to wait for room in its pipe", || sleeps_in_pipe(command).then_some(()));
    turn.cancel();
    assert_eq!(turn.wait(Some(LONG)).unwrap().reason, DoneReason::Cancelled);
    assert!(!lives(command));
    let (told, _) = look::result(&drain(&turn));
    assert!(told.ends_with("[cancelled]"), "its end was seen: {}", &told[told.len().saturating_sub(100)..]);
}

/// Whether a process waits until somebody reads what it wrote.
fn sleeps_in_pipe(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/wchan")).is_ok_and(|place| place.contains("pipe"))
        || fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains("(yes) S"))
}

#[tokio::test]
async fn right_after_the_end_changes_nothing() {
    let server = server(&[says("one"), says("two")]);
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    look::ended(&read(&mut turn).await, DoneReason::EndTurn);
    turn.cancel();
    assert!(!agent.interrupt(), "nothing runs");
    assert!(turn.next().await.is_none(), "nothing comes after done");
    assert_eq!(turn.result().await.unwrap().reason, DoneReason::EndTurn);
    goes_on(&agent, &server).await;
}

#[tokio::test]
async fn of_an_earlier_turn_leaves_the_running_one_alone() {
    let stage = Stage::new();
    let go = stage.work("go");
    let agent = stage.agent(&[says("one"), step(&[said("two"), wait(&go)])]).create().unwrap();
    let mut first = agent.prompt("hello").unwrap();
    read(&mut first).await;
    let mut second = agent.prompt("again").unwrap();
    first.cancel();
    drop(first);
    stage.put("go", "");
    look::ended(&read(&mut second).await, DoneReason::EndTurn);
}

#[tokio::test]
async fn again_and_again_is_the_same_as_once() {
    let server = server(&[step(&[said("half"), silence()]), says("two")]);
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    read_to(&mut turn, "text_delta").await;
    for _ in 0..3 {
        turn.cancel();
        agent.interrupt();
    }
    assert_eq!(look::kinds(&read(&mut turn).await), ["assistant_message", "done"]);
    goes_on(&agent, &server).await;
}

#[tokio::test]
async fn by_interrupt_says_that_something_ran() {
    let server = server(&[step(&[said("half"), silence()])]);
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    read_to(&mut turn, "text_delta").await;
    assert!(agent.interrupt());
    assert_eq!(turn.next().await.map(|event| look::kind(&event)).as_deref(), Some("assistant_message"));
    assert_eq!(turn.result().await.unwrap().reason, DoneReason::Cancelled);
}

#[tokio::test]
async fn by_dropping_the_turn_closes_the_connection_and_frees_the_agent() {
    let server = server(&[step(&[said("half"), silence()]), says("two")]);
    let agent = client(&server).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    read_to(&mut turn, "text_delta").await;
    drop(turn);
    until("the abort", || (server.stats().aborted == 1).then_some(())).await;
    let mut next = until("the end", || agent.prompt("go on").ok()).await;
    look::ended(&read(&mut next).await, DoneReason::EndTurn);
    look::valid(server.stats().bodies.back().unwrap());
}

#[tokio::test]
async fn no_file_is_written_by_a_call_that_is_told_that_it_did_not_run() {
    let stage = Stage::new();
    for round in 0..40 {
        let name = format!("made_{round}");
        let agent = stage
            .agent(&[write(&name, &"x".repeat(30_000))])
            .on_permission(|_| async { PermissionAnswer::AllowOnce {} })
            .create()
            .unwrap();
        let mut turn = agent.prompt("hello").unwrap();
        read_to(&mut turn, "request_resolved").await;
        tokio::time::sleep(Duration::from_micros(50 * round)).await;
        turn.cancel();
        let cancelled = stage.work(&name).exists();
        let events = read(&mut turn).await;
        let (told, is_error) = look::result(&events);
        let changed = look::kinds(&events).contains(&"file_changed".to_owned());
        assert_eq!((stage.work(&name).exists(), changed), (!is_error, !is_error), "round {round}: {told}");
        // What is there, was there before the cancel was accepted or was on its way by then.
        assert!(stage.work(&name).exists() || !cancelled, "round {round}");
        if stage.work(&name).exists() {
            assert_eq!(std::fs::metadata(stage.work(&name)).unwrap().len(), 30_000);
        }
    }
}

#[tokio::test]
async fn at_any_event_of_a_turn_leaves_a_conversation_that_goes_on() {
    let stage = Stage::new();
    stage.put("file", "hello\n");
    let steps = [
        step(&[
            said("look"),
            call("read_file", json!({ "path": "file" })),
            call("read_file", json!({ "path": "none" })),
            call("mine", json!({})),
        ]),
        step(&[repeat("word ", 20), call("write_file", json!({ "path": "file", "content": "new\n" }))]),
        shell("echo done"),
        says("that is all"),
    ];
    let script = json!({ "steps": steps, "after": "last" });
    let mut whole_turn = usize::MAX;
    for at in 0.. {
        if at > whole_turn {
            break;
        }
        let server = server_of(&script, Default::default());
        let agent = client(&server)
            .cwd(stage.work("").display().to_string())
            .environment(environment())
            .tool(tool("mine"), |_| async { "yes" })
            .on_permission(|_| async { PermissionAnswer::AllowOnce {} })
            .create()
            .unwrap();
        let mut turn = agent.prompt("hello").unwrap();
        let mut events = Vec::new();
        while let Some(event) = within(turn.next()).await {
            if events.len() == at {
                turn.cancel();
            }
            events.push(event);
        }
        let (reason, error) = look::whole(&events);
        assert_eq!(error, None, "cancelled at event {at}");
        if reason == DoneReason::EndTurn {
            whole_turn = whole_turn.min(events.len());
        }
        let sent = server.stats().requests;
        let mut next = agent.prompt("go on").unwrap();
        within(async { while server.stats().requests == sent && next.next().await.is_some() {} }).await;
        look::valid(server.stats().bodies.back().unwrap());
    }
}

#[test]
fn a_turn_that_is_dropped_unread_lets_the_engine_go_on_to_the_next() {
    let stage = Stage::new();
    let agent = embedded(&stage.options(&[step(&[repeat("word ", 10_000)]), says("two")], json!({})));
    drop(agent.prompt("\"hello\"").unwrap());
    let next = wait_until("the end", || agent.prompt("\"go on\"").ok());
    assert!(matches!(next.read(1, Some(LONG)), Ok(embed::Drained::Events(_))));
    let events = drain(&next);
    assert!(matches!(events.last().unwrap().body, EventBody::Entry(Entry::Done { .. })));
}
