//! A workspace whose commands are confined, by each of the means that this system has.
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::sync::Arc;

use lodger_protocol::{ErrorCode, SandboxKind, SandboxRights};
use lodger_workspace::{LocalWorkspace, ProcessTable};

use super::{Bench, open};

pub const PATH: &[(&str, &str)] = &[("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/nowhere")];

/// Runs `test` for each kind of sandbox that there is here.
pub fn in_each(test: impl Fn(SandboxKind)) {
    for kind in [SandboxKind::Landlock, SandboxKind::Bubblewrap] {
        if is_there(kind) {
            println!("in {kind:?}");
            test(kind);
        }
    }
}

/// Whether there is this kind here; says so if not.
pub fn is_there(kind: SandboxKind) -> bool {
    let folder = tempfile::tempdir().unwrap();
    match boxed_in(&folder, &of(kind), &[]) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code, ErrorCode::Unsupported, "{error}");
            println!("SKIPPED {kind:?}: {error}");
            false
        }
    }
}

pub fn of(kind: SandboxKind) -> SandboxRights {
    SandboxRights { kind, ..SandboxRights::default() }
}

fn boxed_in(
    folder: &tempfile::TempDir,
    rights: &SandboxRights,
    unreadable: &[std::path::PathBuf],
) -> lodger_protocol::Result<LocalWorkspace> {
    open(folder.path(), PATH, &Arc::new(ProcessTable::new())).sandboxed(rights, unreadable.to_vec())
}

impl Bench {
    /// A workspace in a fresh folder `work`, with `outside` beside it, both under the same process table.
    pub fn boxed(rights: &SandboxRights) -> Self {
        Self::boxed_without(rights, |_| Vec::new())
    }

    /// The same; `unreadable` names what commands may not read.
    pub fn boxed_without(rights: &SandboxRights, unreadable: impl Fn(&Self) -> Vec<std::path::PathBuf>) -> Self {
        let mut bench = Self::with_env(PATH);
        let unreadable = unreadable(&bench);
        let workspace = open(&bench.path(""), PATH, &bench.processes);
        bench.workspace = workspace.sandboxed(rights, unreadable).unwrap();
        bench
    }

    /// Runs a line that must succeed, and returns what it printed.
    pub fn says(&self, line: &str) -> String {
        let outcome = self.run(line);
        assert!(outcome.succeeded(), "{line}: {outcome:?}");
        outcome.stdout
    }

    /// Runs a line that must fail, and returns what it complained about.
    pub fn fails(&self, line: &str) -> String {
        let outcome = self.run(line);
        assert!(!outcome.succeeded(), "{line}: {outcome:?}");
        outcome.stderr
    }

    /// Runs a program in Python that must succeed, and returns what it printed.
    pub fn python(&self, program: &str) -> String {
        self.put("program.py", program);
        self.says("python3 program.py")
    }
}
