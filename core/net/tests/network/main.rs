//! The way to a provider and to the web, over real sockets: turns, proxies, certificates, timeouts, and what is reached.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod proxies;
mod reach;
mod support;
mod timeouts;
mod trust;
mod turns;
