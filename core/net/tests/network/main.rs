//! The way to a provider, over real sockets: turns, proxies, certificates, timeouts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod proxies;
mod support;
mod timeouts;
mod trust;
mod turns;
