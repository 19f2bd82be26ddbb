//! Walking a folder with the rules of ripgrep. Never follows a link, never goes into the folders of version control.

use std::fs::FileType;
use std::sync::atomic::{AtomicUsize, Ordering};

use ignore::{WalkBuilder, WalkState};

use super::os::SignalsBlocked;
use super::place::is_protected_name;
use super::tree::LocalTree;
use crate::{Found, FoundKind, Visitor, Walk, Walked};

/// Walks, with as many threads as are free.
pub(super) fn walk<'s>(tree: &'s LocalTree, walk: &'s Walk, visitors: &mut dyn FnMut() -> Visitor<'s>) -> Walked {
    let root = &tree.access.canonical;
    let Some(taken) = tree.shared.threads.take(&walk.stop) else { return Walked::default() };
    // The threads of the walk inherit this.
    let _blocked = SignalsBlocked::new();
    let walker = WalkBuilder::new(root)
        .current_dir(root)
        .hidden(!walk.hidden)
        .ignore(!walk.ignored)
        .git_ignore(!walk.ignored)
        .git_exclude(!walk.ignored)
        // The person's own rules stand where the environment says, which is not looked at.
        .git_global(false)
        .parents(!walk.ignored)
        .follow_links(false)
        .max_depth(walk.max_depth)
        .filter_entry(|entry| entry.depth() == 0 || !is_protected_name(entry.file_name()))
        .threads(taken.count)
        .build_parallel();
    let unreadable = AtomicUsize::new(0);
    walker.run(|| {
        let mut visitor = visitors();
        let unreadable = &unreadable;
        Box::new(move |entry| {
            if walk.stop.is_raised() {
                return WalkState::Quit;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(_) => {
                    unreadable.fetch_add(1, Ordering::Relaxed);
                    return WalkState::Continue;
                }
            };
            let Some(kind) = entry.file_type().filter(|_| entry.depth() > 0).map(kind_of) else {
                return WalkState::Continue;
            };
            let path = entry.path();
            if visitor(&Found::new(path, kind, &|| tree.open(path))).is_break() {
                return WalkState::Quit;
            }
            WalkState::Continue
        })
    });
    Walked { unreadable: unreadable.into_inner() }
}

fn kind_of(found: FileType) -> FoundKind {
    if found.is_file() {
        FoundKind::File
    } else if found.is_dir() {
        FoundKind::Folder
    } else if found.is_symlink() {
        FoundKind::Link
    } else {
        FoundKind::Special
    }
}
