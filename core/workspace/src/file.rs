//! A file that was looked up once and is used through the same handle ever after.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lodger_protocol::{ResolvedAccess, Result};

/// Raised when work must not go on. Tested per file or 64 KiB, and right before anything is committed.
#[derive(Clone, Default)]
pub struct StopFlag(Arc<Stop>);

#[derive(Default)]
struct Stop {
    raised: AtomicBool,
    bells: Mutex<Vec<Bell>>,
}

type Bell = Box<dyn FnOnce() + Send>;

impl StopFlag {
    /// Raises it, for ever. Whoever waits for it is woken on this thread.
    pub fn raise(&self) {
        if !self.0.raised.swap(true, Ordering::SeqCst) {
            let bells = std::mem::take(&mut *self.0.bells.lock().unwrap_or_else(PoisonError::into_inner));
            bells.into_iter().for_each(|bell| bell());
        }
    }

    /// Whether it is raised.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }

    /// Calls `bell` once when the flag is raised, on the thread that raises it; at once if it is raised
    /// already. The bell must not block. It is kept as long as the flag: hang it on a flag that lives as long
    /// as the work.
    pub fn on_raise(&self, bell: impl FnOnce() + Send + 'static) {
        {
            let mut bells = self.0.bells.lock().unwrap_or_else(PoisonError::into_inner);
            if !self.is_raised() {
                bells.push(Box::new(bell));
                return;
            }
        }
        bell();
    }
}

impl fmt::Debug for StopFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StopFlag(raised: {})", self.is_raised())
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
    /// raised. The handle then stands for the new content: it can be read and written again.
    ///
    /// # Errors
    /// `path_changed` as for `read`, and when somebody changed the file since it was last read through this handle;
    /// `invalid_input` when it cannot be written; `closed` when `stop` was raised in time.
    fn write(&self, content: &[u8], stop: &StopFlag) -> Result<WriteReport>;

    /// Makes the file where there is none, as `write` does, and gives it these mode bits; absent: the usual ones.
    ///
    /// # Errors
    /// As for `write`; `path_changed` when a file stands there.
    fn write_new(&self, content: &[u8], mode: Option<u32>, stop: &StopFlag) -> Result<WriteReport>;

    /// Removes the file: this name of it, where it has several. The handle then stands for no file, and one can be
    /// written there again.
    ///
    /// # Errors
    /// As for `write`; `invalid_input` when there is no such file or it cannot be removed.
    fn remove(&self, stop: &StopFlag) -> Result<()>;

    /// The mode bits of the file as they are now; absent when there is none, or when it cannot be told.
    fn mode(&self) -> Option<u32>;
}
