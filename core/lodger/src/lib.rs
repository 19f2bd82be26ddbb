//! A coding agent that lives inside your program.

pub mod embed;
mod wiring;

pub use lodger_protocol as protocol;
pub use lodger_protocol::{Error, ErrorCode, Result};
