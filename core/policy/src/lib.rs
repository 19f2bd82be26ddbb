//! May this call run? Pure functions: the same question has the same answer, and nothing here touches the world.
//!
//! Whatever is not understood asks; what cannot ask is refused by the engine.

mod analyser;
mod decide;
mod layer;
mod line;
mod part;
mod policy;
mod risk;
mod rule;
mod rules;
pub mod shell;
mod suggest;
mod wildcard;

pub use analyser::Analyser;
pub use decide::{Action, Decision, Verdict, decide};
pub use layer::{LayerKind, PolicyLayer};
pub use line::{CommandLine, NamedFile};
pub use part::Part;
pub use policy::Policy;
pub use risk::risk_of;
pub use rule::{Anchor, Match, Rule, RuleKind, ToolFilter};
pub use rules::rules;
pub use suggest::suggest;
