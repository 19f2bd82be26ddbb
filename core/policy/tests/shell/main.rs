//! Command lines, and what the analysis says of them: against a table, a second parser, and bash itself.

#![cfg(feature = "shell-analysis")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod bash;
mod bounds;
mod by_hand;
mod generated;
mod matching;
mod second_parser;
mod shown;
mod suggested;
mod table;
