//! One rule: `tool(pattern)` or `tool`, and what it says of a part of a call.

mod host_pattern;
mod path_pattern;
mod tool_filter;
mod tool_pattern;

use std::fmt;
use std::path::PathBuf;

use lodger_protocol::{Effect, Error, Result, RuleOptions};

use self::host_pattern::HostPattern;
use self::path_pattern::PathPattern;
pub use self::tool_filter::ToolFilter;
use self::tool_pattern::ToolPattern;
use crate::Part;
use crate::shell::Pattern as WordPattern;

/// At most so many bytes of one rule.
const MAX_RULE_BYTES: usize = 4 * 1024;

/// What a rule does with the calls that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleKind {
    /// They run.
    Allow,
    /// They ask.
    Ask,
    /// They are refused.
    Deny,
}

impl RuleKind {
    /// The kind as options and settings name it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Whether a rule is about a part of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// It is not.
    No,
    /// That is not known before the call runs.
    Perhaps,
    /// It is.
    Yes,
}

/// Where patterns of paths start from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The working folder, canonical.
    pub cwd: Option<PathBuf>,
    /// The home folder.
    pub home: Option<PathBuf>,
}

impl Anchor {
    /// Where a path that a person wrote would be.
    pub(crate) fn place(&self, path: &str) -> PathBuf {
        let (from, path) = match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => (Some(home), rest),
            _ => (self.cwd.as_ref(), path),
        };
        from.map_or_else(|| path.into(), |from| from.join(path))
    }
}

/// A rule, read and ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    kind: RuleKind,
    text: String,
    reason: Option<String>,
    tool: ToolPattern,
    pattern: Option<Pattern>,
}

/// The pattern in each of the forms that it has; which one counts is a matter of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    words: std::result::Result<WordPattern, String>,
    path: std::result::Result<PathPattern, String>,
    host: std::result::Result<HostPattern, String>,
}

impl Rule {
    /// Reads a rule.
    ///
    /// # Errors
    /// `invalid_options` with the rule and what is wrong with it.
    pub fn new(kind: RuleKind, options: &RuleOptions, anchor: &Anchor) -> Result<Self> {
        let text = options.rule().trim();
        let wrong = |why: String| {
            Error::invalid_options(format!(
                "{} rule {text:?}: {why}; expected `tool` or `tool(pattern)`, such as `run_shell(npm test *)`",
                kind.as_str()
            ))
        };
        if text.len() > MAX_RULE_BYTES {
            return Err(Error::invalid_options(format!(
                "{} rule of {} bytes: at most {MAX_RULE_BYTES} are taken",
                kind.as_str(),
                text.len()
            )));
        }
        let (tool, pattern) = divided(text).map_err(&wrong)?;
        let tool = ToolPattern::new(tool).map_err(&wrong)?;
        let pattern = match pattern {
            None => None,
            Some(pattern) => {
                let forms = Pattern {
                    words: WordPattern::parse(pattern).map_err(|error| error.to_string()),
                    path: PathPattern::new(pattern, anchor),
                    host: HostPattern::new(pattern),
                };
                let misfit = match tool.effect() {
                    Some(Effect::Read | Effect::Write) => forms.path.as_ref().err(),
                    Some(Effect::Network) => forms.host.as_ref().err(),
                    Some(Effect::Execute) => forms.words.as_ref().err(),
                    None => None,
                };
                if let Some(misfit) = misfit {
                    return Err(wrong(misfit.clone()));
                }
                Some(forms)
            }
        };
        Ok(Self { kind, text: text.to_owned(), reason: options.reason().map(str::to_owned), tool, pattern })
    }

    /// What it does with the calls that it names.
    #[must_use]
    pub const fn kind(&self) -> RuleKind {
        self.kind
    }

    /// The rule as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why it stands there, in the words of who wrote it.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The path that it closes for reading with all below it, where it is a deny rule such as `read(~/.ssh/**)` without
    /// another wildcard.
    pub(crate) fn unreadable(&self) -> Option<PathBuf> {
        let closes = self.kind == RuleKind::Deny && self.tool.effect() == Some(Effect::Read);
        self.pattern.as_ref().filter(|_| closes)?.path.as_ref().ok()?.place()
    }

    /// The name of a tool to try examples with.
    pub(crate) fn example_tool(&self) -> &str {
        self.text.split('(').next().unwrap_or_default().trim_end()
    }

    /// Whether it is about this part of a call of this tool. A rule that allows must name the part for sure; one that
    /// asks or denies is about all that the part could be.
    #[must_use]
    pub fn names(&self, tool: &str, part: &Part<'_>) -> Match {
        let allows = self.kind == RuleKind::Allow;
        if !self.tool.names(tool, part, !allows) {
            return Match::No;
        }
        let Some(pattern) = &self.pattern else { return Match::Yes };
        let fits = match part {
            Part::Command(command, all) => pattern.words.as_ref().is_ok_and(|words| {
                if allows { all.is_some_and(|all| words.covers(command, all)) } else { words.touches(command) }
            }),
            Part::File(access) => pattern
                .path
                .as_ref()
                .is_ok_and(|path| if allows { path.names(&access.canonical) } else { path.forbids(access) }),
            Part::Host(host) => pattern.host.as_ref().is_ok_and(|pattern| pattern.names(host)),
            Part::Unclear(_) if allows => false,
            Part::Unclear(_) => return Match::Perhaps,
            // What has no words, paths or hosts fits no pattern; a rule that forbids cannot tell, and holds.
            Part::Tool => !allows,
        };
        if fits { Match::Yes } else { Match::No }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The name of the tool, and the pattern if there is one. A pattern that is nothing but `*` is any input.
fn divided(text: &str) -> std::result::Result<(&str, Option<&str>), String> {
    let Some((tool, rest)) = text.split_once('(') else { return Ok((text, None)) };
    let pattern = rest.strip_suffix(')').ok_or("the bracket is not closed at its end")?.trim();
    if pattern.is_empty() {
        return Err("the pattern in the brackets is empty".to_owned());
    }
    if pattern.contains(char::is_control) {
        return Err("the pattern holds a control character".to_owned());
    }
    Ok((tool.trim_end(), (pattern != "*" && pattern != "**").then_some(pattern)))
}
