//! Talk to models. A protocol is a pure step from frames to events; where, with what key and how it is framed
//! are separate choices.
//!
//! This crate must never run a tool, keep a conversation or decide about anything but the wire.

mod stream;

pub use stream::{Model, ModelEvent, ModelMessage, ModelRequest, Reply};
