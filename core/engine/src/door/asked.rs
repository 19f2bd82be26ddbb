//! What policy is asked about a call: what it would do, with every path looked up and its command line taken apart.
//!
//! The door and whoever only wants to know what the door would say look here, so that they cannot differ.

use lodger_policy::{Action, Analyser, CommandLine, Rule};
use lodger_protocol::{ResolvedAccess, Result, Target, ToolApproval};
use lodger_tools::{Access, ToolRun};
use lodger_workspace::{FileHandle, Tree, Workspace};
use serde_json::Value;

/// What policy is asked about a call.
pub(crate) struct Asked {
    pub(super) target: Target,
    pub(super) accesses: Vec<ResolvedAccess>,
    line: Option<CommandLine>,
    host_approval: Option<ToolApproval>,
}

impl Asked {
    pub(crate) fn new(target: Target, host_approval: Option<ToolApproval>, found: &Found) -> Self {
        let named = found.line.iter().flat_map(|line| &line.accesses);
        let accesses: Vec<_> = found.places.accesses().chain(named).cloned().collect();
        let line = found.line.as_ref().map(|line| line.line.clone());
        Self { target: resolved_target(target, &accesses), host_approval, accesses, line }
    }

    /// What "this call, always" means: the same input that leads to the same places.
    pub(super) fn name(&self, tool: &str, input: &Value) -> String {
        let mut name = format!("{tool} {input}");
        for access in &self.accesses {
            name.push('\0');
            name.push_str(&access.canonical.to_string_lossy());
        }
        name
    }

    pub(crate) fn action<'a>(&'a self, tool: &'a str, granted: bool, grants: &'a [Rule]) -> Action<'a> {
        Action {
            tool,
            target: &self.target,
            accesses: &self.accesses,
            line: self.line.as_ref(),
            host_approval: self.host_approval,
            granted,
            grants,
        }
    }
}

/// Where a call points to, as its tool says.
pub(crate) struct Pointed {
    accesses: Vec<Access>,
    tree: Option<String>,
    line: Option<String>,
}

impl Pointed {
    pub(crate) fn of(run: &dyn ToolRun) -> Self {
        Self { accesses: run.accesses(), tree: run.tree(), line: run.target().command }
    }

    /// There is nothing to look up.
    pub(crate) const fn is_nowhere(&self) -> bool {
        self.accesses.is_empty() && self.tree.is_none() && self.line.is_none()
    }
}

/// What was found where a call points to.
#[derive(Default)]
pub(crate) struct Found {
    pub(super) places: Places,
    line: Option<ResolvedLine>,
}

/// The declared files and the declared folder, as they really are.
#[derive(Default)]
pub(super) struct Places {
    /// In the order in which they were declared.
    pub(super) files: Vec<Box<dyn FileHandle>>,
    pub(super) tree: Option<Box<dyn Tree>>,
}

impl Places {
    fn accesses(&self) -> impl Iterator<Item = &ResolvedAccess> {
        self.files.iter().map(|file| file.access()).chain(self.tree.iter().map(|tree| tree.access()))
    }
}

/// A command line, and the files that it names as they really are.
struct ResolvedLine {
    line: CommandLine,
    accesses: Vec<ResolvedAccess>,
}

/// Finds out what the declared paths really are, and takes the command line apart. Blocking; changes nothing.
pub(crate) fn look_up(pointed: &Pointed, workspace: &dyn Workspace, analyser: &Analyser) -> Result<Found> {
    let files = pointed.accesses.iter().map(|access| workspace.resolve(&access.path, access.intent));
    let files = files.collect::<Result<_>>()?;
    let tree = pointed.tree.as_ref().map(|path| workspace.resolve_tree(path)).transpose()?;
    let line = pointed.line.as_ref().map(|line| resolve_line(CommandLine::new(analyser.analyse(line)), workspace));
    Ok(Found { places: Places { files, tree }, line })
}

/// A file of a line that cannot be looked up makes the line unclear: nobody knows what it would touch.
fn resolve_line(mut line: CommandLine, workspace: &dyn Workspace) -> ResolvedLine {
    let mut accesses = Vec::new();
    let files = line.files().unwrap_or_else(|why| {
        line.make_unclear(why);
        Vec::new()
    });
    for file in files {
        match workspace.resolve(&file.path, file.intent) {
            Ok(handle) => accesses.push(handle.access().clone()),
            Err(error) => line.make_unclear(error.message),
        }
    }
    ResolvedLine { line, accesses }
}

/// The target with its paths as they really are.
fn resolved_target(mut target: Target, accesses: &[ResolvedAccess]) -> Target {
    if target.paths.is_some() {
        target.paths = Some(accesses.iter().map(|access| access.canonical.display().to_string()).collect());
    }
    target
}
