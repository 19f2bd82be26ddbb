//! A reply that is no stream: the step is played to its end, then told at once.

use std::convert::Infallible;
use std::path::Path;

use lodger_model::scripted::{Beat, Beats};
use serde_json::Value;

use crate::errors::Failure;
use crate::pieces::{More, Piece, Told, Topic, break_of, whole};
use crate::writer::wait;

/// How it ended.
pub(crate) enum Whole {
    /// The body of the reply.
    Said(Value),
    /// The provider reports an error.
    Failed(Failure),
    /// The body is no JSON.
    Malformed,
    /// The connection breaks.
    Cut,
}

/// Plays a step.
pub(crate) async fn play(beats: Beats, topic: &Topic, folder: Option<&Path>) -> Whole {
    let mut told = Told::default();
    for beat in beats {
        match beat {
            Beat::Start(block) => told.start(block),
            Beat::Text(text) => told.more(&More::Text(text)),
            Beat::Thinking(text) => told.more(&More::Thinking(text)),
            Beat::Signature(text) => told.more(&More::Signature(text)),
            Beat::Input(text) => told.more(&More::Input(text)),
            Beat::Stop | Beat::End => {}
            Beat::Delay(time) => tokio::time::sleep(time).await,
            Beat::Wait(file) => wait(folder, &file).await,
            Beat::Fault(fault) => match break_of(&fault) {
                Some(Piece::Stall) => match std::future::pending::<Infallible>().await {},
                Some(Piece::Frame(_)) => return Whole::Malformed,
                Some(_) => return Whole::Cut,
                None => return Whole::Failed(Failure::of_fault(topic.protocol, &fault)),
            },
        }
    }
    Whole::Said(whole(topic, &told))
}
