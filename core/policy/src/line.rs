//! A command line as a call to judge: its commands, and the files that it names for sure.

use std::path::Path;

use lodger_protocol::Intent;

use crate::shell::{Analysis, Commands, Direction, Folder, Role, SimpleCommand, is_read_only, suggest};

/// A command line taken apart, and why it may not be clear after all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    analysis: Analysis,
    unclear: Option<String>,
}

/// A file that a line names for sure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// Its path, from where the line starts.
    pub path: String,
    /// What the line does with it.
    pub intent: Intent,
}

impl CommandLine {
    /// Takes what was found out about a line.
    #[must_use]
    pub fn new(analysis: Analysis) -> Self {
        let unclear = match &analysis {
            Analysis::Understood(_) => None,
            Analysis::NotUnderstood { why, .. } => Some(why.to_string()),
        };
        Self { analysis, unclear }
    }

    /// Notes that it is not known after all what the line would do.
    pub fn make_unclear(&mut self, why: impl Into<String>) {
        self.unclear.get_or_insert_with(|| why.into());
    }

    /// The files that redirections open, and those that commands which only read may be given.
    ///
    /// # Errors
    /// Why a file is not known: its path starts in a folder that is not.
    pub fn files(&self) -> Result<Vec<NamedFile>, String> {
        let mut files = Vec::new();
        for command in self.analysis.seen() {
            for redirect in &command.redirects {
                let intent = match redirect.direction {
                    Direction::Read => Intent::Read,
                    Direction::Write | Direction::Append => Intent::Write,
                };
                if let Some(path) = redirect.file() {
                    files.push(NamedFile { path: from_start(path, &command.folder)?, intent });
                }
            }
            if is_read_only(command) {
                for path in command.may_name_files() {
                    files.push(NamedFile { path: from_start(path, &command.folder)?, intent: Intent::Read });
                }
            }
        }
        files.dedup();
        Ok(files)
    }

    /// The narrowest pattern of a rule that would allow the line, where one is enough.
    pub(crate) fn pattern(&self) -> Option<String> {
        match suggest(&self.analysis)?.as_slice() {
            [pattern] => Some(pattern.clone()),
            _ => None,
        }
    }

    /// Why it is not clear what the line would do.
    pub(crate) fn unclear(&self) -> Option<&str> {
        self.unclear.as_deref()
    }

    /// Every command that was seen, and all of them where they are known to be all.
    pub(crate) fn commands(&self) -> impl Iterator<Item = (&SimpleCommand, Option<&Commands>)> {
        let all = self.analysis.understood();
        self.analysis.seen().iter().map(move |command| (command, all))
    }

    /// Whether it is known that the line only looks.
    pub(crate) fn reads_only(&self) -> bool {
        let is_harmless = |command: &SimpleCommand| {
            (command.role == Role::Carries || is_read_only(command))
                && command.redirects.iter().all(|it| it.direction == Direction::Read || it.file().is_none())
        };
        self.unclear.is_none() && self.analysis.seen().iter().all(is_harmless)
    }
}

fn from_start(path: &str, folder: &Folder) -> Result<String, String> {
    match folder {
        _ if path.starts_with('/') => Ok(path.to_owned()),
        Folder::Start => Ok(path.to_owned()),
        Folder::Moved(folder) => Ok(Path::new(folder).join(path).to_string_lossy().into_owned()),
        Folder::Unknown => Err(format!("{path} is a file in a folder that is not known before the line runs")),
    }
}
