//! What is kept of a conversation. The list of entries is the only state of a session; everything else is read
//! off it.
//!
//! This crate must never run anything or talk to anyone.

mod audit;
mod checkpoint;
mod log;
mod replay;

pub use audit::{AuditLog, Broken, Verified, verify};
pub use checkpoint::{Checkpoint, Kept};
pub use log::{SessionLog, Transcript};
pub use replay::conversation;
