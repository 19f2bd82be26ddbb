//! Who says what: layers of rules and locks, the strictest on top.
//!
//! A layer can forbid what those below it allow, and never allow what one above it forbids.

use std::fmt;

use lodger_protocol::Mode;

use crate::{Match, Part, Rule, RuleKind};

/// Whose word a layer is, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerKind {
    /// The machine's administrator.
    Managed,
    /// The organisation, from its server.
    Remote,
    /// The host, by a signed bundle.
    Host,
    /// The options of this agent.
    Flags,
    /// The project's settings.
    Project,
    /// The user's settings.
    User,
}

impl LayerKind {
    /// The layer as traces name it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Remote => "remote",
            Self::Host => "host",
            Self::Flags => "flags",
            Self::Project => "project",
            Self::User => "user",
        }
    }

    /// Whether what it forbids is final: nobody can be asked for it.
    #[must_use]
    pub const fn is_managed(self) -> bool {
        match self {
            Self::Managed | Self::Remote | Self::Host => true,
            Self::Flags | Self::Project | Self::User => false,
        }
    }
}

/// One layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyLayer {
    /// Whose word it is.
    pub kind: LayerKind,
    /// Where it was read, such as the path of a file; for traces and errors.
    pub origin: String,
    /// Its rules. Of those that name one part of a call, the last one counts.
    pub rules: Vec<Rule>,
    /// The mode may not be freer than this.
    pub max_mode: Option<Mode>,
    /// Only these models may be used, where any are listed: `provider/model`, `*` for any letters.
    pub models: Option<Vec<String>>,
}

impl PolicyLayer {
    /// A layer that says nothing.
    #[must_use]
    pub fn new(kind: LayerKind, origin: impl Into<String>) -> Self {
        Self { kind, origin: origin.into(), rules: Vec::new(), max_mode: None, models: None }
    }

    /// What is left of a layer that nobody vouches for, such as the settings of an unknown project: all that forbids.
    #[must_use]
    pub fn tightening_only(mut self) -> Self {
        self.rules.retain(|rule| rule.kind() != RuleKind::Allow);
        self
    }

    /// The rule that counts for this part of a call, and what it does with it.
    pub(crate) fn rule_on(&self, tool: &str, part: &Part<'_>) -> Option<(&Rule, RuleKind)> {
        let mut perhaps = None;
        for rule in self.rules.iter().rev() {
            match (rule.names(tool, part), rule.kind()) {
                (Match::No, _) => {}
                (Match::Yes, kind) => {
                    // What perhaps forbids stands later, and so counts before what surely allows.
                    return Some(match (perhaps, kind) {
                        (Some(perhaps), RuleKind::Allow) => (perhaps, RuleKind::Ask),
                        _ => (rule, kind),
                    });
                }
                (Match::Perhaps, _) => perhaps = perhaps.or(Some(rule)),
            }
        }
        perhaps.map(|rule| (rule, RuleKind::Ask))
    }
}

impl fmt::Display for PolicyLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} layer ({})", self.kind.as_str(), self.origin)
    }
}
