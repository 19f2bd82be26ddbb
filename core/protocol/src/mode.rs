//! How much an agent may do without asking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much an agent may do without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Reads inside the roots run; everything else asks. The default.
    #[default]
    Ask,
    /// File edits inside the roots run too; commands, network and other paths ask.
    AutoEdit,
    /// Nothing asks.
    FullAuto,
    /// Reads only: every call that would change something is refused.
    Plan,
}

impl Mode {
    /// The one of the two that allows less.
    #[must_use]
    pub const fn stricter(self, other: Self) -> Self {
        if self.freedom() <= other.freedom() { self } else { other }
    }

    const fn freedom(self) -> u8 {
        match self {
            Self::Plan => 0,
            Self::Ask => 1,
            Self::AutoEdit => 2,
            Self::FullAuto => 3,
        }
    }

    /// The mode as written in options and events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::AutoEdit => "auto-edit",
            Self::FullAuto => "full-auto",
            Self::Plan => "plan",
        }
    }
}
