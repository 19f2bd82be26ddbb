//! What keeps the house in order: the generated files and the checks of its boundaries.
//!
//! The Rust types of `lodger-protocol` are the one source of the vocabulary. This crate reads their JSON Schema
//! and writes every other form of it. It must never be a dependency of anything that ships.

pub mod boundaries;
pub mod constants;
pub mod drift;
pub mod features;
pub mod files;
mod header;
pub mod limits;
pub mod names;
pub mod parity;
mod python;
mod reference;
pub mod schema;
pub mod surface;
mod syntax;
mod typescript;
pub mod vocabulary;

/// A result whose error is a sentence for the person who ran the tool.
pub type Result<T> = std::result::Result<T, String>;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
