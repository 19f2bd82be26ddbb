//! Globs for paths below a folder.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// A glob: of whole paths below a folder when it has a slash, of names at any depth when it has none.
pub(in super::super) struct Pattern {
    matcher: GlobMatcher,
    names_only: bool,
}

impl Pattern {
    /// Reads a glob.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub(in super::super) fn new(glob: &str) -> Result<Self, String> {
        let below = glob.strip_prefix("./").unwrap_or(glob);
        if below.is_empty() {
            return Err("the glob is empty; expected one such as \"**/*.rs\"".to_owned());
        }
        if below.starts_with('/') || below.split('/').any(|part| part == "..") {
            return Err(format!("{glob:?} leads out of the folder; name the folder as path, and give a glob below it"));
        }
        let matcher = GlobBuilder::new(below)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| format!("the glob is not one: {error}"))?
            .compile_matcher();
        Ok(Self { matcher, names_only: !below.contains('/') })
    }

    /// Whether a path below the folder fits.
    pub(in super::super) fn fits(&self, below: &Path) -> bool {
        if self.names_only {
            return below.file_name().is_some_and(|name| self.matcher.is_match(name));
        }
        self.matcher.is_match(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_without_a_slash_is_of_names_and_one_with_it_is_of_paths() {
        for (glob, fitting, others) in [
            ("*.rs", &["a.rs", "src/a.rs"][..], &["a.rs/b"][..]),
            ("src/*.rs", &["src/a.rs"], &["a.rs", "src/b/a.rs", "x/src/a.rs"]),
            ("**/*.rs", &["a.rs", "src/b/a.rs"], &["a.rsx"]),
            ("./src/**", &["src/a", "src/b/c"], &["src"]),
            ("*.{ts,tsx}", &["a.ts", "b/c.tsx"], &["a.js"]),
            ("[!a].c", &["b.c"], &["a.c"]),
        ] {
            let pattern = Pattern::new(glob).unwrap();
            for path in fitting {
                assert!(pattern.fits(Path::new(path)), "{path} fits {glob}");
            }
            for path in others {
                assert!(!pattern.fits(Path::new(path)), "{path} does not fit {glob}");
            }
        }
    }

    #[test]
    fn what_is_no_glob_below_the_folder_is_refused() {
        for (glob, told) in [("", "is empty"), ("/etc/*", "leads out"), ("a/../../b", "leads out"), ("a[", "not one")] {
            assert!(Pattern::new(glob).err().is_some_and(|wrong| wrong.contains(told)), "{glob}");
        }
    }
}
