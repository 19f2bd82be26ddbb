//! The one door for every effect: parse, declare, resolve, decide, ask, attempt, limit.
//!
//! No tool runs but through here, and nothing here knows a tool by name.

mod ask;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use lodger_policy::{Action, Decision, Verdict, decide};
use lodger_protocol::{
    Answer, DeniedBy, Effect, Error, ErrorCode, Outcome, Passing, PermissionAnswer, PermissionRequest, RequestBody,
    RequestKind, ResolvedAccess, Target, TargetKind, ToolCallId,
};
use lodger_tools::{Ask, Patience, Progress, ToolContext, ToolOutput, ToolRun, limited};
use lodger_workspace::FileHandle;

use crate::OpenCall;
use crate::context::StepContext;
use crate::outlet::Delivery;
use crate::turn::Turn;

/// How long a cancelled call may take to end by itself.
const LAST_WORDS: Duration = Duration::from_secs(2);

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
    let files = match resolve(turn, context, run.as_ref()).await {
        Ok(files) => files,
        Err(error) => return Passed::failed(error),
    };
    let accesses: Vec<ResolvedAccess> = files.iter().map(|file| file.access().clone()).collect();
    let target = resolved_target(run.target(), &accesses);
    // A stricter mode binds at once, a looser one from the next step.
    let decision = decide(
        context.mode.stricter(turn.shared.mode()),
        Action {
            target: &target,
            accesses: &accesses,
            host_offers: tool.host_offers(),
            granted: turn.shared.is_granted(|| name_of_call(call, &accesses)),
        },
    );
    let (run, files) = match decision.verdict {
        Verdict::Allow => (run, files),
        Verdict::Deny { by, feedback } => return Passed::denied(by, Some(feedback)),
        Verdict::Ask => match permission(turn, call, run, files, target, decision, name_of_call(call, &accesses)).await
        {
            Ok(allowed) => allowed,
            Err(denied) => return *denied,
        },
    };
    if turn.cancelled.is_cancelled() {
        return Passed::failed(ToolOutput::error("cancelled: the call did not run"));
    }
    attempt(turn, context, call, run, files).await
}

/// Finds out what the declared paths really are.
async fn resolve(turn: &Turn, context: &StepContext, run: &dyn ToolRun) -> Result<Vec<Box<dyn FileHandle>>, Error> {
    let accesses = run.accesses();
    let Some(workspace) = context.workspace.clone().filter(|_| !accesses.is_empty()) else {
        return Ok(Vec::new());
    };
    aside(turn, move || accesses.iter().map(|access| workspace.resolve(&access.path, access.intent)).collect()).await?
}

/// Runs blocking work that changes nothing, off the workers. A cancelled turn does not wait for it.
async fn aside<T: Send + 'static>(turn: &Turn, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let done = tokio::select! {
        biased;
        () = turn.cancelled.cancelled() => {
            return Err(Error::new(ErrorCode::Closed, "cancelled: the call did not run"));
        }
        done = tokio::task::spawn_blocking(work) => done,
    };
    match done {
        Ok(value) => Ok(value),
        Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
        Err(_) => Err(Error::internal("the runtime is shutting down")),
    }
}

/// The target with its paths as they really are.
fn resolved_target(mut target: Target, accesses: &[ResolvedAccess]) -> Target {
    if target.paths.is_some() {
        target.paths = Some(accesses.iter().map(|access| access.canonical.display().to_string()).collect());
    }
    target
}

/// What "this call, always" means: the same input that leads to the same places.
fn name_of_call(call: &OpenCall, accesses: &[ResolvedAccess]) -> String {
    let mut name = format!("{} {}", call.tool_name, call.input);
    for access in accesses {
        name.push('\0');
        name.push_str(&access.canonical.to_string_lossy());
    }
    name
}

type Allowed = (Box<dyn ToolRun>, Vec<Box<dyn FileHandle>>);

/// Asks the host. Hands the call back if it may run.
async fn permission(
    turn: &Arc<Turn>,
    call: &OpenCall,
    run: Box<dyn ToolRun>,
    files: Vec<Box<dyn FileHandle>>,
    target: Target,
    decision: Decision,
    name_of_call: String,
) -> Result<Allowed, Box<Passed>> {
    let asks = turn.outlet.delivery(RequestKind::Permission) != Delivery::Refused;
    let previewed = aside(turn, move || {
        // What nobody will see is not made.
        let diff = if asks { run.preview(&files) } else { None };
        (run, files, diff)
    });
    let (run, files, diff) = match previewed.await {
        Ok(previewed) => previewed,
        Err(error) => return Err(Box::new(Passed::failed(error))),
    };
    let body = RequestBody::Permission(Box::new(PermissionRequest {
        tool_name: call.tool_name.clone(),
        label: label_of(&target).to_owned(),
        input: call.input.clone(),
        summary: target.summary.clone(),
        effect: target.effect,
        targets: targets_of(&target),
        target,
        diff,
        risk: decision.risk,
        checks: None,
        suggested_rules: Vec::new(),
        trace: decision.trace,
    }));
    match ask::ask(turn, call.id.clone(), body, Patience::AsConfigured).await {
        Answer::Permission(PermissionAnswer::AllowOnce {}) => Ok((run, files)),
        Answer::Permission(PermissionAnswer::AllowAlways { .. }) => {
            turn.shared.grant(name_of_call);
            Ok((run, files))
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
        Answer::Tool(_) | Answer::Question(_) | Answer::Plan(_) => Err(Box::new(Passed::denied(
            DeniedBy::Host,
            Some("the host answered something else than was asked".to_owned()),
        ))),
    }
}

/// Everything that the call touches, each on one line, so that none can look like two.
fn targets_of(target: &Target) -> Vec<String> {
    match (&target.paths, &target.command) {
        (Some(paths), _) => paths
            .iter()
            .map(|path| if path.contains(char::is_control) { path.escape_default().to_string() } else { path.clone() })
            .collect(),
        (None, Some(line)) => vec![line.clone()],
        (None, None) => Vec::new(),
    }
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
    files: Vec<Box<dyn FileHandle>>,
) -> Passed {
    let began = Instant::now();
    let link = Arc::new(Link { turn: Arc::clone(turn), call_id: call.id.clone() });
    let mut running = run.run(ToolContext {
        call_id: call.id.clone(),
        files,
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
