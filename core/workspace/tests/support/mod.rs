//! What the tests of this crate share: a real folder, a real workspace, and looks at real processes.
#![allow(dead_code, unreachable_pub)]

#[cfg(all(feature = "sandbox", target_os = "linux"))]
pub mod boxed;
pub mod host;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lodger_protocol::{Error, ErrorCode, Intent, ToolCallId};
use lodger_workspace::{
    Command, CommandEnd, CommandStatus, FileHandle, LocalWorkspace, OutputStream, ProcessTable, Running, StopFlag,
    Workspace, WriteReport,
};
use tempfile::TempDir;

/// No wait in a test takes longer than this; it is no measure of speed.
pub const LONG: Duration = Duration::from_secs(60);

pub struct Bench {
    pub folder: TempDir,
    pub processes: Arc<ProcessTable>,
    pub workspace: LocalWorkspace,
}

impl Bench {
    /// A workspace in a fresh folder `work`, with `outside` beside it.
    pub fn new() -> Self {
        Self::with_env(&[("PATH", "/usr/local/bin:/usr/bin:/bin")])
    }

    pub fn with_env(env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        let processes = Arc::new(ProcessTable::new());
        let workspace = open(&folder.path().join("work"), env, &processes);
        Self { folder, processes, workspace }
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.workspace.cwd().join(below)
    }

    pub fn outside(&self, below: &str) -> PathBuf {
        self.workspace.cwd().parent().unwrap().join("outside").join(below)
    }

    pub fn put(&self, below: &str, content: &str) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn resolve(&self, path: &str, intent: Intent) -> Box<dyn FileHandle> {
        self.workspace.resolve(path, intent).unwrap()
    }

    pub fn refused(&self, path: &str, intent: Intent) -> Error {
        self.workspace.resolve(path, intent).err().expect("it was resolved")
    }

    pub fn write(&self, path: &str, content: &str) -> WriteReport {
        self.resolve(path, Intent::Write).write(content.as_bytes(), &StopFlag::default()).unwrap()
    }

    pub fn start(&self, line: &str) -> Running {
        self.start_with(line, LONG)
    }

    pub fn start_with(&self, line: &str, timeout: Duration) -> Running {
        self.workspace.run(command(line, timeout)).unwrap()
    }

    pub fn run(&self, line: &str) -> Outcome {
        finish(self.start(line))
    }

    /// Names of all entries below the working folder's `below`.
    pub fn names(&self, below: &str) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path(below))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The number that a command wrote to a file, once it is there.
    pub fn pid_in(&self, below: &str) -> i32 {
        pid_in(&self.path(below))
    }
}

pub fn open(cwd: &Path, env: &[(&str, &str)], processes: &Arc<ProcessTable>) -> LocalWorkspace {
    let env: BTreeMap<_, _> = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    LocalWorkspace::open(cwd, &[], env, Arc::clone(processes)).unwrap()
}

pub fn command(line: &str, timeout: Duration) -> Command {
    Command {
        line: line.to_owned(),
        call_id: ToolCallId::from("call_1"),
        timeout: Some(timeout),
        pty: false,
        input: Vec::new(),
        unsandboxed: false,
    }
}

#[derive(Debug)]
pub struct Outcome {
    pub end: CommandEnd,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    pub fn succeeded(&self) -> bool {
        self.end.status == CommandStatus::Exited(0)
    }
}

/// Takes all output, then the end.
pub fn finish(mut running: Running) -> Outcome {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    while let Some(chunk) = running.output.blocking_recv() {
        assert!(chunk.bytes.len() <= 64 * 1024);
        match chunk.stream {
            OutputStream::Stdout => stdout.extend(chunk.bytes),
            OutputStream::Stderr => stderr.extend(chunk.bytes),
        }
    }
    let end = running.end.blocking_recv().expect("every command has an end");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { end, stdout: text(stdout), stderr: text(stderr) }
}

pub fn pid_in(path: &Path) -> i32 {
    wait_until(&format!("a number in {}", path.display()), || {
        fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'))?.trim().parse().ok()
    })
}

/// Whether a process runs; a zombie does not.
pub fn lives(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.trim_start().starts_with(['Z', 'X']))
}

pub fn wait_for_death(pid: i32) {
    wait_until(&format!("the death of {pid}"), || (!lives(pid)).then_some(()));
}

pub fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < LONG, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes whose environment or arguments hold `text`.
pub fn processes_with(text: &str, file: &str) -> Vec<i32> {
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid| {
        fs::read(format!("/proc/{pid}/{file}"))
            .is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    })
    .collect()
}

pub fn watchdogs(processes: &ProcessTable) -> Vec<i32> {
    processes_with(processes.run_id(), "cmdline").into_iter().filter(|pid| lives(*pid)).collect()
}

pub fn assert_code(error: &Error, code: ErrorCode) {
    assert_eq!(error.code, code, "{error}");
}
