//! A model that plays a script: the way to test a product that embeds Lodger without a model.
//!
//! The format is described in `docs/scripted-model.md`. The step for a request is a pure function of the
//! request, so that one script serves any number of agents, forks and restarts. Nothing here may keep what it
//! was asked.

mod beat;
mod expect;
mod model;
mod script;
mod seen;

pub use beat::{Beat, Beats, BlockStart};
pub use model::ScriptedModel;
pub use script::{After, Expect, ExpectedResult, Fault, FaultKind, Part, Pieces, Script, Step};
pub use seen::{Seen, SeenResult};
