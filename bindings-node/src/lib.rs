//! The native half of the npm package `lodger`: classes that hand JSON over a synchronous border.
//!
//! Nothing here decides anything, makes a promise or runs a handler: promises, handlers and iteration live in
//! TypeScript (`src-ts`), and the engine's threads never run JavaScript. They ring one bell per environment; Node's
//! own thread then asks the mailbox what is ready and takes it.

// The code that `#[napi]` writes needs `unsafe`; what this crate adds by hand is in `bell.rs`.
#![allow(unsafe_code)]

mod agent;
mod bell;
mod diagnostics;
mod environment;
mod error;
mod fetches;
mod handlers;
mod mailbox;
mod models;
mod tokens;
mod turn;

/// Version of the engine inside.
#[napi_derive::napi]
pub fn version() -> &'static str {
    lodger::embed::version()
}
