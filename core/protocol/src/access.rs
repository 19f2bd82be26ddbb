//! What a call will touch, as resolved by the workspace and judged by the policy.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a call wants with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Look at it.
    Read,
    /// Create or change it.
    Write,
}

/// Which file it is, whatever its name: device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileId {
    /// Device number.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
}

/// A declared access, as the workspace found it. Plain data: the handle stays with the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedAccess {
    /// The path as the model gave it.
    pub given: String,
    /// Where that really is: absolute, all links followed.
    pub canonical: PathBuf,
    /// What the call wants with it.
    pub intent: Intent,
    /// The file that stands there; absent when there is none yet.
    pub file_id: Option<FileId>,
    /// It lies in one of the roots.
    pub inside_roots: bool,
    /// How many names the file has; more than one means that a change shows elsewhere too.
    pub link_count: u64,
    /// It belongs to version control or to Lodger itself.
    pub protected: bool,
}
