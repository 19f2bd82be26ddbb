//! What a model can do. A tool says what a call would touch before it touches anything, and acts only through
//! what it was then handed.
//!
//! This crate must never decide whether a call may run; the engine's one door does.

#[cfg(feature = "builtin")]
pub mod builtin;
pub mod input;
mod limit;
mod registry;
mod seen;
mod tool;

pub use limit::limited;
pub use registry::Registry;
pub use seen::Seen;
pub use tool::{
    Access, Ask, EndedTask, MayRead, Patience, Progress, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun,
};
