//! Rules to offer with a question: what the host may allow from now on, in one rule, the narrowest first.
//!
//! A rule is offered only if it is about the whole of what was asked and can be written so that it is about nothing
//! that a person would not expect.

use std::path::Path;

use lodger_protocol::{Intent, ResolvedAccess, RuleOptions};

use crate::decide::parts_of;
use crate::{Action, Anchor, CommandLine, Match, Part, Rule, RuleKind};

/// At most so many bytes of a rule that is offered.
const MAX_SUGGESTED_BYTES: usize = 512;

/// Rules that would allow this call, the narrowest first. Empty where there is none to offer.
#[must_use]
pub fn suggest(action: &Action<'_>) -> Vec<String> {
    let parts = parts_of(action);
    let offered = match parts.as_slice() {
        [Part::Command(..)] => {
            action.line.and_then(CommandLine::pattern).map(|it| format!("{}({it})", action.tool)).into_iter().collect()
        }
        [Part::File(access)] => of_file(access),
        [Part::Host(host)] => vec![format!("{}({host})", action.tool)],
        [Part::Tool] => vec![action.tool.to_owned()],
        _ => Vec::new(),
    };
    offered.into_iter().filter(|rule| is_about_all(rule, action.tool, &parts)).collect()
}

/// This file, or all of its folder.
fn of_file(access: &ResolvedAccess) -> Vec<String> {
    let effect = if access.intent == Intent::Read { "read" } else { "write" };
    let written = |path: &Path| path.to_str().filter(|path| !path.contains(has_meaning)).map(str::to_owned);
    let file = written(&access.canonical).map(|path| format!("{effect}({path})"));
    let folder = access
        .canonical
        .parent()
        .filter(|folder| folder.parent().is_some())
        .and_then(written)
        .map(|folder| format!("{effect}({folder}/**)"));
    file.into_iter().chain(folder).collect()
}

fn has_meaning(c: char) -> bool {
    c.is_control() || matches!(c, '*' | '?' | '(' | ')')
}

fn is_about_all(rule: &str, tool: &str, parts: &[Part<'_>]) -> bool {
    rule.len() <= MAX_SUGGESTED_BYTES
        && Rule::new(RuleKind::Allow, &RuleOptions::Text(rule.to_owned()), &Anchor::default())
            .is_ok_and(|rule| parts.iter().all(|part| rule.names(tool, part) == Match::Yes))
}

#[cfg(test)]
mod tests {
    use lodger_protocol::{Effect, Target, TargetKind};

    use super::*;

    fn action<'a>(target: &'a Target, accesses: &'a [ResolvedAccess], line: Option<&'a CommandLine>) -> Action<'a> {
        Action { tool: "it", target, accesses, line, host_approval: None, granted: false, grants: &[] }
    }

    fn target() -> Target {
        Target {
            summary: "it".to_owned(),
            effect: Effect::Execute,
            kind: TargetKind::Other,
            paths: None,
            command: None,
            host: None,
        }
    }

    fn of_path(path: &str, intent: Intent) -> Vec<String> {
        let access = ResolvedAccess {
            given: path.to_owned(),
            canonical: path.into(),
            intent,
            file_id: None,
            inside_roots: true,
            link_count: 1,
            protected: false,
        };
        suggest(&action(&target(), &[access], None))
    }

    #[cfg(feature = "shell-analysis")]
    #[test]
    fn a_command_is_offered_by_its_words_and_a_line_of_several_or_with_a_file_is_not() {
        let of_line = |text: &str| {
            let line = CommandLine::new(crate::shell::analyse(text));
            suggest(&action(&target(), &[], Some(&line)))
        };
        assert_eq!(of_line("mkdir a"), ["it(mkdir a)"]);
        assert_eq!(of_line("echo 'a (b)'"), ["it(echo 'a (b)')"]);
        for text in ["a; b", "a $x", "sh -c 'a'"] {
            assert!(of_line(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_file_is_offered_alone_and_with_its_folder_but_never_the_whole_disk() {
        assert_eq!(of_path("/w/a.rs", Intent::Write), ["write(/w/a.rs)", "write(/w/**)"]);
        assert_eq!(of_path("/w/a.rs", Intent::Read), ["read(/w/a.rs)", "read(/w/**)"]);
        assert_eq!(of_path("/a", Intent::Read), ["read(/a)"]);
        assert!(of_path("/w/a*/b", Intent::Read).is_empty());
    }

    #[test]
    fn a_tool_without_parts_is_offered_by_its_name() {
        assert_eq!(suggest(&action(&target(), &[], None)), ["it"]);
    }
}
