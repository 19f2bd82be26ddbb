//! `list_dir`: what is in a folder.

use std::path::Path;
use std::sync::{LazyLock, Mutex};

use futures_util::future::BoxFuture;
use lodger_protocol::{Target, ToolSpec};
use lodger_workspace::{FoundKind, Walk};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::search::{self, Firsts, Search};
use super::text_file;
use crate::{Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "list_dir";
/// At most so many entries are shown.
const MAX_ENTRIES: usize = 1000;
/// At most so deep.
const MAX_DEPTH: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// The folder. Default: the working folder.
    #[serde(default)]
    path: Option<String>,
    /// How deep, 1 to 10. Default 1: what is in the folder itself.
    #[serde(default)]
    depth: Option<usize>,
    /// Also hidden files. Default false.
    #[serde(default)]
    hidden: bool,
    /// Also what .gitignore leaves out. Default false.
    #[serde(default)]
    ignored: bool,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(NAME, "Lists a folder, sorted: folders end in /, links in @. At most 1000 entries.")
});

/// Lists a folder.
pub(super) struct ListDir;

impl Tool for ListDir {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let input: Input = input::read(NAME, input)?;
        match input.depth {
            Some(depth) if !(1..=MAX_DEPTH).contains(&depth) => {
                Err(ToolFailure(format!("depth is {depth}; expected 1 to {MAX_DEPTH}")))
            }
            _ => Ok(Box::new(input)),
        }
    }
}

impl Input {
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(".")
    }

    fn list(&self, context: ToolContext) -> Result<ToolOutput, ToolFailure> {
        let max_depth = Some(self.depth.unwrap_or(1));
        let walk = Walk { hidden: self.hidden, ignored: self.ignored, max_depth, ..Walk::default() };
        let search = Search::new(context, walk)?.only_folders()?;
        let firsts = Mutex::new(Firsts::new(MAX_ENTRIES));
        let walked =
            search.run(|| Box::new(|found, below| search::add(&firsts, found.path, 1, || entry(below, found.kind))))?;
        Ok(search.told(
            firsts,
            walked,
            |_, entry, room| room.line(entry),
            |shown, total| {
                let entries = search::count(total, "entry", "entries");
                if shown < total { format!("the first {shown} of {entries}") } else { entries }
            },
        ))
    }
}

fn entry(below: &Path, kind: FoundKind) -> String {
    let mark = match kind {
        FoundKind::File => "",
        FoundKind::Folder => "/",
        FoundKind::Link => "@",
        FoundKind::Special => " (no regular file)",
    };
    format!("{}{mark}", input::one_line(&below.to_string_lossy()))
}

impl ToolRun for Input {
    fn target(&self) -> Target {
        search::target("List what is", self.path())
    }

    fn tree(&self) -> Option<String> {
        Some(self.path().to_owned())
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || self.list(context).unwrap_or_else(ToolOutput::from)))
    }
}
