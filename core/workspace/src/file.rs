//! A file that was looked up once and is used through the same handle ever after.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lodger_protocol::{ResolvedAccess, Result};

/// Raised when work must not go on. Tested per file or 64 KiB, and right before anything is committed.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Raises it, for ever.
    pub fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it is raised.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// How a write went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteReport {
    /// The file did not exist before.
    pub created: bool,
    /// Replaced in one step; false when it had to be written in place.
    pub atomic: bool,
}

/// A resolved file. All methods block.
pub trait FileHandle: Send + Sync {
    /// What the path turned out to be.
    fn access(&self) -> &ResolvedAccess;

    /// The whole content, at most `max_bytes` of it, and the file's full size.
    ///
    /// # Errors
    /// `invalid_input` when there is no such file or it cannot be read; `path_changed` when another object
    /// stands there now than when it was resolved.
    fn read(&self, max_bytes: u64) -> Result<(Vec<u8>, u64)>;

    /// Replaces the content: a temporary file and a rename; in place where the file has several names or
    /// another owner. Mode bits are kept; missing parent folders are made. Nothing is changed once `stop` is
    /// raised.
    ///
    /// # Errors
    /// `path_changed` as for `read`; `invalid_input` when it cannot be written.
    fn write(&self, content: &[u8], stop: &StopFlag) -> Result<WriteReport>;
}
