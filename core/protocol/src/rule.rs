//! A rule about calls, as options and settings write it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule: `tool` for every call of a tool, or `tool(pattern)` for some of them.
///
/// `tool` is a name, `*` in it for any letters, or one of `read`, `write`, `execute`, `network` for every call with that
/// effect. The pattern is about a command (`run_shell(git log *)`), a path (`write(src/**)`) or a host
/// (`network(*.example.com)`), whichever the call has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a rule such as `run_shell(npm test *)`, or {rule, reason?, examples?}")]
pub enum RuleOptions {
    /// The rule alone.
    Text(String),
    /// The rule, and more about it.
    Detailed(DetailedRule),
}

/// A rule with its reason and its examples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DetailedRule {
    /// The rule.
    pub rule: String,
    /// Why it stands there. The model and whoever is asked see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it is about and what not: checked when the rule is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<RuleExamples>,
}

/// Command lines, paths or hosts that show what a rule means. At most 32.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RuleExamples {
    /// The rule is about each of these.
    pub matches: Vec<String>,
    /// The rule is about none of these.
    pub not_matches: Vec<String>,
}

impl RuleOptions {
    /// The rule as it is written.
    #[must_use]
    pub fn rule(&self) -> &str {
        match self {
            Self::Text(rule) | Self::Detailed(DetailedRule { rule, .. }) => rule,
        }
    }

    /// Why it stands there.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::Detailed(rule) => rule.reason.as_deref(),
        }
    }

    /// What shows what it means.
    #[must_use]
    pub const fn examples(&self) -> Option<&RuleExamples> {
        match self {
            Self::Text(_) => None,
            Self::Detailed(rule) => rule.examples.as_ref(),
        }
    }
}

impl From<&str> for RuleOptions {
    fn from(rule: &str) -> Self {
        Self::Text(rule.to_owned())
    }
}
