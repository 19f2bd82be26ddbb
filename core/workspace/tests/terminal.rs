//! Commands that see a terminal.
#![cfg(all(feature = "local", target_os = "linux"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::time::Duration;

use lodger_workspace::{Command, CommandStatus, Running, Workspace};
use support::{Bench, LONG, Outcome, command, finish, lives, wait_for_death};

fn start(bench: &Bench, line: &str, timeout: Duration) -> Running {
    bench.workspace.run(Command { pty: true, ..command(line, timeout) }).unwrap()
}

fn run(bench: &Bench, line: &str) -> Outcome {
    finish(start(bench, line, LONG))
}

#[test]
fn both_outputs_are_one_terminal_and_nothing_is_changed_on_the_way() {
    let outcome = run(&Bench::new(), "[ -t 1 ] && [ -t 2 ] && echo out; printf 'a\\tb\\n' >&2; exit 7");
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("out\na\tb\n", ""));
    assert_eq!(outcome.end.status, CommandStatus::Exited(7));
}

#[test]
fn it_is_the_commands_own_controlling_terminal_and_has_a_size() {
    let outcome = run(&Bench::new(), "stty size </dev/tty; echo own >/dev/tty");
    assert_eq!(outcome.stdout, "40 120\nown\n");
}

#[test]
fn there_is_nothing_to_read_all_the_same() {
    let outcome = run(&Bench::new(), "[ ! -t 0 ] && cat; read -r line || echo end");
    assert_eq!(outcome.stdout, "end\n");
}

#[test]
fn without_a_kind_of_terminal_in_the_environment_there_is_one() {
    assert_eq!(run(&Bench::new(), "echo $TERM").stdout, "xterm-256color\n");
    assert_eq!(run(&Bench::with_env(&[("TERM", "vt100")]), "echo $TERM").stdout, "vt100\n");
}

#[test]
fn all_of_a_large_output_arrives_in_order() {
    let expected: String = (1..=100_000).map(|number| format!("{number}\n")).collect();
    assert!(run(&Bench::new(), "seq 1 100000").stdout == expected);
}

#[test]
fn what_still_holds_the_terminal_is_named_and_killed() {
    let bench = Bench::new();
    let outcome =
        run(&bench, "trap '' HUP; sleep 1000 & echo $! > pid; until [ $(cat /proc/$!/comm) = sleep ]; do :; done");
    assert_eq!(outcome.end.left_behind, ["sleep"]);
    wait_for_death(bench.pid_in("pid"));
}

#[test]
fn a_stopped_one_dies_with_its_children() {
    let bench = Bench::new();
    let running = start(&bench, "trap '' HUP TERM; sleep 1000 & echo $! > pid; wait", LONG);
    let pid = bench.pid_in("pid");
    running.stop.raise();
    assert_eq!(finish(running).end.status, CommandStatus::Cancelled);
    wait_for_death(pid);
}

#[test]
fn one_that_takes_too_long_is_ended() {
    let bench = Bench::new();
    let outcome = finish(start(&bench, "exec sleep 1000", Duration::from_millis(300)));
    assert_eq!(outcome.end.status, CommandStatus::TimedOut);
}

#[test]
fn one_that_is_stopped_while_it_starts_leaves_nothing() {
    let bench = Bench::new();
    for _ in 0..20 {
        let running = start(&bench, "echo $$; exec sleep 1000", LONG);
        running.stop.raise();
        let outcome = finish(running);
        assert_eq!(outcome.end.status, CommandStatus::Cancelled);
        outcome.stdout.lines().for_each(|pid| wait_for_death(pid.parse().unwrap()));
    }
    let mark = format!("LODGER_RUN={}/", bench.processes.run_id());
    let left: Vec<_> = support::processes_with(&mark, "environ").into_iter().filter(|pid| lives(*pid)).collect();
    assert_eq!(left, Vec::<i32>::new());
}
