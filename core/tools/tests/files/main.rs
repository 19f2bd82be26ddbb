//! The file tools on real files: what they show, what they change, and what stays as it is.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod edit;
mod kit;
mod patch;
mod races;
mod read;
mod search;
mod write;
