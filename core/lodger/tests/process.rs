//! What is process-wide stays the host's: signals, folder, environment, and what a fork makes of them.
//!
//! Each test looks at its whole process, so they run one at a time.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fork::{Fork, fork};
use lodger::embed::{self, Handlers};
use lodger::protocol::DoneReason;
use lodger::{Agent, ErrorCode, Runtime};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::json;

use support::process::{entries, status};
use support::script::{said, says, shell, silence, step};
use support::*;

static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn agent(stage: &Stage, steps: &[serde_json::Value]) -> embed::Agent {
    let options = stage.options(steps, json!({ "mode": "full-auto" })).to_string();
    embed::Agent::create(None, &options, environment(), Handlers::default()).unwrap()
}

/// Runs `child` in a copy of this process, which must find everything as it should be.
fn in_a_copy(child: impl FnOnce() + std::panic::UnwindSafe) {
    match fork().unwrap() {
        Fork::Child => {
            let code = i32::from(catch_unwind(child).is_err());
            std::process::exit(code);
        }
        Fork::Parent(pid) => {
            let ended = waitpid(Pid::from_raw(pid), None).unwrap();
            assert_eq!(ended, WaitStatus::Exited(Pid::from_raw(pid), 0), "the copy failed; see its output");
        }
    }
}

#[test]
fn no_signal_handler_is_installed() {
    let _alone = alone();
    let caught = || ["SigCgt", "SigIgn"].map(|name| u64::from_str_radix(&status("", name), 16).unwrap());
    let before = caught();
    let stage = Stage::new();
    let agent = agent(&stage, &[shell("true"), says("ok")]);
    look::ended(&drain(&agent.prompt("\"hello\"").unwrap()), DoneReason::EndTurn);
    let [caught_now, _] = caught();
    assert_eq!(caught_now & (1 << 16), before[0] & (1 << 16), "SIGCHLD");
    agent.close(LONG).unwrap();
    assert_eq!(caught(), before);
}

#[test]
fn the_hosts_signals_never_land_on_our_threads() {
    let _alone = alone();
    let stage = Stage::new();
    let agent = agent(&stage, &[shell("echo > ready; sleep 600")]);
    let turn = agent.prompt("\"hello\"").unwrap();
    wait_until("the command", || stage.work("ready").exists().then_some(()));
    let tasks = entries("/proc/self/task").into_iter().map(|task| format!("task/{task}/"));
    let ours: Vec<_> = tasks.filter(|task| status(task, "Name").starts_with("lodger")).collect();
    assert!(ours.len() >= 3, "workers and the command's own thread are looked at");
    // For the moment of the start the mask of the command's thread is another one.
    wait_until("all of them to block the host's signals", || {
        let blocks_all = |task: &String| {
            let blocked = u64::from_str_radix(&status(task, "SigBlk"), 16).unwrap();
            [1, 2, 10, 13, 15, 17].iter().all(|signal| blocked & (1 << (signal - 1)) != 0)
        };
        ours.iter().all(blocks_all).then_some(())
    });
    drop(turn);
    agent.close(LONG).unwrap();
}

#[test]
fn folder_and_environment_of_the_process_stay_as_they_are() {
    let _alone = alone();
    let look = || (std::env::current_dir().unwrap(), std::env::vars_os().collect::<BTreeMap<_, _>>());
    let before = look();
    let stage = Stage::new();
    let agent = agent(&stage, &[shell("cd / && export LEAK=1"), says("ok")]);
    look::ended(&drain(&agent.prompt("\"hello\"").unwrap()), DoneReason::EndTurn);
    agent.close(LONG).unwrap();
    assert_eq!(look(), before);
}

#[test]
fn a_handle_from_before_a_fork_says_so_in_the_copy() {
    let _alone = alone();
    let stage = Stage::new();
    let agent = agent(&stage, &[step(&[said("half"), silence()])]);
    let turn = agent.prompt("\"hello\"").unwrap();
    wait_until("the stream", || matches!(turn.drain(1), embed::Drained::Events(_)).then_some(()));
    let (of_copy, turn_of_copy) = (agent.clone(), turn.clone());
    in_a_copy(std::panic::AssertUnwindSafe(move || {
        let agent = of_copy;
        assert_code(agent.prompt("\"hello\""), ErrorCode::Forked);
        assert_code(agent.answer("r", "{}"), ErrorCode::Forked);
        assert_code(agent.set_mode("plan"), ErrorCode::Forked);
        assert_code(embed::call(&agent, "health", ""), ErrorCode::Forked);
        assert_code(agent.close(LONG), ErrorCode::Forked);
        assert_code(turn_of_copy.wait(None), ErrorCode::Forked);
        assert_code(turn_of_copy.read(1, None), ErrorCode::Forked);
        assert!(!agent.interrupt());
        drop((agent, turn_of_copy));
    }));
    assert!(turn.result().is_none(), "the parent's turn goes on");
    turn.cancel();
    turn.wait(Some(LONG)).unwrap();
    agent.close(LONG).unwrap();
}

#[test]
fn a_copy_of_the_process_makes_agents_of_its_own() {
    let _alone = alone();
    let stage = Stage::new();
    let parent = agent(&stage, &[shell("true"), says("ok")]);
    look::ended(&drain(&parent.prompt("\"hello\"").unwrap()), DoneReason::EndTurn);
    in_a_copy(std::panic::AssertUnwindSafe(|| {
        Runtime::forget_after_fork();
        let stage = Stage::new();
        let agent = agent(&stage, &[shell("echo from the copy"), says("ok")]);
        let events = drain(&agent.prompt("\"hello\"").unwrap());
        look::ended(&events, DoneReason::EndTurn);
        assert!(look::result(&events).0.contains("from the copy"));
        agent.close(LONG).unwrap();
    }));
    parent.close(LONG).unwrap();
}

#[test]
fn the_end_of_a_copy_kills_no_command_of_the_parent() {
    let _alone = alone();
    let stage = Stage::new();
    let agent = agent(&stage, &[shell("echo $$ > pid; sleep 600")]);
    let turn = agent.prompt("\"hello\"").unwrap();
    let pid: i32 = wait_until("the command", || std::fs::read_to_string(stage.work("pid")).ok()?.trim().parse().ok());
    in_a_copy(std::panic::AssertUnwindSafe({
        let (agent, turn) = (agent.clone(), turn.clone());
        move || {
            Runtime::forget_after_fork();
            drop((agent, turn));
        }
    }));
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(lives(pid));
    turn.cancel();
    turn.wait(Some(LONG)).unwrap();
    agent.close(LONG).unwrap();
    assert!(!lives(pid));
}

#[test]
fn a_hundred_agents_share_two_threads() {
    let _alone = alone();
    let stage = Stage::new();
    let model = stage.model_of(&json!({ "steps": [says("ok")], "after": "loop" }));
    let host = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    host.block_on(async {
        let agents: Vec<Agent> = (0..100).map(|_| talker(&model).create().unwrap()).collect();
        for agent in &agents {
            play(agent, "hello").await;
        }
        // A thread that has not run yet still goes by the name of the one that made it.
        let workers = || support::process::threads().iter().filter(|name| name.starts_with("lodger")).count();
        wait_until("two workers", || (workers() == 2).then_some(()));
        for agent in agents {
            agent.close().await;
        }
    });
}
