//! The one door for every effect: parse, declare, resolve, decide, check, ask, write down, attempt, limit.
//!
//! No tool runs but through here, and nothing here knows a tool by name.

mod ask;
mod asked;
mod check;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use lodger_policy::{Decision, Verdict, decide, suggest};
use lodger_protocol::{
    Answer, Checks, DeniedBy, Effect, Error, ErrorCode, Outcome, Passing, PermissionAnswer, PermissionRequest,
    RequestBody, RequestKind, ResolvedAccess, Target, TargetKind, ToolCallId,
};
use lodger_tools::{Ask, MayRead, Patience, Progress, ToolContext, ToolOutput, ToolRun, limited};
use lodger_workspace::Tree;

use self::asked::Places;
pub(crate) use self::asked::{Asked, Found, Pointed, look_up};
use crate::OpenCall;
use crate::context::StepContext;
use crate::outlet::Delivery;
use crate::turn::Turn;

/// How long a cancelled call may take to end by itself.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// What a call is told that its turn's end came before.
const NOT_RUN: &str = "cancelled: the call did not run";

/// What came of a call at the door.
pub(crate) struct Passed {
    pub(crate) output: ToolOutput,
    pub(crate) denied: Option<(DeniedBy, Option<String>)>,
    pub(crate) duration_ms: u64,
}

impl Passed {
    fn failed(output: impl Into<ToolOutput>) -> Self {
        Self { output: output.into(), denied: None, duration_ms: 0 }
    }

    fn denied(by: DeniedBy, feedback: Option<String>) -> Self {
        let told = match &feedback {
            Some(feedback) => format!("permission denied: {feedback}"),
            None => "permission denied".to_owned(),
        };
        Self { output: ToolOutput::error(told), denied: Some((by, feedback)), duration_ms: 0 }
    }
}

/// Takes one call through the door.
pub(crate) async fn pass(turn: &Arc<Turn>, context: &StepContext, call: &OpenCall) -> Passed {
    let Some(tool) = context.tools.get(&call.tool_name) else {
        return Passed::failed(ToolOutput::error(format!(
            "there is no tool {:?}; there are: {}",
            call.tool_name,
            context.specs.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>().join(", ")
        )));
    };
    let run = match tool.parse(&call.input) {
        Ok(run) => run,
        Err(failure) => return Passed::failed(failure),
    };
    let found = match resolve(turn, context, run.as_ref()).await {
        Ok(found) => found,
        Err(error) => return Passed::failed(error),
    };
    let asked = Asked::new(run.target(), tool.host_approval(), &found);
    let places = found.places;
    let decision = asked.judge(turn, context, call);
    if let Verdict::Deny { by, feedback } = decision.verdict {
        return Passed::denied(by, Some(feedback));
    }
    let asks = decision.verdict == Verdict::Ask;
    let (run, places, diff) = match previewed(turn, call, run, places, &asked, asks).await {
        Ok(previewed) => previewed,
        Err(error) => return Passed::failed(error),
    };
    let checks = check::check(turn, context, call, &asked, decision.risk, diff.as_ref()).await;
    let blocked = checks.as_ref().filter(|checks| checks.blocking).map(check::feedback);
    if asks {
        if let Err(denied) = permission(turn, call, &asked, decision, checks, diff).await {
            return *denied;
        }
        // The world went on while the host thought: what is forbidden now stays forbidden.
        if let Verdict::Deny { by, feedback } = asked.judge(turn, context, call).verdict {
            return Passed::denied(by, Some(feedback));
        }
    }
    if turn.cancelled.is_cancelled() {
        return Passed::failed(ToolOutput::error(NOT_RUN));
    }
    if blocked.is_some() {
        return Passed::denied(DeniedBy::Checks, blocked);
    }
    if let Err(error) = turn.shared.auditor.effect(&turn.id, call, &asked.target, &targets_of(&asked)) {
        return Passed::denied(DeniedBy::Audit, Some(error.message));
    }
    attempt(turn, context, call, run, places).await
}

impl Asked {
    /// Judges the call as things are now. A stricter mode binds at once, a looser one from the next step.
    fn judge(&self, turn: &Turn, context: &StepContext, call: &OpenCall) -> Decision {
        let mode = context.mode.stricter(turn.shared.mode());
        let decision = {
            let grants = turn.shared.grants();
            let granted = grants.has_call(|| self.name(&call.tool_name, &call.input));
            decide(&turn.shared.policy, mode, self.action(&call.tool_name, granted, grants.rules()))
        };
        turn.shared.auditor.decision(&turn.id, call, mode, &decision);
        decision
    }
}

/// What the call points to, looked up off the workers.
async fn resolve(turn: &Turn, context: &StepContext, run: &dyn ToolRun) -> Result<Found, Error> {
    let pointed = Pointed::of(run);
    let Some(workspace) = context.workspace.clone().filter(|_| !pointed.is_nowhere()) else {
        return Ok(Found::default());
    };
    let analyser = turn.shared.analyser.clone();
    aside(turn, move || look_up(&pointed, workspace.as_ref(), &analyser)).await?
}

/// Runs blocking work that changes nothing, off the workers. A cancelled turn does not wait for it.
async fn aside<T: Send + 'static>(turn: &Turn, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let done = tokio::select! {
        biased;
        () = turn.cancelled.cancelled() => {
            return Err(Error::new(ErrorCode::Closed, NOT_RUN));
        }
        done = tokio::task::spawn_blocking(work) => done,
    };
    match done {
        Ok(value) => Ok(value),
        Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
        Err(_) => Err(Error::internal("the runtime is shutting down")),
    }
}

type Previewed = (Box<dyn ToolRun>, Places, Option<String>);

/// Makes the diff of the change, and hands the call back with it.
async fn previewed(
    turn: &Turn,
    call: &OpenCall,
    run: Box<dyn ToolRun>,
    places: Places,
    asked: &Asked,
    asks: bool,
) -> Result<Previewed, Error> {
    // What nobody will see is not made.
    let is_asked = asks && turn.outlet.delivery(RequestKind::Permission) != Delivery::Refused;
    if !is_asked && !check::is_checked(turn, call, asked) {
        return Ok((run, places, None));
    }
    aside(turn, move || {
        let diff = run.preview(&places.files);
        (run, places, diff)
    })
    .await
}

/// Asks the host for leave.
async fn permission(
    turn: &Arc<Turn>,
    call: &OpenCall,
    asked: &Asked,
    decision: Decision,
    checks: Option<Checks>,
    diff: Option<String>,
) -> Result<(), Box<Passed>> {
    let is_blocked = checks.as_ref().is_some_and(|checks| checks.blocking);
    let target = asked.target.clone();
    // A rule that asks would ask again whatever is allowed from now on.
    let offered = if decision.asked_by_rule { Vec::new() } else { suggest(&asked.action(&call.tool_name, false, &[])) };
    let body = RequestBody::Permission(Box::new(PermissionRequest {
        tool_name: call.tool_name.clone(),
        label: label_of(&target).to_owned(),
        input: call.input.clone(),
        summary: target.summary.clone(),
        effect: target.effect,
        targets: targets_of(asked),
        target,
        diff,
        risk: decision.risk,
        checks,
        suggested_rules: offered.clone(),
        trace: decision.trace,
    }));
    match ask::ask(turn, call.id.clone(), body, Patience::AsConfigured).await {
        Answer::Permission(PermissionAnswer::AllowOnce {}) => Ok(()),
        // What may not run now is not allowed for later either.
        Answer::Permission(PermissionAnswer::AllowAlways { .. }) if is_blocked => Ok(()),
        Answer::Permission(PermissionAnswer::AllowAlways { rule: None, .. }) => {
            turn.shared.grants().add_call(asked.name(&call.tool_name, &call.input));
            turn.shared.auditor.grant(&turn.id, call, None);
            Ok(())
        }
        Answer::Permission(PermissionAnswer::AllowAlways { rule: Some(rule), .. }) => {
            let added = turn.shared.grants().add_rule(&rule);
            match added {
                Ok(()) => {
                    turn.shared.auditor.grant(&turn.id, call, Some(&rule));
                    Ok(())
                }
                Err(error) => Err(Box::new(Passed::denied(DeniedBy::Host, Some(error.message)))),
            }
        }
        Answer::Permission(PermissionAnswer::Deny { feedback }) => {
            Err(Box::new(Passed::denied(DeniedBy::User, feedback)))
        }
        Answer::Refused { outcome: Outcome::Expired, reason } => {
            Err(Box::new(Passed::denied(DeniedBy::Timeout, Some(reason))))
        }
        Answer::Refused { outcome: Outcome::Cancelled, reason } => {
            Err(Box::new(Passed::failed(ToolOutput::error(reason))))
        }
        Answer::Refused { reason, .. } => Err(Box::new(Passed::denied(DeniedBy::Host, Some(reason)))),
        Answer::Tool(_) | Answer::Question(_) | Answer::Plan(_) | Answer::Check(_) => Err(Box::new(Passed::denied(
            DeniedBy::Host,
            Some("the host answered something else than was asked".to_owned()),
        ))),
    }
}

/// A text that cannot look like two lines.
fn on_one_line(text: &str) -> String {
    if text.contains(char::is_control) { text.escape_default().to_string() } else { text.to_owned() }
}

/// Everything that the call touches, each on one line.
fn targets_of(asked: &Asked) -> Vec<String> {
    let target = &asked.target;
    let named = target.command.iter().chain(&target.host).cloned();
    let paths = asked.accesses.iter().map(|access| on_one_line(&access.canonical.display().to_string()));
    named.chain(paths).collect()
}

/// A title for the question.
const fn label_of(target: &Target) -> &'static str {
    match (target.kind, target.effect) {
        (TargetKind::Command, _) => "Run command",
        (TargetKind::File, Effect::Read) => "Read file",
        (TargetKind::File, _) => "Change file",
        (TargetKind::Network, _) => "Use the network",
        (TargetKind::Mcp, _) => "Call an MCP tool",
        (TargetKind::Other, _) => "Call a tool",
    }
}

/// Runs an allowed call. A cancelled one gets a moment to end by itself, then it is left.
async fn attempt(
    turn: &Arc<Turn>,
    context: &StepContext,
    call: &OpenCall,
    run: Box<dyn ToolRun>,
    places: Places,
) -> Passed {
    let began = Instant::now();
    let link = Arc::new(Link { turn: Arc::clone(turn), call_id: call.id.clone() });
    let mut running = run.run(ToolContext {
        call_id: call.id.clone(),
        may_read: may_read(turn, call, places.tree.as_deref()),
        files: places.files,
        tree: places.tree,
        seen: Arc::clone(&turn.shared.seen),
        workspace: context.workspace.clone(),
        progress: Arc::clone(&link) as Arc<dyn Progress>,
        host: link,
        cancelled: turn.cancelled.clone(),
        stop: turn.stop.clone(),
        limits: Arc::clone(&context.limits),
        mode: context.mode,
    });
    let output = tokio::select! {
        output = &mut running => output,
        () = turn.cancelled.cancelled() => tokio::time::timeout(LAST_WORDS, running)
            .await
            .unwrap_or_else(|_| ToolOutput::error("cancelled: the call did not end in time; its effects are unknown")),
    };
    Passed {
        output: limited(output, context.limits.max_tool_output_bytes),
        denied: None,
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

/// Which of the files that a search finds may be shown: the folder was judged as a whole, and rules may be about files
/// in it.
fn may_read(turn: &Turn, call: &OpenCall, tree: Option<&dyn Tree>) -> MayRead {
    let Some(tree) = tree.filter(|_| turn.shared.policy.has_rules()) else { return Arc::new(|_| true) };
    let (policy, tool, tree) = (Arc::clone(&turn.shared.policy), call.tool_name.clone(), tree.access().clone());
    Arc::new(move |path| policy.shows(&tool, &tree, &ResolvedAccess { canonical: path.to_owned(), ..tree.clone() }))
}

/// What ties a running call to its turn.
struct Link {
    turn: Arc<Turn>,
    call_id: ToolCallId,
}

impl Progress for Link {
    fn ready(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.turn.until_room())
    }

    fn show(&self, stream: &str, text: String) {
        self.turn.pass(Passing::ToolProgress {
            tool_call_id: self.call_id.clone(),
            stream: stream.to_owned(),
            chunk: text,
        });
    }
}

impl Ask for Link {
    fn ask(&self, body: RequestBody, patience: Patience) -> BoxFuture<'static, Answer> {
        let turn = Arc::clone(&self.turn);
        let call_id = self.call_id.clone();
        Box::pin(async move { ask::ask(&turn, call_id, body, patience).await })
    }
}
