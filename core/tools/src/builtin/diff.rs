//! The change as a person is shown it. Bounded in time and size, since a model says what is compared.

use std::time::Duration;

use crate::input::one_line;

/// Texts over this, both together, are not compared.
const MAX_COMPARED_BYTES: usize = 4 * 1024 * 1024;
/// A diff is cut to this.
const MAX_DIFF_BYTES: usize = 64 * 1024;
/// How long the shortest diff is looked for; after it a longer one will do.
const DIFF_TIME: Duration = Duration::from_millis(200);

/// A unified diff with three lines of context; absent when nothing changes or there is too much to compare.
pub(super) fn diff(path: &str, before: &str, after: &str) -> Option<String> {
    if before == after || before.len() + after.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let path = one_line(path);
    let diff = similar::TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, after);
    Some(cut(diff.unified_diff().context_radius(3).header(&path, &path).to_string()))
}

/// A diff, or several of them, within the bound.
pub(super) fn cut(mut text: String) -> String {
    if text.len() > MAX_DIFF_BYTES {
        text.truncate(text.floor_char_boundary(MAX_DIFF_BYTES));
        text.push_str("\n[... the rest of the diff is left out ...]\n");
    }
    text
}
