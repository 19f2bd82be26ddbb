//! The faces, and how each is made to play a job.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::case::Prepared;
use crate::{Trace, rust};

/// A face of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The Rust API, in this process.
    Rust,
    /// The C ABI.
    C,
    /// The Node package.
    Node,
    /// The same in Bun.
    Bun,
    /// The same in Deno.
    Deno,
    /// The Python package on an event loop.
    Python,
    /// The Python package without one.
    PythonSync,
    /// The command line.
    StreamJson,
}

impl Face {
    /// Plays a job and returns what came of it; `None` when this machine has no such face.
    pub(crate) fn play(self, played: &Prepared) -> Option<Trace> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let command = match self {
            Self::Rust => return Some(rust::play(&played.job)),
            Self::C => Command::new(needed(&c_host(&root))),
            Self::Node => with_package(Command::new("node"), &root),
            Self::Bun | Self::Deno => match self.runtime(&root) {
                Some(command) => with_package(command, &root),
                None => return None,
            },
            Self::Python | Self::PythonSync => {
                let mut command = Command::new(needed(&root.join(".venv/bin/python")));
                command.arg(root.join("bindings-python/tests/trace.py"));
                command.args((self == Self::PythonSync).then_some("--sync"));
                command
            }
            Self::StreamJson => return Some(command_line(played)),
        };
        Some(drive(command, played))
    }

    /// A runtime that npm brings; `None` where it cannot be installed.
    fn runtime(self, root: &Path) -> Option<Command> {
        let (name, words): (_, &[&str]) = match self {
            Self::Bun => ("bun", &["run"]),
            _ => ("deno", &["run", "--allow-all", "--no-lock", "--quiet"]),
        };
        let program = root.join("bindings-node/test/runtimes/node_modules/.bin").join(name);
        if !program.exists() {
            eprintln!("SKIPPED: {name} is not installed; `make runtimes` installs it where npm can reach it");
            return None;
        }
        let mut command = Command::new(program);
        command.args(words);
        Some(command)
    }
}

/// The driver of the Node package, in a runtime.
fn with_package(mut command: Command, root: &Path) -> Command {
    needed(&root.join("bindings-node/lodger_node.node"));
    command.arg(root.join("bindings-node/test/trace.mjs"));
    command
}

/// The C host; `LODGER_C_TRACE` names another build of it, such as one with sanitizers.
#[expect(clippy::disallowed_methods, reason = "a test may be told by its environment what to test")]
fn c_host(root: &Path) -> PathBuf {
    std::env::var_os("LODGER_C_TRACE").map_or_else(|| root.join("tests/c/build/trace"), PathBuf::from)
}

fn needed(path: &Path) -> PathBuf {
    assert!(path.exists(), "{} is missing; `make build` and `make -C tests/c` make the drivers", path.display());
    path.to_owned()
}

fn drive(mut command: Command, played: &Prepared) -> Trace {
    let out = played.out_file();
    let ended = command.arg(played.job_file()).arg(&out).stdin(Stdio::null()).output().expect("the driver starts");
    assert!(
        ended.status.success(),
        "the driver failed ({}):\n{}{}",
        ended.status,
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
    let lines = lines(&std::fs::read_to_string(out).expect("the driver wrote its trace"));
    let (results, events) = lines.into_iter().partition(|line| line["type"] == "result");
    Trace { events, results }
}

fn command_line(played: &Prepared) -> Trace {
    let options = &played.job.options;
    let text = |name: &str| options[name].as_str().unwrap_or_default().to_owned();
    let fallbacks = options["fallbackModels"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let ended = Command::new(needed(&target_folder().join("lodger")))
        .args(["-p", played.job.plays.turns[0].prompt.as_str().expect("the command line takes a text")])
        .args(["--output-format", "stream-json", "--cwd", &text("cwd"), "--model", &text("model")])
        .args(options["mode"].as_str().map(|mode| ["--mode", mode]).into_iter().flatten())
        .args(fallbacks.flat_map(|model| ["--fallback-model", model]))
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    let events = lines(&String::from_utf8(ended.stdout).expect("stream-json is UTF-8"));
    Trace { events, results: Vec::new() }
}

/// Where cargo put the binaries: beside the folder of this test's own.
fn target_folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    test.parent().and_then(Path::parent).expect("tests stand in target/PROFILE/deps").to_owned()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line:?}"))).collect()
}
