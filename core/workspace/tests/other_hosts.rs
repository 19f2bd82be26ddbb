//! Hosts that handle child processes in ways of their own.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::time::Duration;

use lodger_workspace::{CommandStatus, LocalWorkspace, Workspace};
use support::host::Host;
use support::{LONG, command, finish, wait_for_death};

/// Not a test of its own: the host that the tests below start in a folder of its own.
#[test]
#[ignore = "started by the other tests of this file"]
fn host() {
    support::host::act(|role, _, workspace| {
        if role == "reaping" {
            std::thread::spawn(|| {
                loop {
                    if nix::sys::wait::wait().is_err() {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
            });
        }
        if role == "waiting" {
            std::thread::spawn(|| {
                while nix::sys::signal::kill(nix::unistd::Pid::this(), nix::sys::signal::Signal::SIGTERM).is_ok() {}
            });
        }
        std::fs::write("statuses", format!("{:?}\n", statuses(workspace))).unwrap();
    });
}

fn statuses(workspace: &LocalWorkspace) -> Vec<CommandStatus> {
    let run = |line: &str, timeout| {
        let outcome = finish(workspace.run(command(line, timeout)).unwrap());
        assert_eq!(outcome.stdout, "said\n");
        outcome.end.status
    };
    let mut all: Vec<_> = (0..20).map(|_| run("sleep 1000 & echo $! > child; echo said; exit 5", LONG)).collect();
    all.push(run("echo said; sleep 1000 & sleep 1000", Duration::from_millis(200)));
    all
}

#[test]
fn a_host_that_ignores_ended_children_is_told_unknown_and_never_success() {
    let host = Host::start_under("env", &["--ignore-signal=CHLD"], "plain");
    let statuses = host.wait_for("statuses");
    let expected = format!("{:?}\n", [&[CommandStatus::Unknown; 20][..], &[CommandStatus::TimedOut]].concat());
    assert_eq!(statuses, expected);
    wait_for_death(host.number("child"));
}

#[test]
fn a_host_that_reaps_every_child_loses_statuses_at_most() {
    let host = Host::start("reaping");
    let statuses = host.wait_for("statuses");
    let known = ["Exited(5)", "Unknown", "TimedOut"];
    let told: Vec<_> = statuses.trim().trim_matches(['[', ']']).split(", ").collect();
    assert_eq!(told.len(), 21);
    assert!(told.iter().all(|status| known.contains(status)), "{statuses}");
    assert_eq!(told.last(), Some(&"TimedOut"));
    wait_for_death(host.number("child"));
}

#[test]
fn a_host_that_blocks_a_signal_to_wait_for_it_is_not_killed_by_it_while_a_command_starts() {
    let host = Host::start_under("env", &["--block-signal=TERM"], "waiting");
    let statuses = host.wait_for("statuses");
    assert_eq!(statuses.matches("Exited(5)").count(), 20, "{statuses}");
    wait_for_death(host.number("child"));
}
