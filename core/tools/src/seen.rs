//! What the model was shown of files: what it has not seen as it is now, it does not change.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lodger_protocol::ResolvedAccess;
use sha2::{Digest, Sha256};

use crate::ToolFailure;

/// Of more files than this, those that were shown longest ago count as not shown.
const MAX_FILES: usize = 10_000;

/// The files of one session that the model was shown, by what their content was then.
#[derive(Debug, Default)]
pub struct Seen {
    files: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    states: HashMap<PathBuf, State>,
    shown: u64,
}

#[derive(Debug)]
struct State {
    digest: [u8; 32],
    /// The when of it: higher is later.
    shown: u64,
}

impl Seen {
    /// The model knows this content of the file at that canonical path: it was shown it, in whole or in part, or wrote
    /// it itself.
    pub fn show(&self, path: &Path, content: &[u8]) {
        let digest = Sha256::digest(content).into();
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.shown += 1;
        let shown = files.shown;
        files.states.insert(path.to_owned(), State { digest, shown });
        if files.states.len() > MAX_FILES {
            let oldest = files.states.iter().min_by_key(|(_, state)| state.shown).map(|(path, _)| path.clone());
            oldest.map(|path| files.states.remove(&path));
        }
    }

    /// Whether the model knows the file as it is now. An empty one needs no look: there is nothing to lose.
    ///
    /// # Errors
    /// Tells the model to read it first, or again.
    pub fn check(&self, access: &ResolvedAccess, content: &[u8]) -> Result<(), ToolFailure> {
        if content.is_empty() {
            return Ok(());
        }
        let given = &access.given;
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        match files.states.get(&access.canonical) {
            Some(state) if state.digest == <[u8; 32]>::from(Sha256::digest(content)) => Ok(()),
            Some(_) => Err(ToolFailure(format!(
                "{given} has changed since you read it; read it again with read_file, then make the change"
            ))),
            None => Err(ToolFailure(format!(
                "{given} exists and you have not read it in this session; read it with read_file, then make the change"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::Intent;

    use super::*;

    fn access(path: &str) -> ResolvedAccess {
        ResolvedAccess {
            given: path.to_owned(),
            canonical: PathBuf::from(path),
            intent: Intent::Write,
            file_id: None,
            inside_roots: true,
            link_count: 1,
            protected: false,
        }
    }

    #[test]
    fn what_was_shown_may_be_changed_until_it_is_another() {
        let seen = Seen::default();
        let told = |content: &[u8]| seen.check(&access("/f"), content).map_err(|failure| failure.0);
        assert!(told(b"one").unwrap_err().contains("have not read it"));
        seen.show(Path::new("/f"), b"one");
        assert_eq!(told(b"one"), Ok(()));
        assert!(told(b"two").unwrap_err().contains("has changed since"));
    }

    #[test]
    fn an_empty_file_needs_no_look() {
        assert_eq!(Seen::default().check(&access("/f"), b""), Ok(()));
    }

    #[test]
    fn what_was_shown_longest_ago_is_forgotten_first() {
        let seen = Seen::default();
        seen.show(Path::new("/first"), b"x");
        for index in 1..MAX_FILES {
            seen.show(Path::new(&format!("/{index}")), b"x");
        }
        seen.show(Path::new("/first"), b"x");
        seen.show(Path::new("/last"), b"x");
        assert!(seen.check(&access("/1"), b"x").is_err());
        assert!(seen.check(&access("/first"), b"x").is_ok());
    }
}
