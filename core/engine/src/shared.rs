//! What an agent and its turns share: its parts, its log, and what changes from step to step.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lodger_model::Model;
use lodger_policy::{Analyser, Policy};
use lodger_protocol::{
    Clock, Diagnostics, Effort, Entry, Limits, Mode, Result, SessionId, ToolSpec, Usage, UsageReport,
};
use lodger_session::{Checkpoint, SessionLog};
use lodger_tools::{Registry, Seen};
use lodger_workspace::Workspace;
use tokio::sync::watch;

use crate::OutputSchema;
use crate::answer::INSTRUCTION;
use crate::audit::{Audit, Auditor};
use crate::context::StepContext;
use crate::cost::Cost;
use crate::grants::Grants;
use crate::guards::Guards;
use crate::models::{Cure, Models};
use crate::requests::RequestTable;
use crate::spending::Spending;

/// Makes the model of a name.
pub type OpenModel = Box<dyn Fn(&str) -> Result<Arc<dyn Model>> + Send + Sync>;

/// What an agent is made of. Whoever builds it chooses the concrete parts.
pub struct AgentParts {
    /// Names the session.
    pub session_id: SessionId,
    /// What was said before, and what it used.
    pub checkpoint: Checkpoint,
    /// The system prompt; empty: none.
    pub system: String,
    /// The model to begin with.
    pub model: Arc<dyn Model>,
    /// Those that carry on, in this order, where the one before fails before its first output.
    pub fallbacks: Vec<Arc<dyn Model>>,
    /// Makes the model of another name, for `set_model`.
    pub open_model: OpenModel,
    /// How much models are to think.
    pub effort: Effort,
    /// The mode to begin with.
    pub mode: Mode,
    /// What is allowed, asked for and refused, whatever the mode is.
    pub policy: Arc<Policy>,
    /// Takes command lines apart, for the policy.
    pub analyser: Analyser,
    /// Who judges calls beside policy.
    pub guards: Guards,
    /// Where it is written down what the agent does; absent: nowhere.
    pub audit: Option<Audit>,
    /// The tools on offer.
    pub tools: Registry,
    /// Files and commands; absent: none.
    pub workspace: Option<Arc<dyn Workspace>>,
    /// What the answer of each turn must fit.
    pub output: Option<OutputSchema>,
    /// What in settings counts for nothing, a line each: told in the first turn.
    pub ignored_settings: Vec<String>,
    /// Bounds.
    pub limits: Limits,
    /// What the turn has spent that this agent works for: what it spends itself counts there too, and is bound by what may
    /// be spent there. Absent: it works for nobody but its host.
    pub spends_from: Option<Arc<Spending>>,
    /// How long a request stays open once handed over; absent: until the turn ends.
    pub request_timeout: Option<Duration>,
    /// Who watches.
    pub diagnostics: Diagnostics,
    /// The time of events.
    pub clock: Arc<dyn Clock>,
    /// Where turns run.
    pub handle: tokio::runtime::Handle,
}

pub(crate) struct Shared {
    pub(crate) log: SessionLog,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) requests: RequestTable,
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) workspace: Option<Arc<dyn Workspace>>,
    pub(crate) limits: Arc<Limits>,
    /// What the model was shown of files.
    pub(crate) seen: Arc<Seen>,
    pub(crate) spends_from: Option<Arc<Spending>>,
    pub(crate) output: Option<Arc<OutputSchema>>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) analyser: Analyser,
    pub(crate) guards: Guards,
    pub(crate) auditor: Auditor,
    effort: Effort,
    system: Arc<str>,
    /// The same for a model that gives its answer by a tool.
    system_with_tool: Arc<str>,
    tools: Arc<Registry>,
    pub(crate) open_model: OpenModel,
    settings: Mutex<Settings>,
    usage: Mutex<UsageReport>,
    cost: Mutex<Cost>,
    ignored_settings: Mutex<Vec<String>>,
    grants: Mutex<Grants>,
    /// A turn runs: no prompt may come.
    busy: Mutex<bool>,
    /// The same for those who wait for its end; falls a moment later, when everybody was told.
    is_running: watch::Sender<bool>,
}

struct Settings {
    mode: Mode,
    offered: Offered,
    models: Models,
}

/// What the model is told of the tools in one mode.
struct Offered {
    mode: Mode,
    specs: Arc<[ToolSpec]>,
    /// The same and the tool that takes the answer, where one is to fit a schema.
    with_answer: Arc<[ToolSpec]>,
}

impl Offered {
    fn of(tools: &Registry, mode: Mode, output: Option<&OutputSchema>) -> Self {
        let specs = tools.specs(mode);
        let with_answer = match output {
            Some(output) => specs.iter().chain([output.tool()]).cloned().collect(),
            None => Arc::clone(&specs),
        };
        Self { mode, specs, with_answer }
    }
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(parts: AgentParts) -> Self {
        let cost = cost_of(&parts.checkpoint);
        let mode = parts.policy.clamp(parts.mode);
        let offered = Offered::of(&parts.tools, mode, parts.output.as_ref());
        let system_with_tool = match (&parts.output, parts.system.is_empty()) {
            (None, _) => parts.system.clone(),
            (Some(_), true) => INSTRUCTION.to_owned(),
            (Some(_), false) => format!("{}\n\n{INSTRUCTION}", parts.system.trim_end()),
        };
        let auditor =
            Auditor { audit: parts.audit, session_id: parts.session_id.clone(), clock: Arc::clone(&parts.clock) };
        Self {
            log: SessionLog::restored(parts.session_id, Arc::clone(&parts.clock), parts.checkpoint.history),
            clock: parts.clock,
            requests: RequestTable::default(),
            request_timeout: parts.request_timeout,
            diagnostics: parts.diagnostics,
            workspace: parts.workspace,
            limits: Arc::new(parts.limits),
            seen: Arc::default(),
            spends_from: parts.spends_from,
            output: parts.output.map(Arc::new),
            policy: parts.policy,
            analyser: parts.analyser,
            guards: parts.guards,
            auditor,
            effort: parts.effort,
            system: parts.system.into(),
            system_with_tool: system_with_tool.into(),
            tools: Arc::new(parts.tools),
            open_model: parts.open_model,
            settings: Mutex::new(Settings { mode, offered, models: Models::new(parts.model, parts.fallbacks) }),
            usage: Mutex::new(UsageReport {
                session: parts.checkpoint.usage,
                cost_usd: cost.usd(),
                ..UsageReport::default()
            }),
            cost: Mutex::new(cost),
            ignored_settings: Mutex::new(parts.ignored_settings),
            grants: Mutex::default(),
            busy: Mutex::new(false),
            is_running: watch::Sender::new(false),
        }
    }

    pub(crate) fn mode(&self) -> Mode {
        locked(&self.settings).mode
    }

    /// Sets the mode to what `choose` makes of the one that it is, as far as no lock forbids it. Returns the new one, if it is another.
    pub(crate) fn set_mode(&self, choose: impl FnOnce(Mode) -> Mode) -> Option<Mode> {
        let mut settings = locked(&self.settings);
        let mode = self.policy.clamp(choose(settings.mode));
        (std::mem::replace(&mut settings.mode, mode) != mode).then_some(mode)
    }

    /// The model that was chosen, whichever carries on for it.
    pub(crate) fn model(&self) -> Arc<dyn Model> {
        Arc::clone(locked(&self.settings).models.chosen())
    }

    /// Sets the model. False when it was that already, by name.
    pub(crate) fn set_model(&self, model: Arc<dyn Model>) -> bool {
        locked(&self.settings).models.choose(model)
    }

    /// A turn begins: with the model that was chosen.
    pub(crate) fn start_anew(&self) {
        locked(&self.settings).models.start_anew();
    }

    /// The model that the next step is to ask after one that failed.
    pub(crate) fn carry_on(&self, failed: &Arc<dyn Model>, cure: Cure) -> Option<Arc<dyn Model>> {
        locked(&self.settings).models.carry_on(failed, cure)
    }

    /// What in settings counts for nothing; nothing once that was told.
    pub(crate) fn take_ignored_settings(&self) -> Vec<String> {
        std::mem::take(&mut *locked(&self.ignored_settings))
    }

    pub(crate) fn usage(&self) -> UsageReport {
        locked(&self.usage).clone()
    }

    /// Freezes what the next step sees.
    pub(crate) fn freeze(&self) -> StepContext {
        let mut settings = locked(&self.settings);
        let output = self.output.as_deref();
        if settings.offered.mode != settings.mode {
            settings.offered = Offered::of(&self.tools, settings.mode, output);
        }
        let offered = &settings.offered;
        let is_held =
            output.is_some_and(|output| settings.models.now().holds_to(output.schema(), !offered.specs.is_empty()));
        let (system, specs) = match is_held {
            true => (&self.system, &offered.specs),
            false => (&self.system_with_tool, &offered.with_answer),
        };
        StepContext {
            model: Arc::clone(settings.models.now()),
            effort: self.effort,
            mode: settings.mode,
            system: Arc::clone(system),
            tools: Arc::clone(&self.tools),
            specs: Arc::clone(specs),
            output: self.output.clone(),
            is_held,
            limits: Arc::clone(&self.limits),
            workspace: self.workspace.clone(),
        }
    }

    /// Adds one reply's usage and returns the figures so far.
    pub(crate) fn count(
        &self,
        reply: Usage,
        cost: Option<f64>,
        turn: Usage,
        context_window: Option<u64>,
    ) -> UsageReport {
        let mut total = locked(&self.cost);
        total.add(cost);
        let mut report = locked(&self.usage);
        report.cost_usd = total.usd();
        report.session += reply;
        report.turn = turn;
        report.context_tokens = reply.context_tokens();
        report.context_window = context_window;
        report.clone()
    }

    /// What the host allowed from now on.
    pub(crate) fn grants(&self) -> MutexGuard<'_, Grants> {
        locked(&self.grants)
    }

    /// Takes the one place of a running turn. False when it is taken.
    pub(crate) fn set_busy(&self) -> bool {
        let mut busy = locked(&self.busy);
        if std::mem::replace(&mut *busy, true) {
            return false;
        }
        self.is_running.send_replace(true);
        true
    }

    pub(crate) fn is_busy(&self) -> bool {
        *locked(&self.busy)
    }

    /// The turn is over: the next prompt may come.
    pub(crate) fn set_idle(&self) {
        *locked(&self.busy) = false;
    }

    /// Everybody was told: whoever waits for the end may go on.
    pub(crate) fn announce_idle(&self) {
        let busy = locked(&self.busy);
        self.is_running.send_replace(*busy);
    }

    /// Whether no turn runs, and everybody was told of the last one's end.
    pub(crate) fn is_over(&self) -> bool {
        !*self.is_running.borrow()
    }

    pub(crate) async fn until_idle(&self) {
        let mut running = self.is_running.subscribe();
        // The sender lives as long as this does.
        let _ = running.wait_for(|running| !running).await;
    }
}

/// What the replies of a kept session cost.
fn cost_of(checkpoint: &Checkpoint) -> Cost {
    let mut cost = Cost::default();
    for kept in &checkpoint.history {
        if let Entry::AssistantMessage { cost_usd, .. } = &kept.entry {
            cost.add(*cost_usd);
        }
    }
    cost
}
