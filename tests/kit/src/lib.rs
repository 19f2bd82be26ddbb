//! What tests share: a model server on loopback that speaks the providers' protocols for real, over HTTP/1.1 and
//! server-sent events, and plays the script files of the scripted model.
//!
//! It damages the wire as told, refuses what the provider would refuse, writes only as fast as it is read, and says
//! afterwards what it saw. It must never be part of what ships.

mod answer;
mod errors;
mod event_stream;
mod fault;
mod frame;
mod login_server;
mod models;
mod pieces;
mod protocol;
mod quirk;
mod request;
mod server;
mod socket;
mod stats;
mod whole;
mod writer;

pub use fault::{FaultRule, WireFault};
pub use login_server::{LoginOptions, LoginServer, LoginStats};
pub use pieces::{bedrock_frames, frames};
pub use protocol::{Platform, Protocol};
pub use quirk::Quirk;
pub use server::{MockOptions, MockServer};
pub use stats::{ConnectionStats, Stats};
