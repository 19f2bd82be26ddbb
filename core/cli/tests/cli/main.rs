//! The command as its users meet it: arguments, pipes, a real terminal, real signals.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod audit;
mod exit_codes;
mod kit;
mod logins;
mod models;
mod output;
mod policy;
mod signals;
mod terminal;
