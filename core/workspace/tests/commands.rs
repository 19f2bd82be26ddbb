//! Commands that run, end, are stopped, or are not read.
#![cfg(all(feature = "local", unix))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use lodger_protocol::ErrorCode;
use lodger_workspace::{CommandEnd, CommandStatus, Workspace};
use nix::sys::signal::Signal;
use support::{Bench, LONG, assert_code, command, finish, lives, open, wait_for_death, wait_until};

/// Longer than a machine with much to do needs to start a shell.
const TIMEOUT: Duration = Duration::from_secs(3);

fn ended(status: CommandStatus) -> CommandEnd {
    CommandEnd { status, left_behind: Vec::new(), note: None }
}

#[test]
fn both_outputs_and_the_exit_code_come_back() {
    let outcome = Bench::new().run("echo out; echo err >&2; exit 7");
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("out\n", "err\n"));
    assert_eq!(outcome.end, ended(CommandStatus::Exited(7)));
}

#[test]
fn a_signal_is_no_exit_code() {
    let outcome = Bench::new().run("kill -SEGV $$");
    assert_eq!(outcome.end.status, CommandStatus::Signalled(Signal::SIGSEGV as i32));
}

#[test]
fn the_line_is_bash_whatever_it_begins_with() {
    let bench = Bench::new();
    assert_eq!(bench.run("shopt -q login_shell || [[ $- != *i* ]] && echo plain").stdout, "plain\n");
    assert_eq!(bench.run("--help").end.status, CommandStatus::Exited(127));
}

#[test]
fn it_runs_in_the_working_folder_with_nothing_to_read() {
    let bench = Bench::new();
    let outcome = bench.run("pwd; cat");
    assert_eq!(outcome.stdout.trim_end(), bench.workspace.cwd().to_str().unwrap());
}

#[test]
fn the_environment_is_exactly_the_given_one() {
    let bench = Bench::with_env(&[("PATH", "/usr/bin:/bin"), ("GREETING", "hello there")]);
    let outcome = bench.run("tr '\\0' '\\n' < /proc/$$/environ");
    let mut lines: Vec<_> = outcome.stdout.lines().collect();
    lines.sort_unstable();
    let [greeting, call, run, path] = lines[..] else { panic!("{lines:?}") };
    assert_eq!((greeting, call, path), ("GREETING=hello there", "LODGER_CALL=call_1", "PATH=/usr/bin:/bin"));
    assert!(run.starts_with(&format!("LODGER_RUN={}/", bench.processes.run_id())), "{run}");
}

#[test]
fn no_signal_is_blocked_in_a_command() {
    let outcome = Bench::new().run("grep ^SigBlk /proc/self/status");
    assert_eq!(outcome.stdout, "SigBlk:\t0000000000000000\n");
}

#[test]
fn the_hosts_signals_do_not_land_on_the_thread_of_a_command() {
    let bench = Bench::new();
    let _running = bench.start("sleep 1000");
    let hosts = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGCHLD, Signal::SIGPIPE, Signal::SIGUSR1];
    // For the moment of the start the mask is another one.
    wait_until("the thread to block the host's signals and no fault of its own", || {
        let mask = mask_of_command_thread()?;
        let blocks = |signal: &Signal| mask & (1 << (*signal as u32 - 1)) != 0;
        (hosts.iter().all(blocks) && !blocks(&Signal::SIGSEGV)).then_some(())
    });
}

fn mask_of_command_thread() -> Option<u64> {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let status = tasks
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("status")).ok())
        .find(|status| status.starts_with("Name:\tlodger-cmd\n"))?;
    u64::from_str_radix(status.lines().find_map(|line| line.strip_prefix("SigBlk:\t"))?, 16).ok()
}

#[test]
fn all_of_a_large_output_arrives_in_order() {
    let outcome = Bench::new().run("seq 1 200000");
    let expected: String = (1..=200_000).map(|number| format!("{number}\n")).collect();
    assert!(outcome.stdout == expected);
    assert_eq!(outcome.end.status, CommandStatus::Exited(0));
}

#[test]
fn output_that_is_taken_late_is_complete_all_the_same() {
    let bench = Bench::new();
    let running = bench.start("seq 1 300000");
    std::thread::sleep(Duration::from_millis(400));
    assert!(finish(running).stdout.ends_with("\n300000\n"));
}

#[test]
fn a_command_whose_output_nobody_takes_waits() {
    let bench = Bench::new();
    let running = bench.start("yes | head -c 100000000; echo done > finished");
    std::thread::sleep(Duration::from_millis(500));
    assert!(!bench.path("finished").exists());
    assert_eq!(finish(running).stdout.len(), 100_000_000);
    assert!(bench.path("finished").exists());
}

#[test]
fn a_command_whose_output_nobody_takes_can_be_stopped() {
    let bench = Bench::new();
    let running = bench.start("echo $$ > pid; exec yes");
    let pid = bench.pid_in("pid");
    wait_until("a full queue", || (running.output.len() == 16).then_some(()));
    running.stop.raise();
    assert_eq!(running.end.blocking_recv().unwrap(), ended(CommandStatus::Cancelled));
    assert!(!lives(pid));
}

#[test]
fn a_command_whose_output_nobody_takes_still_times_out() {
    let bench = Bench::new();
    let running = bench.start_with("exec yes", TIMEOUT);
    wait_until("its end", || (bench.processes.running() == 1 && running.output.len() == 16).then_some(()));
    std::thread::sleep(2 * TIMEOUT);
    assert_eq!(finish(running).end.status, CommandStatus::TimedOut);
}

#[test]
fn a_timeout_ends_the_whole_group() {
    let bench = Bench::new();
    let line = "sleep 1000 & echo $! > child; echo started; sleep 1000";
    let outcome = finish(bench.start_with(line, TIMEOUT));
    assert_eq!(outcome.end.status, CommandStatus::TimedOut);
    assert_eq!(outcome.stdout, "started\n");
    assert!(!lives(bench.pid_in("child")));
}

#[test]
fn a_timeout_lets_the_command_clean_up_first() {
    let bench = Bench::new();
    let line = "trap 'echo cleaned; exit 3' TERM; while :; do sleep 0.05; done";
    let outcome = finish(bench.start_with(line, TIMEOUT));
    assert_eq!((outcome.stdout.as_str(), outcome.end.status), ("cleaned\n", CommandStatus::TimedOut));
}

#[test]
fn a_command_that_ignores_the_timeout_is_killed() {
    let bench = Bench::new();
    let line = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done";
    let outcome = finish(bench.start_with(line, TIMEOUT));
    assert_eq!(outcome.end.status, CommandStatus::TimedOut);
    assert!(!lives(bench.pid_in("pid")));
}

#[test]
fn a_timeout_without_end_is_none() {
    let outcome = finish(Bench::new().start_with("echo a", Duration::MAX));
    assert_eq!(outcome.end.status, CommandStatus::Exited(0));
}

#[test]
fn stopping_kills_at_once_with_all_descendants() {
    let bench = Bench::new();
    let line = "trap 'echo asked' TERM; (bash -c 'sleep 1000 & echo $! > grandchild; wait') & echo $! > child; wait";
    let running = bench.start(line);
    let pids = [bench.pid_in("child"), bench.pid_in("grandchild")];
    running.stop.raise();
    let outcome = finish(running);
    assert_eq!(outcome.end, ended(CommandStatus::Cancelled));
    assert_eq!(outcome.stdout, "", "it is not asked to end, as a timeout does first");
    pids.into_iter().for_each(wait_for_death);
}

#[test]
fn dropping_a_running_command_kills_it() {
    let bench = Bench::new();
    let running = bench.start("echo $$ > pid; sleep 1000");
    let pid = bench.pid_in("pid");
    drop(running);
    wait_for_death(pid);
    wait_until("its place", || (bench.processes.running() == 0).then_some(()));
}

#[test]
fn a_flag_raised_before_the_start_starts_nothing() {
    let bench = Bench::new();
    for _ in 0..20 {
        let running = bench.start("touch ran; sleep 1000");
        running.stop.raise();
        assert_eq!(finish(running).end.status, CommandStatus::Cancelled);
    }
}

#[test]
fn what_holds_the_output_after_the_end_is_named_and_killed() {
    let bench = Bench::new();
    let outcome = bench.run("sleep 1000 & echo $! > pid; echo done");
    assert_eq!(outcome.stdout, "done\n");
    assert_eq!(outcome.end.status, CommandStatus::Exited(0));
    assert_eq!(outcome.end.left_behind, ["sleep"]);
    assert!(!lives(bench.pid_in("pid")));
}

#[test]
fn what_a_background_child_still_says_within_a_moment_is_heard() {
    let outcome = Bench::new().run("(sleep 0.02; echo late) & echo early");
    assert_eq!((outcome.stdout.as_str(), outcome.end), ("early\nlate\n", ended(CommandStatus::Exited(0))));
}

#[test]
fn a_background_child_that_talks_without_end_is_killed() {
    let outcome = Bench::new().run("yes & exit 4");
    assert_eq!((outcome.end.status, outcome.end.left_behind), (CommandStatus::Exited(4), vec!["yes".to_owned()]));
}

#[test]
fn a_background_child_without_the_output_is_killed_too() {
    let bench = Bench::new();
    // Without the mark in its environment: only its group tells that it belongs here.
    let outcome = bench.run("env -i sleep 1000 >/dev/null 2>&1 & echo $! > pid");
    assert_eq!(outcome.end, ended(CommandStatus::Exited(0)));
    wait_for_death(bench.pid_in("pid"));
}

#[test]
fn a_missing_working_folder_is_told() {
    let bench = Bench::new();
    fs::remove_dir(bench.path("")).unwrap();
    let end = bench.run("echo a").end;
    assert_eq!(end.status, CommandStatus::NotStarted);
    assert!(end.note.unwrap().contains("is not there any more"));
}

#[test]
fn a_line_that_no_program_can_be_given_is_told() {
    let bench = Bench::new();
    for (line, why) in [("echo \0".to_owned(), "NUL"), ("#".repeat(3 << 20), "too long")] {
        let end = bench.run(&line).end;
        assert_eq!(end.status, CommandStatus::NotStarted);
        assert!(end.note.as_ref().unwrap().contains(why), "{:?}", end.note);
    }
}

#[test]
fn more_than_64_commands_at_once_are_refused() {
    let bench = Bench::new();
    let running: Vec<_> = (0..64).map(|_| bench.start("sleep 1000")).collect();
    let error = bench.workspace.run(command("true", LONG)).unwrap_err();
    assert_code(&error, ErrorCode::InvalidInput);
    assert!(error.retryable && error.message.contains("64 commands"), "{error}");
    drop(running);
    wait_until("free places", || (bench.processes.running() == 0).then_some(()));
    assert_eq!(bench.run("echo again").stdout, "again\n");
}

#[test]
fn shutting_a_workspace_down_ends_its_commands_and_no_others() {
    let bench = Bench::new();
    let other = open(&bench.path(""), &[("PATH", "/usr/bin:/bin")], &bench.processes);
    let mine = bench.start("echo $$ > mine; sleep 1000");
    // The same call id in another workspace is another command.
    let others = other.run(command("echo $$ > others; sleep 1000", LONG)).unwrap();
    let (mine_pid, others_pid) = (bench.pid_in("mine"), bench.pid_in("others"));
    bench.workspace.shut_down();
    assert!(!lives(mine_pid));
    assert_eq!(finish(mine).end.status, CommandStatus::Cancelled);
    assert!(lives(others_pid));
    assert_code(&bench.workspace.run(command("true", LONG)).unwrap_err(), ErrorCode::Closed);
    others.stop.raise();
    assert_eq!(finish(others).end.status, CommandStatus::Cancelled);
}

#[test]
fn shutting_the_table_down_ends_all_commands_of_all_workspaces() {
    let bench = Bench::new();
    let other = open(&bench.path(""), &[("PATH", "/usr/bin:/bin")], &bench.processes);
    let _running = [
        bench.start("echo $$ > one; exec sleep 1000"),
        other.run(command("echo $$ > two; exec sleep 1000", LONG)).unwrap(),
    ];
    let pids = [bench.pid_in("one"), bench.pid_in("two")];
    bench.processes.shut_down();
    assert!(pids.into_iter().all(|pid| !lives(pid)));
    assert!(support::watchdogs(&bench.processes).is_empty());
    assert_code(&other.run(command("true", LONG)).unwrap_err(), ErrorCode::Closed);
}

#[test]
fn dropping_the_table_ends_all_commands() {
    let bench = Bench::new();
    let running = bench.start("echo $$ > pid; sleep 1000");
    let pid = bench.pid_in("pid");
    let Bench { processes, workspace, folder } = bench;
    drop((workspace, processes));
    assert!(!lives(pid));
    assert_eq!(finish(running).end.status, CommandStatus::Cancelled);
    drop(folder);
}

#[test]
fn two_tables_in_one_process_do_not_touch_each_other() {
    let (one, other) = (Bench::new(), Bench::new());
    let running = other.start("echo $$ > pid; sleep 1000");
    let pid = other.pid_in("pid");
    one.run("true");
    one.processes.shut_down();
    assert!(lives(pid));
    drop(running);
    assert!(Arc::strong_count(&one.processes) > 0);
}
