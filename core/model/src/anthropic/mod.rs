//! Anthropic Messages, as pure functions: a request becomes a body, frames become events.
//!
//! Nothing here may do I/O, know a key or wait.

mod reply;
mod request;
mod wire;

pub use reply::State;
pub use request::{CACHE_MARKERS, request_body};

/// Below the base URL.
pub const PATH: &str = "v1/messages";
/// The version of the protocol, for the `anthropic-version` header.
pub const VERSION: &str = "2023-06-01";
