//! `present_plan`: the way out of plan mode. The person sees the plan and says whether to go ahead, and in which mode.
//!
//! What the person said is a result; that nobody said anything is a failure of the call, and plan mode stays.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use lodger_protocol::{Answer, Effect, Mode, PlanAnswer, PlanRequest, RequestBody, Target, TargetKind, ToolSpec};
use lodger_tools::{Patience, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

const NAME: &str = "present_plan";

const MAX_PLAN_BYTES: usize = 64 * 1024;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The plan, in Markdown.
    plan: String,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "You are in plan mode: nothing can be changed yet. Once you know what to do, show the user your plan with \
         this. If they approve, plan mode ends and you carry it out.",
    )
});

/// Shows the person a plan. Offered in plan mode where the host can answer plans; elsewhere a call is told why it
/// cannot be.
pub struct PresentPlan {
    answered: bool,
}

impl PresentPlan {
    /// `answered`: this host answers plans.
    #[must_use]
    pub const fn new(answered: bool) -> Self {
        Self { answered }
    }
}

impl Tool for PresentPlan {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn is_offered(&self, mode: Mode) -> bool {
        self.answered && mode == Mode::Plan
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let Input { plan } = input::read(NAME, input)?;
        if plan.trim().is_empty() || plan.len() > MAX_PLAN_BYTES {
            let bytes = plan.len();
            return Err(ToolFailure(format!("plan has {bytes} bytes; expected a text of at most {MAX_PLAN_BYTES}")));
        }
        Ok(Box::new(Plan(PlanRequest { plan })))
    }
}

struct Plan(PlanRequest);

impl ToolRun for Plan {
    fn target(&self) -> Target {
        Target {
            summary: format!("Plan: {}", input::first_line(&self.0.plan)),
            effect: Effect::Read,
            kind: TargetKind::Other,
            paths: None,
            command: None,
            host: None,
        }
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(async move {
            if context.mode != Mode::Plan {
                return ToolOutput::error(format!(
                    "no plan is needed: the session is in {} mode, not in plan mode",
                    context.mode.as_str()
                ));
            }
            match context.host.ask(RequestBody::Plan(self.0), Patience::AsConfigured).await {
                Answer::Plan(answer) => ToolOutput::text(told(answer)),
                Answer::Refused { reason, .. } => ToolOutput::error(format!("rejected: {reason}")),
                Answer::Permission(_) | Answer::Tool(_) | Answer::Question(_) | Answer::Check(_) => {
                    ToolOutput::error("rejected: the host answered something else than was asked")
                }
            }
        })
    }
}

/// What the person said, and what follows from it.
fn told(PlanAnswer { approved, mode, feedback }: PlanAnswer) -> String {
    let said = match (approved, mode) {
        (false, _) => "rejected: the session stays in plan mode".to_owned(),
        (true, None) => "approved: plan mode is over; go ahead".to_owned(),
        (true, Some(Mode::Plan)) => "approved, but the session stays in plan mode".to_owned(),
        (true, Some(mode)) => format!("approved: plan mode is over; go ahead, in {} mode", mode.as_str()),
    };
    match feedback.filter(|feedback| !feedback.trim().is_empty()) {
        Some(feedback) => format!("{said}\nthe user says: {feedback}"),
        None => said,
    }
}
