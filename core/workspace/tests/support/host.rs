//! A host program of its own: this very test binary, started again in a fresh folder. The folder's file `role`
//! says what it is to do.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use lodger_workspace::{LocalWorkspace, ProcessTable};
use tempfile::TempDir;

use super::{pid_in, wait_until};

pub struct Host {
    folder: TempDir,
    child: Child,
}

/// What the test named `host` does: the role, in the folder that it finds itself in.
pub fn act(play: impl FnOnce(&str, &ProcessTable, &LocalWorkspace)) {
    let role = std::fs::read_to_string("role").unwrap();
    let processes = Arc::new(ProcessTable::new());
    let env = BTreeMap::from([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())]);
    let workspace = LocalWorkspace::open(Path::new("."), &[], env, Arc::clone(&processes)).unwrap();
    play(&role, &processes, &workspace);
}

impl Host {
    pub fn start(role: &str) -> Self {
        Self::start_by(Command::new(std::env::current_exe().unwrap()), role)
    }

    /// Started by another program.
    pub fn start_under(program: &str, args: &[&str], role: &str) -> Self {
        let mut command = Command::new(program);
        command.args(args).arg(std::env::current_exe().unwrap());
        Self::start_by(command, role)
    }

    fn start_by(mut command: Command, role: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("role"), role).unwrap();
        let child = command
            .args(["--exact", "host", "--ignored", "--nocapture"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { folder, child }
    }

    /// The number that it, or a command of it, wrote to a file.
    pub fn number(&self, name: &str) -> i32 {
        pid_in(&self.folder.path().join(name))
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    /// The text of a file that it writes, once a whole line is there.
    pub fn wait_for(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        wait_until(name, || std::fs::read_to_string(&path).ok().filter(|text| text.ends_with('\n')))
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
