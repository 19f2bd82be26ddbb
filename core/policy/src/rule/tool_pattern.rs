//! Which tools a rule is about: one, all of a family such as `mcp__github__*`, or all with one effect.

use lodger_protocol::{Effect, Intent};

use crate::Part;
use crate::wildcard::Wildcard;

/// A tool's name with `*`, or one of the words `read`, `write`, `execute`, `network`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolPattern {
    name: Wildcard,
    effect: Option<Effect>,
}

impl ToolPattern {
    pub(super) fn new(name: &str) -> Result<Self, String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*' | '.');
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err("the name of a tool has letters, digits, `_`, `-`, `.` and `*` for any of them".to_owned());
        }
        let effect = match name {
            "read" => Some(Effect::Read),
            "write" => Some(Effect::Write),
            "execute" => Some(Effect::Execute),
            "network" => Some(Effect::Network),
            _ => None,
        };
        Ok(Self { name: Wildcard::new(name), effect })
    }

    /// The effect that it stands for, where it is no name.
    pub(super) const fn effect(&self) -> Option<Effect> {
        self.effect
    }

    /// Whether it is about calls of that tool that have that effect.
    pub(super) fn names_calls(&self, tool: &str, effect: Effect) -> bool {
        self.effect == Some(effect) || self.name.names(tool)
    }

    /// Whether it is about this part of a call of that tool.
    ///
    /// `read` that forbids is about writing too: what may not be seen may not be edited either, since an edit shows
    /// what stands there.
    pub(super) fn names(&self, tool: &str, part: &Part<'_>, lenient: bool) -> bool {
        if self.name.names(tool) {
            return true;
        }
        match (self.effect, part) {
            (Some(Effect::Read), Part::File(access)) => lenient || access.intent == Intent::Read,
            (Some(Effect::Write), Part::File(access)) => access.intent == Intent::Write,
            (Some(Effect::Execute), Part::Command(..) | Part::Unclear(_)) | (Some(Effect::Network), Part::Host(_)) => {
                true
            }
            _ => false,
        }
    }
}
