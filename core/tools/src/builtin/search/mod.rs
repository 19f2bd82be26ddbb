//! What the tools that look through a folder share: the walk within its bounds, and the first of what is found in the
//! order of its paths, whichever thread finds it when.

mod firsts;
mod pattern;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lodger_protocol::{Effect, Target, TargetKind};
use lodger_workspace::{Found, Tree, Walk, Walked};

pub(super) use firsts::Firsts;
pub(super) use pattern::Pattern;

use crate::input::one_line;
use crate::{MayRead, ToolContext, ToolFailure, ToolOutput};

/// A search ends after this, with what it has found.
const MAX_SEARCH_TIME: Duration = Duration::from_secs(30);
/// At most so many files and folders are looked at.
const MAX_VISITED: usize = 1_000_000;

/// What a call would look through, in a line for people.
pub(super) fn target(summary: &str, path: &str) -> Target {
    Target {
        summary: format!("{} in {}", one_line(summary), one_line(path)),
        effect: Effect::Read,
        kind: TargetKind::File,
        paths: Some(vec![path.to_owned()]),
        command: None,
        host: None,
    }
}

/// A walk within its bounds.
pub(super) struct Search {
    tree: Box<dyn Tree>,
    cwd: PathBuf,
    may_read: MayRead,
    max_bytes: usize,
    until: Instant,
    walk: Walk,
    visited: AtomicUsize,
    cut_short: AtomicBool,
}

impl Search {
    pub(super) fn new(context: ToolContext, walk: Walk) -> Result<Self, ToolFailure> {
        let (Some(tree), Some(workspace)) = (context.tree, context.workspace) else {
            return Err(ToolFailure("no folder was resolved".to_owned()));
        };
        Ok(Self {
            tree,
            cwd: workspace.cwd().to_owned(),
            may_read: context.may_read,
            max_bytes: context.limits.max_tool_output_bytes,
            until: Instant::now() + MAX_SEARCH_TIME,
            walk: Walk { stop: context.stop, ..walk },
            visited: AtomicUsize::new(0),
            cut_short: AtomicBool::new(false),
        })
    }

    /// Refuses a single file.
    pub(super) fn only_folders(self) -> Result<Self, ToolFailure> {
        if self.tree.is_folder() {
            return Ok(self);
        }
        Err(ToolFailure(format!("this is a file, and a folder is needed: {}", self.tree.access().given)))
    }

    /// Visits all that may be shown, on several threads, each with a visitor of its own. A visitor is called with what
    /// was found and its path below the folder.
    #[expect(clippy::needless_lifetimes, reason = "the visitors cannot do without it")]
    pub(super) fn run<'s>(
        &'s self,
        mut visitors: impl FnMut() -> Box<dyn FnMut(&Found<'_>, &Path) + Send + 's>,
    ) -> Result<Walked, ToolFailure> {
        let root = self.tree.access().canonical.as_path();
        let walked = self.tree.walk(&self.walk, &mut || {
            let mut visitor = visitors();
            Box::new(move |found| {
                if self.visited.fetch_add(1, Ordering::Relaxed) >= MAX_VISITED || self.is_over() {
                    self.cut_short.store(true, Ordering::Relaxed);
                    return ControlFlow::Break(());
                }
                let below = found.path.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty());
                // The one file of a tree is known by its name.
                let below = below.or_else(|| found.path.file_name().map(Path::new)).unwrap_or(found.path);
                if (self.may_read)(found.path) {
                    visitor(found, below);
                }
                ControlFlow::Continue(())
            })
        });
        let walked = walked.map_err(|error| ToolFailure(error.message))?;
        if self.walk.stop.is_raised() {
            return Err(ToolFailure("cancelled: the search did not come to its end".to_owned()));
        }
        Ok(walked)
    }

    /// Whether there is no more time, or nobody waits for the end any more.
    pub(super) fn is_over(&self) -> bool {
        self.walk.stop.is_raised() || Instant::now() >= self.until
    }

    /// How many bytes can be shown at all.
    pub(super) const fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// A path as the model is told of it: below the working folder where it is, else whole.
    pub(super) fn shown(&self, path: &Path) -> String {
        one_line(&path.strip_prefix(&self.cwd).unwrap_or(path).to_string_lossy())
    }

    /// What was found, in the order of the paths, as much as there is room for; and `summary` of how much is shown of
    /// how much. `show` makes a text of one thing that has so many bytes at most, unless it is the first, and says what
    /// it weighs; nothing where there is no room. What does not stand below the folder any more, or only behind a link,
    /// is left out.
    pub(super) fn told<T>(
        &self,
        firsts: Mutex<Firsts<T>>,
        walked: Walked,
        mut show: impl FnMut(&Path, T, Room) -> Option<(String, usize)>,
        summary: impl Fn(usize, usize) -> String,
    ) -> ToolOutput {
        let firsts = firsts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let total = firsts.total();
        let (mut text, mut shown) = (String::new(), 0);
        for (path, found) in firsts.into_found().filter(|(path, _)| self.tree.holds(path)) {
            let room = Room { bytes: self.max_bytes.saturating_sub(text.len()), is_first: text.is_empty() };
            let Some((one, weight)) = show(&path, found, room) else { break };
            text.push_str(&one);
            shown += weight;
        }
        text.push_str(&format!("[{}]", summary(shown, total)));
        if self.cut_short.load(Ordering::Relaxed) {
            text.push_str(&format!(
                "\n[not all was looked at: a search ends after {} s or {MAX_VISITED} files; name a folder further in]",
                MAX_SEARCH_TIME.as_secs()
            ));
        }
        if walked.unreadable > 0 {
            text.push_str(&format!(
                "\n[{} could not be read]",
                count(walked.unreadable, "file or folder", "files or folders")
            ));
        }
        let truncated = shown < total || self.cut_short.load(Ordering::Relaxed);
        ToolOutput { truncated, bounded: true, ..ToolOutput::text(text) }
    }
}

/// How much more can be shown.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) bytes: usize,
    /// Nothing was shown yet: something is, whatever it takes.
    pub(super) is_first: bool,
}

impl Room {
    /// A line of its own for one thing, if it fits.
    pub(super) fn line(self, line: String) -> Option<(String, usize)> {
        (line.len() < self.bytes || self.is_first).then(|| (line + "\n", 1))
    }
}

/// Adds to what several threads find.
pub(super) fn add<T>(firsts: &Mutex<Firsts<T>>, path: &Path, weight: usize, found: impl FnOnce() -> T) {
    firsts.lock().unwrap_or_else(PoisonError::into_inner).add(path, weight, found);
}

/// How many there are of something.
pub(super) fn count(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
