//! What takes command lines apart: chosen by whoever builds the agent.

use std::fmt;
use std::sync::Arc;

use crate::shell::{Analysis, NotUnderstood};

/// Takes command lines apart. Without one, no line is understood, so that each one asks.
#[derive(Clone)]
pub struct Analyser(Arc<dyn Fn(&str) -> Analysis + Send + Sync>);

impl Analyser {
    /// Uses this function.
    pub fn new(analyse: impl Fn(&str) -> Analysis + Send + Sync + 'static) -> Self {
        Self(Arc::new(analyse))
    }

    /// Takes a line apart.
    #[must_use]
    pub fn analyse(&self, line: &str) -> Analysis {
        (self.0)(line)
    }
}

impl Default for Analyser {
    fn default() -> Self {
        Self::new(|_| Analysis::NotUnderstood {
            why: NotUnderstood::Syntax("this build does not take command lines apart".to_owned()),
            seen: Vec::new(),
        })
    }
}

impl fmt::Debug for Analyser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Analyser")
    }
}
