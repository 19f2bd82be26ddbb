//! Talk to models. A protocol is a pure step from frames to events; where, with what key and how it is framed
//! are separate choices.
//!
//! The default build holds the traits, the protocols and the scripted model. Feature `http` adds models behind HTTP.
//!
//! This crate must never run a tool, keep a conversation or decide about anything but the wire.

pub mod catalogue;
pub mod scripted;

mod anthropic;
mod call_ids;
mod draft;
mod effort;
mod failure;
mod gemini;
mod held;
mod input;
mod openai_chat;
mod openai_responses;
mod protocol;
mod protocols;
mod quirks;
mod schema;
mod shown;
mod spec;
mod stream;

#[cfg(feature = "http")]
mod address;
#[cfg(feature = "http")]
pub mod auth;
#[cfg(feature = "http")]
mod bound;
#[cfg(feature = "http")]
mod call;
#[cfg(feature = "http")]
mod endpoint;
#[cfg(feature = "http")]
mod forgotten;
#[cfg(feature = "http")]
mod form;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod list;
#[cfg(feature = "http")]
mod open;
#[cfg(feature = "http")]
mod reading;
#[cfg(feature = "http")]
mod refusal;
#[cfg(feature = "http")]
mod retry;
#[cfg(feature = "http")]
mod watch;

pub use anthropic::CACHE_MARKERS;
pub use call_ids::FreshIds;
pub use held::{Dialect, Held};
pub use input::parse_input;
pub use protocol::{Protocol, ReplyState};
pub use protocols::protocol;
pub use quirks::{CallIds, EffortForm, Quirks};
pub use shown::Target;
pub use spec::{ModelSpec, variable_of};
pub use stream::{Model, ModelEvent, ModelMessage, ModelRequest, RETRY_TIME, Reply};

#[cfg(feature = "http")]
pub use endpoint::ResolvedEndpoint;
#[cfg(feature = "http")]
pub use open::ModelSource;
#[cfg(feature = "http")]
pub use watch::{HeldSecrets, Redactor, Watch, WireTrace};
