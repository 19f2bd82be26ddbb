//! A turn is read as fast as its reader takes it: sources are held back, nothing is lost, memory stays flat; and
//! what the host must act on never waits behind what it has not read.
#![cfg(target_os = "linux")]

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use lodger::protocol::{DoneReason, Entry, EventBody, Limits, Mode, Passing, PermissionAnswer, ToolOptions};
use lodger::{ErrorCode, embed};
use lodger_kit::MockServer;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::script::{call, calls, repeat, said, says, shell, step, wait, write};
use crate::support::*;

const DELTAS: u64 = 100_000;
/// What the queue takes at most.
const QUEUE: usize = 256;

fn many_deltas() -> Value {
    step(&[repeat("0123456789", DELTAS)])
}

fn bytes_written(server: &MockServer) -> u64 {
    server.stats().connections.iter().map(|connection| connection.bytes_written).sum()
}

/// Waits until the server has written nothing for a while; returns how much it has written.
fn stands_still(server: &MockServer) -> u64 {
    let mut before = 0;
    wait_until("the server to stand still", || {
        std::thread::sleep(Duration::from_millis(150));
        let now = bytes_written(server);
        (std::mem::replace(&mut before, now) == now && now > 0).then_some(now)
    })
}

/// Resident memory of this process in bytes.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn a_provider_is_held_back_while_nobody_reads_and_nothing_is_lost_afterwards() {
    let server = server(&[many_deltas()]);
    let agent = embedded(&client_options(&server, json!({})));
    let before = resident();
    let turn = agent.prompt("\"hello\"").unwrap();
    let written = stands_still(&server);
    // What the kernel keeps for two sockets is a few MiB at most; the whole stream has over 13.
    assert!(written < 8 * 1024 * 1024, "{written} bytes were taken");
    assert!(resident().saturating_sub(before) < 20 * 1024 * 1024, "memory grew by {}", resident() - before);
    let embed::Drained::Events(first) = turn.drain(usize::MAX) else { panic!("events wait") };
    assert!(first.len() <= QUEUE + 1, "{} events were taken", first.len());

    let mut events = first;
    events.extend(drain(&turn));
    look::ended(&events, DoneReason::EndTurn);
    let deltas = look::deltas(&events);
    assert_eq!(deltas.len() as u64, DELTAS);
    assert!(deltas.iter().all(|delta| *delta == "0123456789"));
    assert_eq!(turn.result().unwrap().text.len() as u64, 10 * DELTAS);
}

#[test]
fn deltas_of_a_stream_arrive_each_once_and_in_order() {
    let numbers: Vec<String> = (0..5000).map(|number| format!("{number},")).collect();
    let server = server(&[step(&[json!({ "type": "text", "text": numbers })])]);
    let agent = embedded(&client_options(&server, json!({})));
    let turn = agent.prompt("\"hello\"").unwrap();
    stands_still(&server);
    assert_eq!(look::deltas(&drain(&turn)), numbers);
}

#[test]
fn few_large_events_fill_the_queue_as_well() {
    let large = "x".repeat(300 * 1024);
    let server = server(&[step(&[repeat(&large, 24)])]);
    let agent = embedded(&client_options(&server, json!({})));
    let turn = agent.prompt("\"hello\"").unwrap();
    stands_still(&server);
    let embed::Drained::Events(first) = turn.drain(usize::MAX) else { panic!("events wait") };
    assert!(look::text(&first).len() <= 1024 * 1024 + large.len(), "1 MiB and one event more");
    let rest = drain(&turn);
    assert_eq!(look::text(&first).len() + look::text(&rest).len(), 24 * large.len());
}

#[test]
fn an_event_over_the_bound_passes_when_the_queue_is_empty() {
    let stage = Stage::new();
    let huge = "x".repeat(3 * 1024 * 1024);
    let agent = embedded(&stage.options(&[says(&huge)], json!({})));
    let events = drain(&agent.prompt("\"hello\"").unwrap());
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(look::text(&events), huge);
}

#[test]
fn a_command_is_held_back_while_nobody_reads() {
    let stage = Stage::new();
    let options = stage.options(&[shell("echo $$ > pid; exec yes"), says("two")], json!({ "mode": "full-auto" }));
    let agent = embedded(&options);
    let turn = agent.prompt("\"hello\"").unwrap();
    let pid: i32 = wait_until("the command", || fs::read_to_string(stage.work("pid")).ok()?.trim().parse().ok());
    let mut before = 0;
    let written = wait_until("the command to stand still", || {
        std::thread::sleep(Duration::from_millis(150));
        let now = written_by(pid)?;
        (std::mem::replace(&mut before, now) == now && now > 0).then_some(now)
    });
    // The queue's 1 MiB, 16 chunks of 64 KiB ahead, and the pipe.
    assert!(written < 4 * 1024 * 1024, "{written} bytes were taken");
    turn.cancel();
    look::ended(&drain(&turn), DoneReason::Cancelled);
    assert!(!lives(pid));
}

fn written_by(pid: i32) -> Option<u64> {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok())
}

#[test]
fn what_a_command_prints_is_shown_whole_to_a_slow_reader() {
    let stage = Stage::new();
    let limits = json!({ "mode": "full-auto" });
    let agent = embedded(&stage.options(&[shell("seq 1 400000"), says("two")], limits));
    let turn = agent.prompt("\"hello\"").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let shown: String = drain(&turn)
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Passing(Passing::ToolProgress { chunk, .. }) => Some(chunk.as_str()),
            _ => None,
        })
        .collect();
    let expected: String = (1..=400_000).map(|number| format!("{number}\n")).collect();
    assert!(shown == expected, "{} bytes of {}", shown.len(), expected.len());
}

#[test]
fn a_queue_that_nobody_reads_for_too_long_ends_the_turn_as_stalled() {
    let server = server(&[many_deltas(), says("two")]);
    let agent = embedded(&client_options(&server, json!({ "limits": { "stallTimeoutMs": 200 } })));
    let turn = agent.prompt("\"hello\"").unwrap();
    let result = turn.wait(Some(LONG)).unwrap();
    assert_eq!(result.error.unwrap().code, ErrorCode::ConsumerStalled);
    // What was queued is still there, and ends in due form.
    let events = drain(&turn);
    look::failed(&events, ErrorCode::ConsumerStalled);
    assert!(look::deltas(&events).len() <= QUEUE + 1);
    look::ended(&drain(&agent.prompt("\"go on\"").unwrap()), DoneReason::EndTurn);
    look::valid(server.stats().bodies.back().unwrap());
}

#[test]
fn a_reader_that_takes_little_but_often_is_not_taken_for_stalled() {
    let stage = Stage::new();
    // Entries pass the bound: a reply's calls and their results are kept, whether there is room or not.
    let lots: Vec<Value> = (0..300).map(|_| call("read_file", json!({ "path": "none" }))).collect();
    let steps = [step(&lots), says("two")];
    let agent = embedded(&stage.options(&steps, json!({ "limits": { "stallTimeoutMs": 3000 } })));
    let turn = agent.prompt("\"hello\"").unwrap();
    let mut events = Vec::new();
    let mut waited = Duration::ZERO;
    loop {
        match turn.read(10, Some(LONG)).unwrap() {
            embed::Drained::Events(some) => events.extend(some),
            embed::Drained::Empty => panic!("waited too long"),
            embed::Drained::End => break,
        }
        if waited < Duration::from_secs(4) {
            std::thread::sleep(Duration::from_millis(100));
            waited += Duration::from_millis(100);
        }
    }
    look::ended(&events, DoneReason::EndTurn);
}

#[test]
fn a_turn_that_waits_for_a_reader_says_so_in_the_lane() {
    let stage = Stage::new();
    let agent = embedded(&stage.options(&[step(&[repeat("word ", 300)])], json!({})));
    let turn = agent.prompt("\"hello\"").unwrap();
    wait_until("stalled", || turn.take_lane_json().filter(|items| items == r#"[{"type":"stalled"}]"#));
    let _ = turn.drain(usize::MAX);
    let items = lane_to_end(&turn);
    assert!(matches!(items.as_slice(), [embed::LaneItem::Moving, embed::LaneItem::Ended(_)]), "{items:?}");
}

#[test]
fn a_turn_whose_reader_is_known_does_not_say_that_it_waits_for_one() {
    let stage = Stage::new();
    let go = stage.work("go");
    let agent = embedded(&stage.options(&[step(&[wait(&go), repeat("word ", 300)])], json!({})));
    let turn = agent.prompt("\"hello\"").unwrap();
    turn.claim_reader().unwrap();
    stage.put("go", "");
    std::thread::sleep(Duration::from_millis(100));
    drain(&turn);
    let items = lane_to_end(&turn);
    assert!(matches!(items.as_slice(), [embed::LaneItem::Ended(_)]), "{items:?}");
}

fn read_only_tool(name: &str) -> ToolOptions {
    ToolOptions {
        name: name.to_owned(),
        description: "for tests".to_owned(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: true,
        approval: Default::default(),
    }
}

#[tokio::test]
async fn a_permission_request_reaches_its_handler_past_unread_deltas() {
    let stage = Stage::new();
    let asked = Arc::new(Notify::new());
    let tell = Arc::clone(&asked);
    let steps =
        [step(&[repeat("word ", 200), call("write_file", json!({ "path": "f", "content": "x" }))]), says("two")];
    let agent = stage
        .agent(&steps)
        .on_permission(move |_| {
            tell.notify_one();
            async { PermissionAnswer::AllowOnce {} }
        })
        .create()
        .unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    within(asked.notified()).await;
    until("the file", || stage.work("f").exists().then_some(())).await;
    let events = read(&mut turn).await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(look::deltas(&events).len(), 201);
}

#[tokio::test]
async fn a_permission_request_reaches_its_handler_while_ten_thousand_deltas_lie_unread_in_other_turns() {
    let stage = Stage::new();
    let talk = [step(&[repeat("word ", 1000)])];
    let mut standing = Vec::new();
    for _ in 0..42 {
        let agent = stage.agent(&talk).create().unwrap();
        standing.push((agent.prompt("talk").unwrap(), agent));
    }
    let agent = stage
        .agent(&[write("f", "x"), says("ok")])
        .on_permission(|_| async { PermissionAnswer::AllowOnce {} })
        .create()
        .unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    look::ended(&within(read(&mut turn)).await, DoneReason::EndTurn);
    assert!(stage.work("f").exists());
    let mut unread = 0;
    for (turn, _agent) in &mut standing {
        let events = within(read(turn)).await;
        look::ended(&events, DoneReason::EndTurn);
        unread += look::deltas(&events).len();
    }
    assert_eq!(unread, 42_000, "none was lost");
}

#[tokio::test]
async fn a_host_tool_is_called_past_unread_deltas() {
    let stage = Stage::new();
    let called = Arc::new(Notify::new());
    let tell = Arc::clone(&called);
    let steps = [step(&[repeat("word ", 200), call("mine", json!({}))]), says("two")];
    let agent = stage
        .agent(&steps)
        .tool(read_only_tool("mine"), move |_| {
            tell.notify_one();
            async { "done" }
        })
        .create()
        .unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    within(called.notified()).await;
    look::ended(&read(&mut turn).await, DoneReason::EndTurn);
}

#[tokio::test]
async fn a_turn_on_a_full_queue_opens_nothing_new_until_it_is_read() {
    let stage = Stage::new();
    let called = Arc::new(Notify::new());
    let tell = Arc::clone(&called);
    let steps = [step(&[repeat("word ", 255), said("last"), call("mine", json!({}))]), says("two")];
    let agent = stage
        .agent(&steps)
        .tool(read_only_tool("mine"), move |_| {
            tell.notify_one();
            async { "done" }
        })
        .create()
        .unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(200), called.notified()).await.is_err(), "the queue is full");
    look::ended(&read(&mut turn).await, DoneReason::EndTurn);
    within(called.notified()).await;
}

#[tokio::test]
async fn progress_of_a_host_tool_never_waits_and_is_left_out_when_there_is_no_room() {
    let stage = Stage::new();
    let shown = Arc::new(Notify::new());
    let tell = Arc::clone(&shown);
    let agent = stage
        .agent(&[calls("mine", json!({})), says("two")])
        .tool(read_only_tool("mine"), move |call| {
            for number in 0..10_000 {
                call.progress(&number.to_string());
            }
            tell.notify_one();
            async { "done" }
        })
        .create()
        .unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    within(shown.notified()).await;
    let events = read(&mut turn).await;
    look::ended(&events, DoneReason::EndTurn);
    let shown = look::kinds(&events).iter().filter(|kind| *kind == "tool_progress").count();
    assert!((1..=QUEUE).contains(&shown), "{shown}");
}

#[tokio::test]
async fn a_slow_reader_of_a_stream_gets_all_of_it() {
    let server = server(&[step(&[repeat("word ", 3000)])]);
    let agent = client(&server).limits(Limits { stall_timeout_ms: 10_000, ..Limits::default() }).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    let mut events = Vec::new();
    while let Some(event) = within(turn.next()).await {
        if events.len() % 500 == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        events.push(event);
    }
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(look::deltas(&events).len(), 3000);
}

#[tokio::test]
async fn a_full_queue_holds_back_no_other_agent() {
    let server = server(&[many_deltas()]);
    let unread = client(&server).create().unwrap();
    let _turn = unread.prompt("hello").unwrap();
    let stage = Stage::new();
    for number in 0..20 {
        let agent =
            stage.agent(&[write(&format!("f{number}"), "x"), says("two")]).mode(Mode::FullAuto).create().unwrap();
        let events = play(&agent, "hello").await;
        look::ended(&events, DoneReason::EndTurn);
        assert!(look::entries(&events).any(|entry| matches!(entry, Entry::FileChanged { .. })));
    }
}
