//! The decision over one call: allow, ask or deny, with the steps that led there.
//!
//! A call is taken apart, each part is judged for itself, and the strictest judgement is that of the call. For one part
//! the first of these that says something counts:
//!
//! 1. a deny rule of the managed, remote or host layer: refused, and nobody can be asked;
//! 2. a deny rule of any other layer: refused;
//! 3. plan mode, unless the part only reads: refused;
//! 4. an ask rule of any layer, and a deny rule that perhaps is about it: asks;
//! 5. an allow rule of any layer, and what the host allowed from now on: runs;
//! 6. a tool of the host's own: runs, or asks where it says so;
//! 7. the mode.

mod by_mode;

use lodger_protocol::{DeniedBy, Effect, Intent, Mode, ResolvedAccess, Risk, Target, ToolApproval, TraceStep};

use self::by_mode::by_mode;
use crate::shell::{Role, SimpleCommand, Word, is_read_only};
use crate::{CommandLine, Part, Policy, PolicyLayer, Rule, RuleKind, risk_of};

/// At most so many steps of a trace; those that decided come first.
const MAX_TRACE_STEPS: usize = 16;

/// A call, as far as policy needs to know it.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// What the call would do.
    pub target: &'a Target,
    /// Every file that it touches, as the workspace found it.
    pub accesses: &'a [ResolvedAccess],
    /// The command line that it runs, taken apart.
    pub line: Option<&'a CommandLine>,
    /// For a tool that the host offers itself: whether its calls ask.
    pub host_approval: Option<ToolApproval>,
    /// The host allowed exactly this call from now on.
    pub granted: bool,
    /// Rules that the host allowed for the session.
    pub grants: &'a [Rule],
}

/// What is to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Ask the host.
    Ask,
    /// Refuse it.
    Deny {
        /// Who refuses.
        by: DeniedBy,
        /// Told to the model.
        feedback: String,
    },
}

impl Verdict {
    const fn strictness(&self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask => 1,
            Self::Deny { .. } => 2,
        }
    }
}

/// A verdict and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is to happen.
    pub verdict: Verdict,
    /// How much harm the call could do.
    pub risk: Risk,
    /// The steps: what decided comes first.
    pub trace: Vec<TraceStep>,
    /// A rule asks, and so will it ask the next time, whatever the host answers.
    pub asked_by_rule: bool,
}

/// Decides one call.
#[must_use]
pub fn decide(policy: &Policy, mode: Mode, action: Action<'_>) -> Decision {
    let mode = policy.clamp(mode);
    let judge = Judge { policy, mode, action };
    let mut judgements: Vec<Judgement> = parts_of(&action).iter().map(|part| judge.judge(part)).collect();
    // The sort is stable: of equally strict ones the first part of the call speaks.
    judgements.sort_by_key(|judgement| std::cmp::Reverse(judgement.verdict.strictness()));
    let mut trace: Vec<TraceStep> = Vec::new();
    for step in judgements.iter().map(|judgement| &judgement.step) {
        if trace.len() < MAX_TRACE_STEPS && !trace.contains(step) {
            trace.push(step.clone());
        }
    }
    let strictest = judgements.into_iter().next();
    let (verdict, asked_by_rule) =
        strictest.map_or((Verdict::Ask, false), |judgement| (judgement.verdict, judgement.step.rule.is_some()));
    let reads_only = action.line.is_some_and(CommandLine::reads_only);
    Decision {
        risk: risk_of(action.target, action.accesses, reads_only),
        asked_by_rule: asked_by_rule && verdict == Verdict::Ask,
        verdict,
        trace,
    }
}

/// The parts of a call; never none.
pub(crate) fn parts_of<'a>(action: &Action<'a>) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    if let Some(line) = action.line {
        parts.extend(line.unclear().map(Part::Unclear));
        parts.extend(line.commands().map(|(command, all)| Part::Command(command, all)));
    }
    parts.extend(action.accesses.iter().map(Part::File));
    parts.extend(action.target.host.as_deref().map(Part::Host));
    if parts.is_empty() {
        parts.push(Part::Tool);
    }
    parts
}

/// A layer, the rule of it that counts for a part, and what that does with it.
type Said<'a> = (&'a PolicyLayer, &'a Rule, RuleKind);

struct Judgement {
    verdict: Verdict,
    step: TraceStep,
}

struct Judge<'a> {
    policy: &'a Policy,
    mode: Mode,
    action: Action<'a>,
}

impl Judge<'_> {
    fn judge(&self, part: &Part<'_>) -> Judgement {
        let tool = self.action.tool;
        let said: Vec<Said<'_>> = self
            .policy
            .layers()
            .iter()
            .filter_map(|layer| layer.rule_on(tool, part).map(|(rule, kind)| (layer, rule, kind)))
            .collect();
        let first = |wanted| said.iter().find(|(_, _, kind)| *kind == wanted);

        if let Some((layer, rule, _)) = first(RuleKind::Deny) {
            let by = if layer.kind.is_managed() { DeniedBy::Policy } else { DeniedBy::Rule };
            let because = rule.reason().map(|reason| format!(": {reason}")).unwrap_or_default();
            let feedback = format!("the rule {rule} of the {layer} refuses {}{because}", shown(part, tool));
            return Judgement {
                verdict: Verdict::Deny { by, feedback },
                step: rule_step(layer, rule, RuleKind::Deny, &said, part, tool),
            };
        }
        if self.mode == Mode::Plan && self.changes(part) {
            let feedback = "the session is in plan mode: only reading is allowed until it leaves that mode".to_owned();
            let step = step("mode", "plan mode refuses everything but reads".to_owned());
            return Judgement { verdict: Verdict::Deny { by: DeniedBy::Mode, feedback }, step };
        }
        if let Some((layer, rule, _)) = first(RuleKind::Ask) {
            return Judgement { verdict: Verdict::Ask, step: rule_step(layer, rule, RuleKind::Ask, &said, part, tool) };
        }
        if let Some((layer, rule, _)) = first(RuleKind::Allow) {
            return Judgement {
                verdict: Verdict::Allow,
                step: rule_step(layer, rule, RuleKind::Allow, &said, part, tool),
            };
        }
        if let Some(rule) = self.action.grants.iter().find(|rule| rule.names(tool, part) == crate::Match::Yes) {
            let step = TraceStep {
                by: "grant".to_owned(),
                reason: "the host allowed this from now on".to_owned(),
                rule: Some(rule.text().to_owned()),
                layer: None,
            };
            return Judgement { verdict: Verdict::Allow, step };
        }
        if self.action.granted {
            let step = step("grant", "the host allowed exactly this call from now on".to_owned());
            return Judgement { verdict: Verdict::Allow, step };
        }
        let (verdict, by, reason) = match self.action.host_approval {
            Some(ToolApproval::Never) => (Verdict::Allow, "built_in", "the host offers this tool itself".to_owned()),
            Some(ToolApproval::Ask) => {
                (Verdict::Ask, "built_in", "the host offers this tool and wants to be asked".to_owned())
            }
            None => by_mode(self.mode, &self.action, part),
        };
        Judgement { verdict, step: step(by, reason) }
    }

    /// Whether the part does more than look.
    fn changes(&self, part: &Part<'_>) -> bool {
        match part {
            Part::Command(command, _) => command.role != Role::Carries && !is_read_only(command),
            Part::File(access) => {
                access.intent == Intent::Write
                    || (self.action.line.is_none() && self.action.target.effect != Effect::Read)
            }
            Part::Unclear(_) => true,
            Part::Host(_) | Part::Tool => self.action.target.effect != Effect::Read,
        }
    }
}

fn step(by: &str, reason: String) -> TraceStep {
    TraceStep { by: by.to_owned(), reason, rule: None, layer: None }
}

/// The step of a rule that decided; where another layer says otherwise, it is named too.
fn rule_step(
    layer: &PolicyLayer,
    rule: &Rule,
    kind: RuleKind,
    said: &[Said<'_>],
    part: &Part<'_>,
    tool: &str,
) -> TraceStep {
    let overruled = said.iter().find(|(_, _, other)| *other != kind);
    let over = overruled.map(|(layer, rule, _)| format!(", over the rule {rule} of the {layer}")).unwrap_or_default();
    let verb = match (rule.kind(), kind) {
        (RuleKind::Deny, RuleKind::Ask) => "perhaps forbids",
        (_, RuleKind::Allow) => "allows",
        (_, RuleKind::Ask) => "asks for",
        (_, RuleKind::Deny) => "denies",
    };
    TraceStep {
        by: "rule".to_owned(),
        reason: format!("{verb} {}{over}", shown(part, tool)),
        rule: Some(rule.text().to_owned()),
        layer: Some(layer.to_string()),
    }
}

/// A part in words.
fn shown(part: &Part<'_>, tool: &str) -> String {
    match part {
        Part::Command(command, _) => format!("the command `{}`", in_words(command)),
        Part::Unclear(why) => format!("a command line that is not clear ({why})"),
        Part::File(access) => access.canonical.display().to_string(),
        Part::Host(host) => (*host).to_owned(),
        Part::Tool => format!("calls of {tool}"),
    }
}

fn in_words(command: &SimpleCommand) -> String {
    let arguments = command.arguments.iter().map(|word| match word {
        Word::Literal(text) | Word::Varying { text, .. } => text.as_str(),
    });
    std::iter::once(command.program.as_str()).chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(all(test, feature = "shell-analysis"))]
#[allow(clippy::unwrap_used)]
mod tests;
