//! A real folder, and calls that are resolved and run in it as the engine does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use lodger_protocol::{Answer, Content, FileChange, Limits, Mode, Outcome, RequestBody, ToolCallId};
use lodger_tools::{Ask, MayRead, Patience, Progress, Seen, ToolContext, ToolOutput, ToolRun, builtin};
use lodger_workspace::{FileHandle, LocalWorkspace, ProcessTable, StopFlag, Tree, Workspace};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A fresh folder `work` with `outside` beside it, and one session that works there.
pub(crate) struct Desk {
    folder: TempDir,
    pub(crate) workspace: Arc<LocalWorkspace>,
    pub(crate) seen: Arc<Seen>,
    pub(crate) stop: StopFlag,
    pub(crate) limits: Limits,
    pub(crate) may_read: MayRead,
}

/// A call that was read and resolved, and has not run.
pub(crate) struct Call {
    run: Box<dyn ToolRun>,
    pub(crate) files: Vec<Box<dyn FileHandle>>,
    pub(crate) tree: Option<Box<dyn Tree>>,
}

impl Call {
    pub(crate) fn preview(&self) -> Option<String> {
        self.run.preview(&self.files)
    }
}

impl Desk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "outside"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let work = folder.path().join("work");
        let workspace = LocalWorkspace::open(&work, &[], BTreeMap::new(), Arc::new(ProcessTable::new())).unwrap();
        Self {
            folder,
            workspace: Arc::new(workspace),
            seen: Arc::default(),
            stop: StopFlag::default(),
            limits: Limits::default(),
            may_read: Arc::new(|_| true),
        }
    }

    /// Another session that works in the same folder.
    pub(crate) fn another(&self) -> Self {
        Self { workspace: Arc::clone(&self.workspace), ..Self::new() }
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.workspace.cwd().join(below)
    }

    pub(crate) fn outside(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("outside").join(below)
    }

    pub(crate) fn put(&self, below: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Puts a file that the model knows.
    pub(crate) fn put_known(&self, below: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.put(below, &content);
        self.seen.show(&path, content.as_ref());
        path
    }

    pub(crate) fn bytes(&self, below: &str) -> Vec<u8> {
        fs::read(self.path(below)).unwrap()
    }

    pub(crate) fn text(&self, below: &str) -> String {
        String::from_utf8(self.bytes(below)).unwrap()
    }

    pub(crate) fn resolve(&self, tool: &str, input: Value) -> Call {
        let tools = builtin::tools();
        let tool = tools.iter().find(|known| known.spec().name == tool).unwrap();
        let run = tool.parse(&input).unwrap();
        let files =
            run.accesses().iter().map(|access| self.workspace.resolve(&access.path, access.intent).unwrap()).collect();
        let tree = run.tree().map(|path| self.workspace.resolve_tree(&path).unwrap());
        Call { run, files, tree }
    }

    pub(crate) fn finish(&self, call: Call) -> ToolOutput {
        let context = ToolContext {
            call_id: ToolCallId::from("call_1"),
            files: call.files,
            tree: call.tree,
            seen: Arc::clone(&self.seen),
            may_read: Arc::clone(&self.may_read),
            workspace: Some(Arc::clone(&self.workspace) as Arc<dyn Workspace>),
            progress: Arc::new(Nobody),
            host: Arc::new(Nobody),
            cancelled: CancellationToken::new(),
            stop: self.stop.clone(),
            limits: Arc::new(self.limits.clone()),
            mode: Mode::FullAuto,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(call.run.run(context))
    }

    pub(crate) fn call(&self, tool: &str, input: Value) -> ToolOutput {
        self.finish(self.resolve(tool, input))
    }

    /// A call that succeeds: what the model is told.
    #[track_caller]
    pub(crate) fn done(&self, tool: &str, input: Value) -> String {
        told(&self.call(tool, input), false)
    }

    /// A call that fails: what the model is told.
    #[track_caller]
    pub(crate) fn refused(&self, tool: &str, input: Value) -> String {
        told(&self.call(tool, input), true)
    }

    /// Names of all entries of a folder.
    pub(crate) fn names(&self, below: &str) -> Vec<String> {
        let names = fs::read_dir(self.path(below)).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn changed(&self, below: &str) -> FileChange {
        FileChange { path: self.path(below).display().to_string(), created: false, atomic: true, removed: false }
    }
}

#[track_caller]
pub(crate) fn told(output: &ToolOutput, is_error: bool) -> String {
    let text = Content::joined_text(&output.content);
    assert_eq!(output.is_error, is_error, "{text}");
    text
}

pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).unwrap().mode() & 0o7777
}

struct Nobody;

impl Progress for Nobody {
    fn ready(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn show(&self, _stream: &str, _text: String) {}
}

impl Ask for Nobody {
    fn ask(&self, _body: RequestBody, _timeout: Patience) -> BoxFuture<'static, Answer> {
        Box::pin(std::future::ready(Answer::Refused { outcome: Outcome::Denied, reason: "nobody is here".to_owned() }))
    }
}
