//! What tests share: a model server on loopback that speaks Anthropic Messages for real, over HTTP/1.1 and
//! server-sent events, and plays the script files of the scripted model.
//!
//! It damages the wire as told, writes only as fast as it is read, and says afterwards what it saw. It must never
//! be part of what ships.

mod answer;
mod fault;
mod pieces;
mod request;
mod server;
mod socket;
mod stats;
mod writer;

pub use fault::{FaultRule, WireFault};
pub use server::{MockOptions, MockServer};
pub use stats::{ConnectionStats, Stats};
