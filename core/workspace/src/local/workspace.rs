//! Files and commands of one agent on this machine.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cap_std::fs::Dir;
use lodger_protocol::{Error, Intent, ResolvedAccess, Result, SandboxRights, SandboxState};

use super::command::{self, Job};
use super::file::{Folder, LocalFile};
use super::os::{open_folder, open_folder_below};
use super::output_folder::OutputFolder;
use super::place::{
    canonical_place, check, check_file, explain, folder, is_protected, nearest_existing, path_changed, split,
};
use super::processes::ProcessTable;
use super::registry::Registry;
use super::sandbox::{Ground, Sandbox};
use super::shared::SharedFiles;
use super::tree::{LocalTree, id_below, is_folder};
use crate::{Command, FileHandle, OutputFile, Running, StopFlag, Tree, Workspace};

/// How long the end of killed commands is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Files and commands of one agent on this machine.
///
/// Commands run in `cwd` and see exactly the environment that was given, `LODGER_CALL` and `LODGER_RUN` added; `TERM`
/// too, for one that sees a terminal.
pub struct LocalWorkspace {
    cwd: PathBuf,
    roots: Vec<Root>,
    env: Arc<BTreeMap<String, String>>,
    processes: Arc<ProcessTable>,
    commands: Arc<Registry>,
    kept_output: OutputFolder,
    sandbox: Option<Arc<Sandbox>>,
    shared: Arc<SharedFiles>,
}

struct Root {
    path: PathBuf,
    dir: Dir,
}

impl LocalWorkspace {
    /// Takes hold of `cwd` and of the folders that the agent may use; `roots` empty means `cwd` alone. Relative
    /// roots start from `cwd`. `env` is all that commands see. Starts neither thread nor process. Blocking.
    ///
    /// # Errors
    /// `invalid_options` when `cwd` or a root is not an existing folder.
    pub fn open(
        cwd: &Path,
        roots: &[PathBuf],
        env: BTreeMap<String, String>,
        processes: Arc<ProcessTable>,
    ) -> Result<Self> {
        let cwd = Root::open("cwd", cwd)?;
        let roots = match roots {
            [] => vec![Root { path: cwd.path.clone(), dir: cwd.dir }],
            roots => roots.iter().map(|root| Root::open("roots", &cwd.path.join(root))).collect::<Result<_>>()?,
        };
        // The table bounds the number of commands; a workspace alone may use all of it.
        let commands = Registry::new(usize::MAX);
        let kept_output = OutputFolder::new(temporary_folder(&env));
        let (env, shared) = (Arc::new(env), Arc::default());
        Ok(Self { cwd: cwd.path, roots, env, processes, commands, kept_output, shared, sandbox: None })
    }

    /// Shares with the other workspaces of a runtime; without it, it has all of that to itself.
    #[must_use]
    pub fn sharing(self, shared: Arc<SharedFiles>) -> Self {
        Self { shared, ..self }
    }

    /// Confines the commands: they write in the roots, in `rights.writableRoots` and in a temporary folder of their
    /// own, and read all but `unreadable`, absolute paths that are looked up when a command starts. What the system
    /// can hold is tried once for each process table. Blocking; bubblewrap is tried by a child.
    ///
    /// # Errors
    /// `unsupported` when the system cannot hold it and `rights.degraded` does not accept that; `invalid_options`
    /// for a writable root that is no folder, and for too many.
    pub fn sandboxed(mut self, rights: &SandboxRights, unreadable: Vec<PathBuf>) -> Result<Self> {
        let roots = self.roots.iter().map(|root| root.path.clone()).collect();
        let ground = Ground { cwd: &self.cwd, roots, temporary: temporary_folder(&self.env), unreadable };
        let table = self.processes.table();
        self.sandbox = Some(Arc::new(Sandbox::new(rights, ground, &table.probes, table.mask)?));
        Ok(self)
    }

    /// The root that a canonical path lies in; the innermost, if several contain it.
    fn root_of(&self, canonical: &Path) -> Option<&Root> {
        self.roots
            .iter()
            .filter(|root| canonical.starts_with(&root.path))
            .max_by_key(|root| root.path.components().count())
    }

    /// Opens a canonical folder, through the root where there is one, so that no link can lead out of it.
    fn open_folder(&self, root: Option<&Root>, canonical: &Path) -> std::io::Result<Dir> {
        match root.and_then(|root| Some((root, canonical.strip_prefix(&root.path).ok()?))) {
            Some((root, relative)) => open_folder_below(&root.dir, relative),
            None => open_folder(canonical),
        }
    }

    /// Opens the folder of a path that lies in `root`, if in any. The folder may contain the root only when the path is
    /// outside of it.
    fn hold_folder(&self, given: &str, root: Option<&Root>, folder: &Path) -> Result<Dir> {
        self.open_folder(root.filter(|root| folder.starts_with(&root.path)), folder).map_err(|error| {
            match error.kind() {
                std::io::ErrorKind::PermissionDenied => explain(given, &error),
                _ => path_changed(given),
            }
        })
    }

    /// What is known of a place before what stands there is looked at.
    fn access(&self, given: &str, intent: Intent, root: Option<&Root>, canonical: &Path) -> ResolvedAccess {
        let is_kept_output = intent == Intent::Read && self.kept_output.contains(canonical);
        ResolvedAccess {
            given: given.to_owned(),
            intent,
            file_id: None,
            inside_roots: root.is_some() || is_kept_output,
            link_count: 0,
            protected: is_protected(canonical),
            canonical: canonical.to_owned(),
        }
    }
}

/// Where commands put their temporary files.
fn temporary_folder(env: &BTreeMap<String, String>) -> PathBuf {
    env.get("TMPDIR").map(PathBuf::from).filter(|path| path.is_absolute()).unwrap_or_else(|| "/tmp".into())
}

impl Root {
    fn open(option: &str, path: &Path) -> Result<Self> {
        let expected = |found: String| {
            Error::invalid_options(format!("`{option}`: expected an existing folder, {found}: {}", path.display()))
        };
        let canonical = fs::canonicalize(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => expected("there is none".to_owned()),
            _ => expected(format!("the system says {error}")),
        })?;
        if !canonical.is_dir() {
            return Err(expected("this is not a folder".to_owned()));
        }
        let dir = open_folder(&canonical).map_err(|error| expected(format!("the system says {error}")))?;
        Ok(Self { path: canonical, dir })
    }
}

impl Workspace for LocalWorkspace {
    fn cwd(&self) -> &Path {
        &self.cwd
    }

    fn resolve(&self, path: &str, intent: Intent) -> Result<Box<dyn FileHandle>> {
        check_file(path)?;
        let full = self.cwd.join(path);
        let canonical = canonical_place(&full).map_err(|error| explain(path, &error))?;
        let Some((parent, name)) = split(&canonical) else { return Err(Error::invalid_input(folder(path))) };
        let (nearest, missing) = nearest_existing(parent);
        let root = self.root_of(&canonical);
        let dir = self.hold_folder(path, root, nearest)?;
        let access = self.access(path, intent, root, &canonical);
        let folder = if missing.is_empty() { Folder::Open(dir) } else { Folder::Missing(dir, missing) };
        Ok(Box::new(LocalFile::hold(access, full, name, folder, Arc::clone(&self.shared))?))
    }

    fn resolve_tree(&self, path: &str) -> Result<Box<dyn Tree>> {
        check(path)?;
        let full = self.cwd.join(path);
        let canonical = canonical_place(&full).map_err(|error| explain(path, &error))?;
        let is_folder = is_folder(path, &canonical)?;
        let base_path = if is_folder { Some(canonical.as_path()) } else { canonical.parent() };
        let base_path = base_path.ok_or_else(|| path_changed(path))?.to_owned();
        let root = self.root_of(&canonical);
        let base = self.hold_folder(path, root, &base_path)?;
        let name = if is_folder { None } else { canonical.file_name().map(Path::new) };
        let id = id_below(&base, name).ok_or_else(|| path_changed(path))?;
        let mut access = self.access(path, Intent::Read, root, &canonical);
        access.file_id = Some(id);
        access.link_count = 1;
        Ok(Box::new(LocalTree { access, full, base, base_path, is_folder, id, shared: Arc::clone(&self.shared) }))
    }

    fn run(&self, command: Command) -> Result<Running> {
        let stop = StopFlag::default();
        let table = Arc::clone(self.processes.table());
        let place_in_workspace = self.commands.enter(&stop)?;
        let place = table.enter(&stop)?;
        command::start(Job {
            sandbox: self.sandbox.clone().filter(|_| !command.unsandboxed),
            command,
            cwd: self.cwd.clone(),
            env: Arc::clone(&self.env),
            table,
            place,
            _place_in_workspace: place_in_workspace,
            stop,
        })
    }

    fn keep_output(&self) -> Result<Box<dyn OutputFile>> {
        self.kept_output.create()
    }

    fn sandbox(&self) -> Option<&SandboxState> {
        self.sandbox.as_deref().map(Sandbox::state)
    }

    fn shut_down(&self) {
        if !self.processes.table().is_forked_copy() {
            self.commands.close(PATIENCE);
            if let Some(sandbox) = &self.sandbox {
                sandbox.shut_down();
            }
            self.kept_output.close();
        }
    }
}

impl fmt::Debug for LocalWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots: Vec<&Path> = self.roots.iter().map(|root| root.path.as_path()).collect();
        f.debug_struct("LocalWorkspace").field("cwd", &self.cwd).field("roots", &roots).finish_non_exhaustive()
    }
}
