//! Why a call would run, ask or be refused, for whoever writes rules.

use lodger_engine::{Caller, explain as say};
use lodger_policy::{Decision, Verdict};
use lodger_protocol::{AgentOptions, Environment, Result, Risk, TraceStep};
use lodger_workspace::Workspace;
use serde::Serialize;
use serde_json::Value;

use crate::embed::{Handlers, Runtime};
use crate::policy::{analyser, in_force};
use crate::wiring;

/// What would happen to a call, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// What would happen.
    pub decision: Outlook,
    /// What decided: `rule`, `mode`, `path`, `command`, `built_in`.
    pub by: String,
    /// The rule that decided, as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The layer that the rule stands in and where that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// How much harm the call could do.
    pub risk: Risk,
    /// What the model would be told of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// How it came about: what decided comes first.
    pub trace: Vec<TraceStep>,
}

/// What would happen to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outlook {
    /// It would run.
    Allow,
    /// Somebody would be asked.
    Ask,
    /// It would be refused.
    Deny,
}

/// Says what would happen to a call of an agent with these options: the same reading of its input, look at its files and
/// judgement as if it were made. Nothing runs, nobody is asked, and no model is needed. Blocking: files are looked up.
///
/// # Errors
/// `invalid_options`; `invalid_input` for a tool that there is not, or an input that it cannot use; `locked_by_policy` for a
/// mode that may not be set; `outside_roots` and the like for a path that cannot be looked up.
pub fn explain(options: &AgentOptions, env: &Environment, tool: &str, input: &Value) -> Result<Explanation> {
    let runtime = Runtime::shared()?;
    let workspace = wiring::workspace(options, env, &runtime)?;
    let tools = wiring::tools(options, &Handlers::default(), workspace.is_some(), env, &runtime)?;
    let analyser = analyser();
    let cwd = workspace.as_ref().map(|workspace| workspace.cwd());
    let policy = in_force(options, cwd, env, &analyser)?.policy;
    if options.mode != lodger_protocol::Mode::default() {
        policy.check_mode(options.mode)?;
    }
    let caller = Caller {
        policy: &policy,
        mode: options.mode,
        tools: &tools,
        workspace: workspace.as_ref().map(|workspace| workspace as &dyn Workspace),
        analyser: &analyser,
    };
    Ok(in_full(say(&caller, tool, input)?))
}

fn in_full(decision: Decision) -> Explanation {
    let (outlook, feedback) = match decision.verdict {
        Verdict::Allow => (Outlook::Allow, None),
        Verdict::Ask => (Outlook::Ask, None),
        Verdict::Deny { feedback, .. } => (Outlook::Deny, Some(feedback)),
    };
    let decisive = decision.trace.first();
    Explanation {
        decision: outlook,
        by: decisive.map(|step| step.by.clone()).unwrap_or_default(),
        rule: decisive.and_then(|step| step.rule.clone()),
        layer: decisive.and_then(|step| step.layer.clone()),
        risk: decision.risk,
        feedback,
        trace: decision.trace,
    }
}
