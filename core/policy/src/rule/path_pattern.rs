//! Which files a rule is about: `src/**`, `/etc/*`, `~/.ssh/**`, `**/.env`.
//!
//! A pattern never looks at a disk: it is held against what the workspace found a path to be.

use std::path::{Component, Path, PathBuf};

use lodger_protocol::ResolvedAccess;

use super::Anchor;
use crate::wildcard::{escaped, literal, unescaped};

/// A pattern over absolute paths.
///
/// `*` and `?` stand for characters of one name, `**` for any number of folders; all else is itself. A pattern starts
/// at `/`, at `~/` (the home folder), at `**/` (anywhere on the machine), and otherwise in the working folder.
/// `dir/**` is the folder and all in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathPattern {
    exact: Vec<String>,
    folded: Vec<String>,
    cwd: PathBuf,
}

impl PathPattern {
    /// # Errors
    /// Why the pattern can be none: it has no place to start from, or climbs with `..`.
    pub(super) fn new(text: &str, anchor: &Anchor) -> Result<Self, String> {
        if text.split('/').any(|part| part == "..") {
            return Err("a pattern of paths does not climb with `..`; write where the files really are".to_owned());
        }
        let whole = if text.starts_with('/') || text == "**" || text.starts_with("**/") {
            escaped(text)
        } else if let Some(rest) = text.strip_prefix("~/") {
            let home = anchor.home.as_deref().ok_or("`~` means nothing here: there is no HOME in the environment")?;
            below(home, rest)
        } else {
            let cwd = anchor.cwd.as_deref().ok_or("a relative pattern of paths needs a working folder, cwd")?;
            below(cwd, text.strip_prefix("./").unwrap_or(text))
        };
        let mut exact = vec![whole];
        // The folder itself belongs to what is in it.
        if let Some(folder) = exact.first().and_then(|whole| whole.strip_suffix("/**")).filter(|it| !it.is_empty()) {
            exact.push(folder.to_owned());
        }
        let folded = exact.iter().map(|glob| glob.to_lowercase()).collect();
        Ok(Self { exact, folded, cwd: anchor.cwd.clone().unwrap_or_default() })
    }

    /// Whether it names this file, where it really is or under the path that was given: for rules that forbid.
    pub(super) fn forbids(&self, access: &ResolvedAccess) -> bool {
        self.may_name(&access.canonical) || self.may_name(&plain(&self.cwd.join(&access.given)))
    }

    /// Whether it names this path, letter by letter: for rules that allow.
    pub(super) fn names(&self, path: &Path) -> bool {
        any(&self.exact, &path.to_string_lossy())
    }

    /// The one path that it names with all below it, where it has no wildcard but that.
    pub(super) fn place(&self) -> Option<PathBuf> {
        self.exact.last().and_then(|glob| unescaped(glob)).map(PathBuf::from)
    }

    /// Whether it names this path or one that differs in case only, which some file systems take for the same.
    fn may_name(&self, path: &Path) -> bool {
        any(&self.folded, &path.to_string_lossy().to_lowercase())
    }
}

/// The path without `.` and `..`, links not followed.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

fn any(globs: &[String], path: &str) -> bool {
    globs.iter().any(|glob| fast_glob::glob_match(glob, path))
}

fn below(folder: &Path, rest: &str) -> String {
    let folder = folder.to_string_lossy();
    format!("{}/{}", literal(folder.trim_end_matches('/')), escaped(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchor() -> Anchor {
        Anchor { cwd: Some("/work/[a] {b}".into()), home: Some("/home/ann".into()) }
    }

    fn names(pattern: &str, path: &str) -> bool {
        PathPattern::new(pattern, &anchor()).unwrap().names(Path::new(path))
    }

    #[test]
    fn a_pattern_starts_where_its_first_letters_say() {
        assert!(names("src/*.rs", "/work/[a] {b}/src/main.rs"));
        assert!(names("./src/*.rs", "/work/[a] {b}/src/main.rs"));
        assert!(!names("src/*.rs", "/elsewhere/src/main.rs"));
        assert!(names("/etc/*", "/etc/passwd"));
        assert!(names("~/.ssh/**", "/home/ann/.ssh/keys/id"));
        assert!(names("**/.env", "/any/where/.env"));
        assert!(names("**/.env", "/.env"));
    }

    #[test]
    fn one_star_stays_in_its_folder_and_two_go_down() {
        assert!(!names("/etc/*", "/etc/ssl/cert"));
        assert!(names("/etc/**", "/etc/ssl/cert"));
        assert!(names("/a/**/z", "/a/z"));
        assert!(names("/a/**/z", "/a/b/c/z"));
        assert!(names("/a/?.c", "/a/b.c"));
        assert!(!names("/a/?.c", "/a/bb.c"));
    }

    #[test]
    fn the_content_of_a_folder_includes_the_folder_and_no_neighbour() {
        assert!(names("/etc/**", "/etc"));
        assert!(!names("/etc/**", "/etcetera"));
    }

    #[test]
    fn letters_that_other_globs_know_are_themselves() {
        assert!(names("/a/[x]{y}!", "/a/[x]{y}!"));
        assert!(!names("/a/[x]", "/a/x"));
        assert!(!names("/a/{b,c}", "/a/b"));
        assert!(!names("/!a", "/b"));
    }

    #[test]
    fn what_forbids_ignores_case_and_what_allows_does_not() {
        let pattern = PathPattern::new("/w/.ENV", &anchor()).unwrap();
        assert!(pattern.may_name(Path::new("/W/.env")));
        assert!(!pattern.names(Path::new("/w/.env")));
    }

    #[test]
    fn a_pattern_without_wildcards_is_a_place() {
        let place = |pattern| PathPattern::new(pattern, &anchor()).unwrap().place();
        assert_eq!(place("~/.ssh/**"), Some("/home/ann/.ssh".into()));
        assert_eq!(place("conf/[secret]"), Some("/work/[a] {b}/conf/[secret]".into()));
        assert_eq!(place("/etc/shadow"), Some("/etc/shadow".into()));
        for pattern in ["**/.env", "/etc/*", "/etc/shadow?", "/a/**/b/**", "**"] {
            assert_eq!(place(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_without_a_place_to_start_from_is_refused() {
        let nowhere = Anchor::default();
        assert!(PathPattern::new("src/**", &nowhere).unwrap_err().contains("cwd"));
        assert!(PathPattern::new("~/x", &nowhere).unwrap_err().contains("HOME"));
        assert!(PathPattern::new("/a/../b", &anchor()).unwrap_err().contains(".."));
        assert!(PathPattern::new("/a", &nowhere).is_ok());
    }
}
