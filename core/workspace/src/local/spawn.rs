//! The one place where a command becomes a process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::command::Job;
use super::os::{Terminal, held_input, open_terminal, set_nonblocking};
use super::sandbox::Confined;

/// What makes a line a command of bash, before the line itself.
const BASH: [&str; 4] = ["--noprofile", "--norc", "-c", "--"];
/// Run in a terminal: gives it up as standard input before the line runs.
const WITHOUT_INPUT: &str = r#"exec "$0" --noprofile --norc -c -- "$1" </dev/null"#;

/// A command that was started.
pub(super) struct Started {
    pub(super) child: Child,
    /// Our ends of its standard output and standard error, set not to block. A terminal is both, and stands first.
    pub(super) outputs: [Option<File>; 2],
}

/// Starts a command as the leader of a group of its own.
pub(super) fn spawn(job: &Job) -> io::Result<Started> {
    job.table.lifeline.ensure()?;
    let bash = program(&job.env, "bash").unwrap_or_else(|| "/bin/bash".into());
    let confined = job.sandbox.as_ref().map(|sandbox| sandbox.prepare(&job.cwd)).transpose()?;
    // What stands before the program, and the program.
    let mut words = confined.as_ref().map_or_else(Vec::new, |confined| confined.wrapper().to_vec());
    words.push(bash.clone().into());
    if job.command.pty { in_terminal(job, confined, &words, &bash) } else { with_pipes(job, confined, &words) }
}

fn with_pipes(job: &Job, confined: Option<Confined<'_>>, words: &[OsString]) -> io::Result<Started> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .args(BASH)
        .arg(&job.command.line)
        .stdin(standard_input(&job.command.input)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut child = start(job, confined, &mut command)?;
    let outputs = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
    Ok(Started { child, outputs: outputs.map(|output| output.map(not_blocking)) })
}

fn standard_input(input: &[u8]) -> io::Result<Stdio> {
    if input.is_empty() { Ok(Stdio::null()) } else { held_input(input).map(Stdio::from) }
}

/// Only the leader of a session can have a terminal, and std cannot make one without `pre_exec`: `setsid` of util-linux
/// does. It must not lead a group already, or it would fork, and the child would be another process than ours.
fn in_terminal(job: &Job, confined: Option<Confined<'_>>, words: &[OsString], bash: &Path) -> io::Result<Started> {
    let setsid = program(&job.env, "setsid").ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::Unsupported,
            "a terminal needs the program setsid of util-linux, and there is none",
        )
    })?;
    let Terminal { ours, theirs } = open_terminal()?;
    let mut command = Command::new(setsid);
    command
        .arg("--ctty")
        .args(words)
        .args(["--noprofile", "--norc", "-c", WITHOUT_INPUT])
        .arg(bash)
        .arg(&job.command.line)
        .stdin(Stdio::from(theirs.try_clone()?))
        .stdout(Stdio::from(theirs.try_clone()?))
        .stderr(Stdio::from(theirs));
    let child = start(job, confined, &mut command)?;
    Ok(Started { child, outputs: [Some(not_blocking(ours.into())), None] })
}

fn start(job: &Job, confined: Option<Confined<'_>>, command: &mut Command) -> io::Result<Child> {
    command.env_clear();
    if job.command.pty {
        command.env("TERM", "xterm-256color");
    }
    command
        .envs(job.env.iter())
        .env("LODGER_CALL", job.command.call_id.as_str())
        .env("LODGER_RUN", job.table.mark_value(&job.place))
        .current_dir(&job.cwd);
    if let Some(temporary) = confined.as_ref().and_then(|confined| confined.temporary()) {
        command.env("TMPDIR", temporary);
    }
    let mut start = || job.table.mask.spawning(|| command.spawn());
    match confined {
        Some(confined) => confined.start(start),
        None => start(),
    }
}

fn not_blocking(output: OwnedFd) -> File {
    set_nonblocking(output.as_fd()).ok();
    File::from(output)
}

/// A program by its absolute path: std starts a child by `posix_spawn` only if it need not search the child's
/// `PATH`, and a relative entry there must not lead into the agent's folder.
fn program(env: &BTreeMap<String, String>, name: &str) -> Option<PathBuf> {
    let fixed = ["/bin", "/usr/bin"].map(PathBuf::from);
    let path = env.get("PATH").map_or("", String::as_str);
    let listed = path.split(':').map(Path::new).filter(|folder| folder.is_absolute()).map(Path::to_owned);
    fixed.into_iter().chain(listed).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}

/// Why a command could not be started, in words for the model.
pub(super) fn why_not_started(error: &io::Error, job: &Job) -> String {
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong => {
            "the command line is too long for the system; write it to a script file and run that".to_owned()
        }
        io::ErrorKind::InvalidInput => {
            "the command line holds a NUL character, which no program can be given".to_owned()
        }
        _ if !job.cwd.is_dir() => format!("the working folder {} is not there any more", job.cwd.display()),
        io::ErrorKind::Unsupported => format!("there are no terminals here: {error}; run it without pty"),
        _ => format!("bash could not be started: {error}"),
    }
}
