//! A folder with a script in it, and the command that plays it there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const LODGER: &str = env!("CARGO_BIN_EXE_lodger");

pub(crate) struct Place {
    pub(crate) folder: TempDir,
    model: String,
}

impl Place {
    /// A folder to work in, and a script with these steps outside of it.
    pub(crate) fn new(steps: &[Value]) -> Self {
        let folder = TempDir::new().unwrap();
        let script = folder.path().join("script.json");
        std::fs::write(&script, json!({ "steps": steps }).to_string()).unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let model = format!("scripted/{}", script.display());
        Self { folder, model }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn arguments(&self, more: &[&str]) -> Vec<String> {
        let work = self.work().display().to_string();
        let all = ["-p", "Go on.", "--model", &self.model, "--cwd", &work];
        all.iter().chain(more).map(|text| (*text).to_owned()).collect()
    }

    pub(crate) fn command(&self, more: &[&str]) -> Command {
        let mut command = lodger();
        command.args(self.arguments(more));
        command
    }

    pub(crate) fn run(&self, more: &[&str]) -> Output {
        self.command(more).output().unwrap()
    }
}

/// The command in an environment that says nothing, without a terminal.
pub(crate) fn lodger() -> Command {
    let mut command = Command::new(LODGER);
    command.env_clear().env("PATH", std::env!("PATH")).stdin(Stdio::null());
    command
}

pub(crate) fn says(text: &str) -> Value {
    json!({ "reply": [{ "type": "text", "text": text }] })
}

pub(crate) fn runs(command: &str) -> Value {
    json!({ "reply": [{ "type": "tool_call", "toolName": "run_shell", "input": { "command": command } }] })
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Every line, which must be an event.
pub(crate) fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line:?}: {error}"))).collect()
}

pub(crate) fn find<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    events.iter().find(|event| event["type"] == kind).unwrap_or_else(|| panic!("no {kind} in {events:#?}"))
}

/// Waits for a file that a command writes.
pub(crate) fn wait_for(path: &Path) -> String {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ if std::time::Instant::now() > until => panic!("{} never came", path.display()),
            _ => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    }
}
