//! All tests of the library but those that count what their process has: one program, since each costs a link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;
mod wire;

mod any_turn;
mod audit;
mod back_pressure;
mod background;
mod cancel;
mod checkpoint;
mod checks;
mod diagnostics;
mod documents;
mod fallback;
mod faults;
mod faults_by_protocol;
mod fetch;
mod host_tools;
mod isolation;
mod limits;
mod logins;
mod long_output;
mod models;
mod money;
mod network;
mod options;
mod other_keys;
mod permissions;
mod plans;
mod prompts;
mod questions;
mod replay;
mod requests;
mod retries;
mod rules;
mod sandbox;
mod settings;
mod shapes_by_protocol;
mod structured_output;
mod task_list;
mod tokens;
mod unattended;
mod web_fetch;
