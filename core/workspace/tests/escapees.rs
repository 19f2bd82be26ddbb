//! What leaves its process group, what is left behind, and what nothing may be left of.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::fs;

use lodger_protocol::ErrorCode;
use lodger_workspace::{CommandStatus, ProcessTable, Workspace};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use support::{Bench, LONG, assert_code, command, finish, lives, wait_for_death, wait_until, watchdogs};

#[test]
fn a_child_in_a_session_of_its_own_is_swept() {
    let bench = Bench::new();
    let outcome =
        bench.run("setsid bash -c 'echo $$ > pid; sleep 1000' >/dev/null 2>&1 & until [ -s pid ]; do :; done");
    assert_eq!(outcome.end.status, CommandStatus::Exited(0));
    assert!(!lives(bench.pid_in("pid")));
}

#[test]
fn a_child_in_a_session_of_its_own_is_swept_when_the_command_is_stopped() {
    let bench = Bench::new();
    let running = bench.start("setsid bash -c 'echo $$ > pid; sleep 1000' & sleep 1000");
    let pid = bench.pid_in("pid");
    running.stop.raise();
    assert_eq!(finish(running).end.status, CommandStatus::Cancelled);
    assert!(!lives(pid));
}

#[test]
fn an_escapee_that_holds_the_output_is_named() {
    let bench = Bench::new();
    let outcome = bench.run("setsid sleep 1000 & sleep 0.1; echo done");
    assert_eq!((outcome.stdout.as_str(), outcome.end.left_behind), ("done\n", vec!["sleep".to_owned()]));
}

#[test]
fn hasty_escapees_are_all_swept() {
    let bench = Bench::new();
    for round in 0..30 {
        let outcome = bench.run(&format!("for i in 1 2 3; do setsid sleep 9{round} >/dev/null 2>&1 & done"));
        assert_eq!(outcome.end.status, CommandStatus::Exited(0));
    }
    let mark = format!("LODGER_RUN={}/", bench.processes.run_id());
    let left: Vec<_> = support::processes_with(&mark, "environ").into_iter().filter(|pid| lives(*pid)).collect();
    assert_eq!(left, Vec::<i32>::new());
}

#[test]
fn the_watchdog_comes_with_the_first_command_and_stays_one() {
    let bench = Bench::new();
    assert!(watchdogs(&bench.processes).is_empty());
    bench.run("true");
    let first = watchdogs(&bench.processes);
    assert_eq!(first.len(), 1);
    bench.run("true");
    assert_eq!(watchdogs(&bench.processes), first);
}

#[test]
fn a_watchdog_that_died_is_replaced_by_the_next_command() {
    let bench = Bench::new();
    bench.run("true");
    let [dead] = watchdogs(&bench.processes)[..] else { panic!("there is one watchdog") };
    kill(Pid::from_raw(dead), Signal::SIGKILL).unwrap();
    wait_for_death(dead);
    assert_eq!(bench.run("echo on").stdout, "on\n");
    let next = watchdogs(&bench.processes);
    assert_eq!(next.len(), 1);
    assert_ne!(next, [dead]);
}

#[test]
fn a_table_without_commands_starts_nothing() {
    let before = children();
    let table = ProcessTable::new();
    assert_eq!(children(), before);
    table.shut_down();
    assert_eq!(table.running(), 0);
}

#[test]
fn a_forked_copy_lets_go_of_the_watchdog_and_runs_nothing() {
    let bench = Bench::new();
    // The lines of a real copy: here the original lets go, so that its watchdog takes it for dead.
    let running = bench.start("echo $$ > pid; exec sleep 1000");
    let pid = bench.pid_in("pid");
    bench.processes.forget_after_fork();
    assert_code(&bench.workspace.run(command("true", LONG)).unwrap_err(), ErrorCode::Forked);
    assert_eq!(finish(running).end.status, CommandStatus::Signalled(Signal::SIGKILL as i32));
    wait_for_death(pid);
}

#[test]
fn no_handler_for_ended_children_is_installed() {
    let caught = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t")).unwrap();
        u64::from_str_radix(mask, 16).unwrap() & (1 << (Signal::SIGCHLD as u32 - 1))
    };
    let bench = Bench::new();
    bench.run("true");
    finish(bench.start_with("sleep 1000", std::time::Duration::from_millis(50)));
    assert_eq!(caught(), 0);
}

#[test]
fn two_hundred_commands_leave_nothing_behind() {
    let bench = Bench::new();
    bench.run("true");
    wait_until("the first thread", || (command_threads() == 0).then_some(()));
    let before = (children(), descriptors());
    for round in 0..200 {
        assert_eq!(bench.run(&format!("echo {round}")).stdout, format!("{round}\n"));
    }
    wait_until("the last thread", || (command_threads() == 0).then_some(()));
    assert_eq!((children(), descriptors()), before);
}

#[test]
fn a_table_that_was_shut_down_leaves_nothing_behind() {
    let before = (children(), descriptors());
    {
        let bench = Bench::new();
        bench.run("setsid sleep 1000 >/dev/null 2>&1 &");
        let _running = bench.start("sleep 1000");
        bench.processes.shut_down();
    }
    wait_until("the last thread", || (command_threads() == 0).then_some(()));
    assert_eq!((children(), descriptors()), before);
}

/// Children of this process, zombies too.
fn children() -> Vec<String> {
    let mut all: Vec<String> = fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| fs::read_to_string(task.unwrap().path().join("children")).ok())
        .flat_map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    all.sort();
    all
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

fn command_threads() -> usize {
    fs::read_dir("/proc/self/task")
        .unwrap()
        .filter(|task| {
            fs::read_to_string(task.as_ref().unwrap().path().join("comm")).is_ok_and(|name| name == "lodger-cmd\n")
        })
        .count()
}
