//! What the host allowed from now on, for as long as the agent lives.
//!
//! Nothing here is wider than what the host was shown, and none of it enters a checkpoint.

use std::collections::HashSet;

use lodger_policy::{Anchor, Rule, RuleKind};
use lodger_protocol::{Result, RuleOptions};

/// At most so many calls and so many rules; further ones ask again.
const MAX_GRANTS: usize = 1024;
/// Calls that are larger than this ask each time.
const MAX_CALL_BYTES: usize = 64 * 1024;

/// Calls and rules that the host allowed.
#[derive(Default)]
pub(crate) struct Grants {
    calls: HashSet<String>,
    rules: Vec<Rule>,
}

impl Grants {
    /// Allows exactly this call.
    pub(crate) fn add_call(&mut self, call: String) {
        if self.calls.len() < MAX_GRANTS && call.len() <= MAX_CALL_BYTES {
            self.calls.insert(call);
        }
    }

    /// Allows what this rule is about. Rules that are offered name whole paths, so they start nowhere.
    pub(crate) fn add_rule(&mut self, rule: &str) -> Result<()> {
        let rule = Rule::new(RuleKind::Allow, &RuleOptions::Text(rule.to_owned()), &Anchor::default())?;
        if self.rules.len() < MAX_GRANTS && !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
        Ok(())
    }

    /// Whether this call was allowed. Its name is as long as its input, and made only if any was.
    pub(crate) fn has_call(&self, name: impl FnOnce() -> String) -> bool {
        !self.calls.is_empty() && self.calls.contains(&name())
    }

    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }
}
