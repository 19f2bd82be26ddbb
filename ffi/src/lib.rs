//! The C ABI. This crate translates between the header's types and `lodger_core::embed`; it must never decide.
//!
//! Every export has the same shape: one `unsafe` block turns the raw arguments into checked ones
//! ([`argument`]), then safe code runs inside [`guard`], which turns errors and panics into statuses. Doc comments
//! of public items are written for the reader of `include/lodger.h`, which is generated from them.

#![allow(non_camel_case_types, reason = "the names are C's")]
#![allow(clippy::missing_safety_doc, reason = "the header says once, on top, what a caller owes")]

mod argument;
mod bell;
mod contain;
mod desk;
mod dispatch;
mod document;
mod errand;
mod gate;
mod guard;
mod handle;
mod hooks;
mod host;
mod lanes;
mod listener;
mod mint;
mod os;
mod owned;
mod reading;
mod sized;

// The functions stand in the header in this order; the blank lines keep it.
pub mod status;

pub mod kind;

pub mod text;

pub mod callback;

pub mod version;

pub mod error;

pub mod blob;

pub mod runtime;

pub mod agent;

pub mod models;

pub mod steering;

pub mod turn;

pub mod event;

pub mod request;

pub mod token;

pub mod fetch;

pub mod mailbox;
