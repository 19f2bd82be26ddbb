//! May this call run? Pure functions: the same question has the same answer, and nothing here touches the world.
//!
//! Whatever is not understood asks; what cannot ask is refused by the engine.

mod decide;
mod risk;
pub mod shell;

pub use decide::{Action, Decision, Verdict, decide};
pub use risk::risk_of;
