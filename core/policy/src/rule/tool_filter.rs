//! Which calls somebody is to look at, by tool and effect.

use lodger_protocol::Effect;

use super::ToolPattern;

/// Names of tools and words for effects, any of which is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFilter(Vec<ToolPattern>);

impl ToolFilter {
    /// Reads the names: each as a rule without a pattern names a tool.
    ///
    /// # Errors
    /// The name that is none, and why.
    pub fn new(names: &[impl AsRef<str>]) -> Result<Self, String> {
        let read = |name: &str| ToolPattern::new(name).map_err(|why| format!("{name:?}: {why}"));
        names.iter().map(|name| read(name.as_ref())).collect::<Result<_, _>>().map(Self)
    }

    /// Whether it is about calls of that tool that have that effect.
    #[must_use]
    pub fn names(&self, tool: &str, effect: Effect) -> bool {
        self.0.iter().any(|pattern| pattern.names_calls(tool, effect))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_named_by_its_tool_or_by_its_effect() {
        let filter = ToolFilter::new(&["write", "mcp__*"]).unwrap();
        for (tool, effect, named) in [
            ("edit_file", Effect::Write, true),
            ("mcp__a__b", Effect::Read, true),
            ("read_file", Effect::Read, false),
            ("run_shell", Effect::Execute, false),
            ("write", Effect::Read, true),
        ] {
            assert_eq!(filter.names(tool, effect), named, "{tool} {effect:?}");
        }
        assert!(!ToolFilter::new(&[] as &[&str]).unwrap().names("x", Effect::Write));
    }

    #[test]
    fn what_is_no_name_is_refused_by_itself() {
        assert!(ToolFilter::new(&["run_shell(ls)"]).unwrap_err().starts_with("\"run_shell(ls)\": "));
    }
}
