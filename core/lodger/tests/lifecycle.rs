//! Agents come and go: closing is idempotent, bounded and final, and nothing is left of an agent that is gone.
//!
//! Each test looks at its whole process, so they run one at a time.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]
// The lock keeps whole tests apart, each on a runtime of its own.
#![allow(clippy::await_holding_lock)]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::join_all;
use lodger::embed::{self, Drained, Handlers, LaneItem, Mailbox};
use lodger::protocol::{DoneReason, Event, Mode, ToolAnswer, ToolOptions};
use lodger::{Agent, ErrorCode, Runtime, RuntimeOptions, Turn};
use serde_json::json;

use support::process::{Holdings, children};
use support::script::{calls, repeat, said, says, shell, silence, step, write};
use support::*;

static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

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

/// Waits until the process holds what it held before.
fn back_to(before: &Holdings) {
    let start = Instant::now();
    loop {
        let now = Holdings::now();
        if now == *before {
            return;
        }
        assert!(start.elapsed() < LONG, "left over: {now:#?}, before: {before:#?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn no_handlers(options: &serde_json::Value) -> embed::Agent {
    embed::Agent::create(None, &options.to_string(), environment(), Handlers::default()).unwrap()
}

#[test]
fn creating_an_agent_starts_no_process_and_opens_no_connection() {
    let _alone = alone();
    let server = server(&[says("ok")]);
    let stage = Stage::new();
    let options = client_options(&server, json!({ "cwd": stage.work("") }));
    let agent = no_handlers(&options);
    assert!(children().is_empty());
    agent.close(LONG).unwrap();
    assert!(server.stats().connections.is_empty());
}

#[test]
fn closing_cancels_the_turn_and_is_final() {
    let _alone = alone();
    let server = server(&[step(&[said("half"), silence()])]);
    let agent = no_handlers(&client_options(&server, json!({})));
    let turn = agent.prompt("\"hello\"").unwrap();
    wait_until("the stream", || matches!(turn.drain(1), Drained::Events(_)).then_some(()));
    agent.close(LONG).unwrap();
    assert_eq!(turn.result().unwrap().reason, DoneReason::Cancelled);
    assert!(agent.is_closed());
    assert_code(agent.prompt("\"again\""), ErrorCode::Closed);
    assert_code(agent.set_mode("plan"), ErrorCode::Closed);
    assert_code(agent.set_model("scripted/x"), ErrorCode::Closed);
    assert!(!agent.interrupt());
    // What there is to read can still be read.
    assert!(matches!(drain(&turn).last().map(|event| look::kind(event)).as_deref(), Some("done")));
    assert!(embed::call(&agent, "session/messages", "").unwrap().contains("hello"));
}

#[test]
fn closing_again_finds_nothing_to_do() {
    let _alone = alone();
    let stage = Stage::new();
    let agent = no_handlers(&stage.options(&[says("ok")], json!({})));
    for _ in 0..3 {
        agent.close(LONG).unwrap();
    }
    let (tell, told) = mpsc::sync_channel(1);
    agent.begin_close(LONG, Box::new(move || tell.send(()).unwrap()));
    told.recv_timeout(LONG).unwrap();
}

#[test]
fn whoever_closes_while_another_does_waits_for_the_same_end() {
    let _alone = alone();
    let stage = Stage::new();
    let options = stage.options(&[shell("echo $$ > pid; sleep 600")], json!({ "mode": "full-auto" }));
    let agent = no_handlers(&options);
    let turn = agent.prompt("\"hello\"").unwrap();
    let pid: i32 = wait_until("the command", || std::fs::read_to_string(stage.work("pid")).ok()?.trim().parse().ok());
    std::thread::scope(|scope| {
        for way in 0..6 {
            let (agent, turn) = (agent.clone(), turn.clone());
            scope.spawn(move || {
                if way % 2 == 0 {
                    agent.close(LONG).unwrap();
                } else {
                    let (tell, told) = mpsc::sync_channel(1);
                    agent.begin_close(LONG, Box::new(move || tell.send(()).unwrap()));
                    told.recv_timeout(LONG).unwrap();
                }
                assert!(turn.result().is_some() && !lives(pid));
            });
        }
    });
}

#[test]
fn closing_on_a_thread_of_an_async_runtime_is_refused_and_closes_nothing() {
    let _alone = alone();
    let stage = Stage::new();
    let agent = no_handlers(&stage.options(&[says("ok")], json!({})));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let refused = runtime.block_on(async { agent.close(LONG) });
    assert_code(refused, ErrorCode::WouldDeadlock);
    assert!(!agent.is_closed());
    look::ended(&drain(&agent.prompt("\"hello\"").unwrap()), DoneReason::EndTurn);
    agent.close(LONG).unwrap();
}

#[test]
fn no_bell_rings_after_close_has_returned() {
    let _alone = alone();
    for _ in 0..20 {
        let stage = Stage::new();
        let agent = no_handlers(&stage.options(&[step(&[repeat("word ", 5000)])], json!({})));
        let rings = Arc::new(AtomicUsize::new(0));
        let ring = || {
            let rings = Arc::clone(&rings);
            Box::new(move || {
                rings.fetch_add(1, Ordering::SeqCst);
            })
        };
        let mailbox = Mailbox::new(ring());
        let turn = agent.prompt("\"hello\"").unwrap();
        turn.attach(&mailbox, 1);
        turn.set_waker(ring());
        for _ in 0..20 {
            let _ = (turn.drain(100), mailbox.take());
        }
        agent.close(LONG).unwrap();
        let before = rings.load(Ordering::SeqCst);
        let _ = mailbox.take();
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(rings.load(Ordering::SeqCst), before);
    }
}

#[tokio::test]
async fn a_second_prompt_while_one_runs_is_refused_and_disturbs_nothing() {
    let _alone = alone();
    let stage = Stage::new();
    let agent = stage.agent(&[step(&[said("half"), silence()])]).create().unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    assert_code(agent.prompt("again"), ErrorCode::SessionBusy);
    read_to(&mut turn, "text_delta").await;
    assert_code(agent.prompt("again"), ErrorCode::SessionBusy);
    turn.cancel();
    look::kinds(&read(&mut turn).await);
    assert_eq!(agent.messages().len(), 2, "the refused prompts left nothing");
}

#[tokio::test]
async fn whoever_reads_done_may_prompt_again_at_once() {
    let _alone = alone();
    let stage = Stage::new();
    let model = stage.model_of(&json!({ "steps": [says("ok")], "after": "loop" }));
    let agent = talker(&model).create().unwrap();
    for _ in 0..300 {
        let mut turn = agent.prompt("hello").unwrap();
        while let Some(event) = within(turn.next()).await {
            if look::kind(&event) == "done" {
                break;
            }
        }
    }
}

#[test]
fn whoever_reads_done_finds_the_result_and_whoever_waited_finds_done() {
    let _alone = alone();
    let stage = Stage::new();
    let options = json!({ "model": stage.model_of(&json!({ "steps": [says("ok")], "after": "loop" })) });
    let agent = no_handlers(&options);
    for round in 0..300 {
        let turn = agent.prompt("\"hello\"").unwrap();
        if round % 2 == 0 {
            let done = |events: &[Arc<Event>]| events.last().is_some_and(|event| look::kind(event) == "done");
            while !matches!(turn.read(64, Some(LONG)).unwrap(), Drained::Events(events) if done(&events)) {}
            assert!(turn.result().is_some());
        } else {
            turn.wait(Some(LONG)).unwrap();
            let Drained::Events(events) = turn.drain(usize::MAX) else { panic!("nothing to read") };
            assert_eq!(look::kind(events.last().unwrap()), "done");
            assert!(matches!(turn.drain(1), Drained::End));
        }
        let items = lane_to_end(&turn);
        assert!(matches!(items.as_slice(), [LaneItem::Ended(_)]), "the end comes once, last: {items:?}");
    }
}

#[test]
fn a_turn_is_read_by_one() {
    let _alone = alone();
    let stage = Stage::new();
    let agent = no_handlers(&stage.options(&[says("ok")], json!({})));
    let turn = agent.prompt("\"hello\"").unwrap();
    turn.claim_reader().unwrap();
    assert_code(turn.claim_reader(), ErrorCode::ReaderBusy);
    drain(&turn);
}

#[test]
fn waiting_for_a_turn_ends_with_its_time() {
    let _alone = alone();
    let stage = Stage::new();
    let agent = no_handlers(&stage.options(&[step(&[silence()])], json!({})));
    let turn = agent.prompt("\"hello\"").unwrap();
    assert_code(turn.wait(Some(Duration::from_millis(20))), ErrorCode::Timeout);
    while !matches!(turn.read(64, Some(Duration::from_millis(20))).unwrap(), Drained::Empty) {}
    turn.cancel();
    assert_eq!(turn.wait(Some(LONG)).unwrap().reason, DoneReason::Cancelled);
}

#[test]
fn an_agent_that_is_dropped_unclosed_leaves_nothing() {
    let _alone = alone();
    let stage = Stage::new();
    let server = server(&[shell("sleep 600 & sleep 600")]);
    let before = Holdings::now();
    {
        let options = client_options(&server, json!({ "cwd": stage.work(""), "mode": "full-auto" }));
        let agent = no_handlers(&options);
        let turn = agent.prompt("\"hello\"").unwrap();
        wait_until("the command", || (children().len() == 2).then_some(()));
        drop((agent, turn));
    }
    wait_until("the server to see the end", || server.stats().connections.iter().all(|one| !one.open).then_some(()));
    back_to(&before);
}

#[test]
fn a_turn_keeps_its_agent_alive_to_its_end() {
    let _alone = alone();
    let stage = Stage::new();
    let before = Holdings::now();
    let turn = no_handlers(&stage.options(&[says("ok")], json!({}))).prompt("\"hello\"").unwrap();
    look::ended(&drain(&turn), DoneReason::EndTurn);
    drop(turn);
    back_to(&before);
}

#[test]
fn the_last_hold_of_an_agent_may_be_dropped_by_its_own_tool() {
    let _alone = alone();
    let stage = Stage::new();
    let before = Holdings::now();
    let holder: Arc<Mutex<Option<(Agent, Turn)>>> = Arc::default();
    let inside = Arc::clone(&holder);
    let agent = stage
        .agent(&[calls("last", json!({})), says("never")])
        .tool(tool("last"), move |_| {
            let held = wait_until("the agent", || inside.lock().unwrap().take());
            drop(held);
            async { "dropped" }
        })
        .create()
        .unwrap();
    let turn = agent.prompt("hello").unwrap();
    *holder.lock().unwrap() = Some((agent, turn));
    back_to(&before);
}

#[test]
fn after_the_last_close_the_shared_runtime_is_gone_and_the_next_agent_makes_a_new_one() {
    let _alone = alone();
    let stage = Stage::new();
    let before = Holdings::now();
    for _ in 0..3 {
        let (one, two) = (
            no_handlers(&stage.options(&[says("ok")], json!({}))),
            no_handlers(&stage.options(&[says("ok")], json!({}))),
        );
        one.close(LONG).unwrap();
        look::ended(&drain(&two.prompt("\"hello\"").unwrap()), DoneReason::EndTurn);
        two.close(LONG).unwrap();
        assert_eq!(Holdings::now().threads, before.threads, "close has joined them");
    }
    back_to(&before);
}

#[test]
fn a_thousand_agents_settle_and_leave_nothing() {
    let _alone = alone();
    let stage = Stage::new();
    let model = stage.model(&[calls("mine", json!({ "n": 1 })), says("that is all")]);
    let before = Holdings::now();
    let host = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    host.block_on(async {
        let turns = (0..1000).map(|number| {
            let agent = talker(&model).tool(tool("mine"), move |_| async move { number.to_string() }).create().unwrap();
            async move {
                let events = play(&agent, "hello").await;
                look::ended(&events, DoneReason::EndTurn);
                assert_eq!(look::result(&events), (number.to_string(), false));
                agent.close().await;
            }
        });
        join_all(turns).await;
    });
    drop(host);
    back_to(&before);
}

#[test]
fn shutting_a_runtime_down_ends_its_turns_and_refuses_new_ones() {
    let _alone = alone();
    let stage = Stage::new();
    let before = Holdings::now();
    let runtime = Runtime::new(RuntimeOptions { worker_threads: 1, ..RuntimeOptions::default() }).unwrap();
    let mut options = stage.options(&[calls("mine", json!({}))], json!({}));
    options["tools"] = json!([{ "name": "mine", "description": "", "inputSchema": { "type": "object" } }]);
    let handlers = Handlers { tool: true, ..Handlers::default() };
    let agent = embed::Agent::create(Some(&runtime), &options.to_string(), environment(), handlers.clone()).unwrap();
    let turn = agent.prompt("\"hello\"").unwrap();
    let request = next_request(&turn);
    runtime.shut_down(LONG).unwrap();
    look::ended(&drain(&turn), DoneReason::Cancelled);
    assert!(request.is_settled());
    assert_code(agent.prompt("\"again\""), ErrorCode::Closed);
    let another = embed::Agent::create(Some(&runtime), &options.to_string(), environment(), handlers);
    assert_code(another, ErrorCode::Closed);
    let (tell, told) = mpsc::sync_channel(1);
    agent.begin_close(LONG, Box::new(move || tell.send(()).unwrap()));
    told.recv_timeout(LONG).unwrap();
    agent.close(LONG).unwrap();
    drop((agent, turn, request, runtime));
    back_to(&before);
}

#[test]
fn the_last_hold_of_a_runtime_may_be_a_turn() {
    let _alone = alone();
    let stage = Stage::new();
    let before = Holdings::now();
    let runtime = Runtime::new(RuntimeOptions::default()).unwrap();
    let options = stage.options(&[step(&[silence()])], json!({})).to_string();
    let agent = embed::Agent::create(Some(&runtime), &options, environment(), Handlers::default()).unwrap();
    let turn = agent.prompt("\"hello\"").unwrap();
    drop((runtime, agent));
    drop(turn);
    back_to(&before);
}

#[test]
fn an_agent_runs_on_a_runtime_of_the_hosts_own() {
    let _alone = alone();
    let stage = Stage::new();
    let host = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runtime = Runtime::on(host.handle().clone());
    let agent = stage
        .agent(&[write("f", "x"), shell("cat f"), says("ok")])
        .mode(Mode::FullAuto)
        .runtime(&runtime)
        .create()
        .unwrap();
    host.block_on(async {
        let events = play(&agent, "hello").await;
        look::ended(&events, DoneReason::EndTurn);
        agent.close().await;
    });
}

#[test]
fn closing_is_bounded_when_the_hosts_own_runtime_does_not_run() {
    let _alone = alone();
    let stage = Stage::new();
    let host = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runtime = Runtime::on(host.handle().clone());
    let options = stage.options(&[step(&[silence()])], json!({})).to_string();
    let agent = embed::Agent::create(Some(&runtime), &options, environment(), Handlers::default()).unwrap();
    let turn = agent.prompt("\"hello\"").unwrap();
    assert_code(agent.close(Duration::from_millis(50)), ErrorCode::Timeout);
    assert!(agent.is_closed());
    drop(host);
    assert_eq!(turn.wait(Some(LONG)).unwrap().reason, DoneReason::Cancelled, "dropped with the host's runtime");
}

#[test]
fn closing_is_bounded_when_a_tool_never_ends() {
    let _alone = alone();
    let stage = Stage::new();
    let host = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let agent = stage
        .agent(&[calls("mine", json!({}))])
        .tool(tool("mine"), |_| std::future::pending::<ToolAnswer>())
        .create()
        .unwrap();
    host.block_on(async {
        let mut turn = agent.prompt("hello").unwrap();
        read_to(&mut turn, "request_opened").await;
        within(agent.close()).await;
        assert_eq!(turn.result().await.unwrap().reason, DoneReason::Cancelled);
    });
}
