//! The faces, and how each is made to play a job.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::case::Prepared;
use crate::rust;

/// A face of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The Rust API, in this process.
    Rust,
    /// The C ABI.
    C,
    /// The Node package.
    Node,
    /// The Python package.
    Python,
    /// The command line.
    StreamJson,
}

impl Face {
    /// Plays a job and returns what its reader got, in order.
    pub(crate) fn play(self, played: &Prepared) -> Vec<Value> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let command = match self {
            Self::Rust => return rust::play(&played.job),
            Self::C => Command::new(needed(&root.join("tests/c/build/trace"))),
            Self::Node => {
                needed(&root.join("bindings-node/lodger_node.node"));
                let mut command = Command::new("node");
                command.arg(root.join("bindings-node/test/trace.mjs"));
                command
            }
            Self::Python => {
                let mut command = Command::new(needed(&root.join(".venv/bin/python")));
                command.arg(root.join("bindings-python/tests/trace.py"));
                command
            }
            Self::StreamJson => return command_line(played),
        };
        drive(command, played)
    }
}

fn needed(path: &Path) -> PathBuf {
    assert!(path.exists(), "{} is missing; `make build` and `make -C tests/c` make the drivers", path.display());
    path.to_owned()
}

fn drive(mut command: Command, played: &Prepared) -> Vec<Value> {
    let out = played.out_file();
    let ended = command.arg(played.job_file()).arg(&out).stdin(Stdio::null()).output().expect("the driver starts");
    assert!(
        ended.status.success(),
        "the driver failed ({}):\n{}{}",
        ended.status,
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
    lines(&std::fs::read_to_string(out).expect("the driver wrote its trace"))
}

fn command_line(played: &Prepared) -> Vec<Value> {
    let options = &played.job.options;
    let text = |name: &str| options[name].as_str().unwrap_or_default().to_owned();
    let ended = Command::new(needed(&target_folder().join("lodger")))
        .args(["-p", played.job.prompt.as_str().expect("the command line takes a text")])
        .args(["--output-format", "stream-json", "--cwd", &text("cwd"), "--model", &text("model")])
        .args(options["mode"].as_str().map(|mode| ["--mode", mode]).into_iter().flatten())
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    lines(&String::from_utf8(ended.stdout).expect("stream-json is UTF-8"))
}

/// Where cargo put the binaries: beside the folder of this test's own.
fn target_folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    test.parent().and_then(Path::parent).expect("tests stand in target/PROFILE/deps").to_owned()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line:?}"))).collect()
}
