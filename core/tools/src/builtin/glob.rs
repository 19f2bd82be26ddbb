//! `glob`: files by their names and paths.

use std::sync::{LazyLock, Mutex};

use futures_util::future::BoxFuture;
use lodger_protocol::{Target, ToolSpec};
use lodger_workspace::{FoundKind, Walk};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::search::{self, Firsts, Pattern, Search};
use super::text_file;
use crate::{Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "glob";
/// At most so many paths are shown.
const MAX_PATHS: usize = 1000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// Such as "**/*.rs" or "src/**/test_*.py". Without a slash it fits names at any depth.
    pattern: String,
    /// Folder to look in. Default: the working folder.
    #[serde(default)]
    path: Option<String>,
    /// Also hidden files. Default false.
    #[serde(default)]
    hidden: bool,
    /// Also what .gitignore leaves out. Default false.
    #[serde(default)]
    ignored: bool,
}

/// One call.
struct Call {
    input: Input,
    pattern: Pattern,
}

static SPEC: LazyLock<ToolSpec> =
    LazyLock::new(|| input::spec::<Input>(NAME, "Finds files by a glob, at most 1000, sorted by path."));

/// Finds files by name.
pub(super) struct Glob;

impl Tool for Glob {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let input: Input = input::read(NAME, input)?;
        let pattern = Pattern::new(&input.pattern).map_err(ToolFailure)?;
        Ok(Box::new(Call { input, pattern }))
    }
}

impl Call {
    fn path(&self) -> &str {
        self.input.path.as_deref().unwrap_or(".")
    }

    fn find(&self, context: ToolContext) -> Result<ToolOutput, ToolFailure> {
        let walk = Walk { hidden: self.input.hidden, ignored: self.input.ignored, ..Walk::default() };
        let search = Search::new(context, walk)?.only_folders()?;
        let firsts = Mutex::new(Firsts::new(MAX_PATHS));
        let walked = search.run(|| {
            Box::new(|found, below| {
                if found.kind == FoundKind::File && self.pattern.fits(below) {
                    search::add(&firsts, found.path, 1, || ());
                }
            })
        })?;
        Ok(search.told(
            firsts,
            walked,
            |path, (), room| room.line(search.shown(path)),
            |shown, total| {
                let files = search::count(total, "file", "files");
                if shown < total {
                    format!("the first {shown} of {files}; narrow the glob to see others")
                } else {
                    files
                }
            },
        ))
    }
}

impl ToolRun for Call {
    fn target(&self) -> Target {
        search::target(&format!("Find {}", self.input.pattern), self.path())
    }

    fn tree(&self) -> Option<String> {
        Some(self.path().to_owned())
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(text_file::blocking(move || self.find(context).unwrap_or_else(ToolOutput::from)))
    }
}
