//! The protocols without a network: a request becomes a body, frames become events and one reply.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod anthropic_reply;
mod anthropic_request;
mod any_frames;
mod any_split;
mod common;
mod documents;
mod gemini;
mod growing;
mod openai_chat;
mod openai_responses;
mod same_conversation;
mod same_end;
mod shown;
