//! A host that dies takes its children along, whatever they did meanwhile.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::collections::VecDeque;
use std::time::Duration;

use lodger_workspace::{ProcessTable, Workspace};
use support::host::Host;
use support::{LONG, command, lives, processes_with, wait_for_death, wait_until};

/// Not a test of its own: the host that the tests below start in a folder of its own, and kill.
#[test]
#[ignore = "started by the other tests of this file"]
fn host() {
    support::host::act(|role, processes, workspace| {
        publish_run_id(processes);
        let run = |line: &str| workspace.run(command(line, LONG)).unwrap();
        match role {
            "idle" => {
                let _running = [
                    run("echo $$ > leader; sleep 1000 & echo $! > child; env -i sleep 1000 & echo $! > bare; wait"),
                    run("setsid bash -c 'echo $$ > escapee; sleep 1000' & wait"),
                ];
                std::thread::sleep(LONG);
            }
            "busy" => {
                let mut running = VecDeque::new();
                loop {
                    running.push_back(run("sleep 1000 & setsid sleep 1000 & sleep 1000"));
                    if running.len() > 8 {
                        running.pop_front();
                    }
                    std::fs::write("started", "1\n").unwrap();
                    std::thread::sleep(Duration::from_millis(3));
                }
            }
            other => panic!("unknown role {other}"),
        }
    });
}

fn publish_run_id(processes: &ProcessTable) {
    std::fs::write("run", processes.run_id()).unwrap();
}

#[test]
fn a_host_killed_with_9_takes_groups_and_escapees_along() {
    let mut host = Host::start("idle");
    // Without the mark in its environment, but in the group.
    let pids = ["leader", "child", "bare", "escapee"].map(|name| host.number(name));
    assert!(pids.into_iter().all(lives));
    host.kill();
    pids.into_iter().for_each(wait_for_death);
    assert_all_gone(&host.text("run"));
}

#[test]
fn a_host_killed_while_it_starts_commands_leaves_none() {
    for _ in 0..5 {
        let mut host = Host::start("busy");
        host.number("started");
        std::thread::sleep(Duration::from_millis(40));
        host.kill();
        assert_all_gone(&host.text("run"));
    }
}

fn assert_all_gone(run_id: &str) {
    let alive = |file| processes_with(run_id, file).into_iter().any(lives);
    wait_until("the end of the watchdog", || (!alive("cmdline")).then_some(()));
    assert!(!alive("environ"));
}
