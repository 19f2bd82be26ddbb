//! Lists of rules as options and settings give them, read and held against their own examples.

use lodger_protocol::{Error, Intent, ResolvedAccess, Result, RuleOptions};

use crate::{Analyser, Anchor, CommandLine, Match, Part, Rule, RuleKind};

/// At most so many rules in one layer.
const MAX_RULES: usize = 2_000;
/// At most so many examples of one rule.
const MAX_EXAMPLES: usize = 32;

/// Reads the lists of one layer. Those that ask stand after those that allow, and those that deny last, so that of
/// several that name one thing the strictest counts.
///
/// # Errors
/// `invalid_options` for too many rules, one that cannot be read, and one that its own examples speak against.
pub fn rules(
    allow: &[RuleOptions],
    ask: &[RuleOptions],
    deny: &[RuleOptions],
    anchor: &Anchor,
    analyser: &Analyser,
) -> Result<Vec<Rule>> {
    let count = allow.len() + ask.len() + deny.len();
    if count > MAX_RULES {
        return Err(Error::invalid_options(format!("{count} rules are given; at most {MAX_RULES} are taken")));
    }
    let lists = [(RuleKind::Allow, allow), (RuleKind::Ask, ask), (RuleKind::Deny, deny)];
    lists
        .into_iter()
        .flat_map(|(kind, list)| list.iter().map(move |options| (kind, options)))
        .map(|(kind, options)| {
            let rule = Rule::new(kind, options, anchor)?;
            check_examples(&rule, options, anchor, analyser)?;
            Ok(rule)
        })
        .collect()
}

fn check_examples(rule: &Rule, options: &RuleOptions, anchor: &Anchor, analyser: &Analyser) -> Result<()> {
    let Some(examples) = options.examples() else { return Ok(()) };
    if examples.matches.len() + examples.not_matches.len() > MAX_EXAMPLES {
        return Err(Error::invalid_options(format!("rule {rule}: at most {MAX_EXAMPLES} examples are taken")));
    }
    let wrong = |example: &str, what: &str| {
        Err(Error::invalid_options(format!(
            "rule {rule}: its example {example:?} {what}; mend the rule or the example"
        )))
    };
    for example in &examples.matches {
        if !is_about(rule, example, anchor, analyser) {
            return wrong(example, "is listed under matches, and the rule is not about it");
        }
    }
    for example in &examples.not_matches {
        if is_about(rule, example, anchor, analyser) {
            return wrong(example, "is listed under notMatches, and the rule is about it");
        }
    }
    Ok(())
}

/// Whether a rule is about a command line, a path or a host: whichever of them the example can be.
fn is_about(rule: &Rule, example: &str, anchor: &Anchor, analyser: &Analyser) -> bool {
    let tool = rule.example_tool();
    let line = CommandLine::new(analyser.analyse(example));
    let path = anchor.place(example);
    let access = |intent| ResolvedAccess {
        given: example.to_owned(),
        canonical: path.clone(),
        intent,
        file_id: None,
        inside_roots: true,
        link_count: 1,
        protected: false,
    };
    let (read, write) = (access(Intent::Read), access(Intent::Write));
    let parts = line.commands().map(|(command, all)| Part::Command(command, all)).chain([
        Part::File(&read),
        Part::File(&write),
        Part::Host(example),
    ]);
    parts.into_iter().any(|part| rule.names(tool, &part) == Match::Yes)
}
