//! One agent: its parts, its settings, and at most one running turn.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lodger_model::Model;
use lodger_protocol::{
    Clock, Entry, Error, ErrorCode, Limits, Message, MessageId, Mode, Prompt, PromptId, RequestId, Result, SessionId,
    ToolSpec, TurnId, Usage, UsageReport,
};
use lodger_session::{SessionLog, conversation};
use lodger_tools::Registry;
use lodger_workspace::Workspace;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::Outlet;
use crate::context::StepContext;
use crate::requests::{Pending, RequestTable};
use crate::shown;
use crate::turn::{self, Running, Turn};

/// Makes the model of a name.
pub type OpenModel = Box<dyn Fn(&str) -> Result<Arc<dyn Model>> + Send + Sync>;

/// What an agent is made of. Whoever builds it chooses the concrete parts.
pub struct AgentParts {
    /// Names the session.
    pub session_id: SessionId,
    /// The system prompt; empty: none.
    pub system: String,
    /// The model to begin with.
    pub model: Arc<dyn Model>,
    /// Makes the model of another name, for `set_model`.
    pub open_model: OpenModel,
    /// The mode to begin with.
    pub mode: Mode,
    /// The tools on offer.
    pub tools: Registry,
    /// Files and commands; absent: none.
    pub workspace: Option<Arc<dyn Workspace>>,
    /// Bounds.
    pub limits: Limits,
    /// How long a request stays open once handed over; absent: until the turn ends.
    pub request_timeout: Option<Duration>,
    /// The time of events.
    pub clock: Arc<dyn Clock>,
    /// Where turns run.
    pub handle: Handle,
}

/// One conversation. Cheap to clone; all clones are the same agent.
#[derive(Clone)]
pub struct Agent(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) log: SessionLog,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) requests: RequestTable,
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) workspace: Option<Arc<dyn Workspace>>,
    pub(crate) limits: Arc<Limits>,
    system: Arc<str>,
    tools: Arc<Registry>,
    specs: Arc<[ToolSpec]>,
    open_model: OpenModel,
    settings: Mutex<Settings>,
    usage: Mutex<UsageReport>,
    grants: Mutex<HashSet<String>>,
    running: Mutex<Option<Arc<Turn>>>,
    is_running: watch::Sender<bool>,
    closed: AtomicBool,
    handle: Handle,
}

struct Settings {
    mode: Mode,
    model: Arc<dyn Model>,
}

/// At most so many calls are allowed from now on; further ones ask again.
const MAX_GRANTS: usize = 1024;
/// Calls that are larger than this ask each time.
const MAX_GRANT_BYTES: usize = 64 * 1024;

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Agent {
    /// An idle agent with an empty conversation. Starts nothing.
    #[must_use]
    pub fn new(parts: AgentParts) -> Self {
        let specs = parts.tools.specs();
        Self(Arc::new(Shared {
            log: SessionLog::new(parts.session_id, Arc::clone(&parts.clock)),
            clock: parts.clock,
            requests: RequestTable::default(),
            request_timeout: parts.request_timeout,
            workspace: parts.workspace,
            limits: Arc::new(parts.limits),
            system: parts.system.into(),
            tools: Arc::new(parts.tools),
            specs,
            open_model: parts.open_model,
            settings: Mutex::new(Settings { mode: parts.mode, model: parts.model }),
            usage: Mutex::default(),
            grants: Mutex::default(),
            running: Mutex::new(None),
            is_running: watch::Sender::new(false),
            closed: AtomicBool::new(false),
            handle: parts.handle,
        }))
    }

    /// The session.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        self.0.log.session_id()
    }

    /// Starts a turn. It runs from here on, whether or not anybody reads `outlet`.
    ///
    /// # Errors
    /// `closed`; `session_busy` while another turn runs; `invalid_input` for a prompt of the wrong form.
    pub fn prompt(&self, prompt: Prompt, turn_id: TurnId, outlet: Arc<dyn Outlet>) -> Result<()> {
        let content = shown::prompt(prompt)?;
        let mut running = locked(&self.0.running);
        if self.is_closed() {
            return Err(Error::new(ErrorCode::Closed, "the agent is closed; create a new one"));
        }
        if running.is_some() {
            return Err(Error::new(
                ErrorCode::SessionBusy,
                "a prompt is still running; wait for its `done`, or interrupt it",
            ));
        }
        let turn = Arc::new(Turn::new(turn_id, PromptId::fresh(), outlet, Arc::clone(&self.0)));
        *running = Some(Arc::clone(&turn));
        self.0.is_running.send_replace(true);
        drop(running);
        self.0.handle.spawn(turn::run(Running::new(turn), MessageId::fresh(), content));
        Ok(())
    }

    /// Cancels the running turn. True when there was one.
    pub fn interrupt(&self) -> bool {
        let running = locked(&self.0.running).clone();
        running.is_some_and(|turn| {
            turn.cancel();
            true
        })
    }

    /// Cancels that turn, if it still runs.
    pub fn cancel(&self, turn_id: &TurnId) {
        let running = locked(&self.0.running).clone();
        if let Some(turn) = running.filter(|turn| turn.id == *turn_id) {
            turn.cancel();
        }
    }

    /// The mode of the next step.
    pub fn set_mode(&self, mode: Mode) {
        {
            let mut settings = locked(&self.0.settings);
            if settings.mode == mode {
                return;
            }
            settings.mode = mode;
        }
        self.tell(Entry::ModeChanged { mode });
    }

    /// The mode now.
    #[must_use]
    pub fn mode(&self) -> Mode {
        locked(&self.0.settings).mode
    }

    /// The model of the next step.
    ///
    /// # Errors
    /// What the model's maker says: an unknown name, missing credentials.
    pub fn set_model(&self, name: &str) -> Result<()> {
        let model = (self.0.open_model)(name)?;
        let name = model.name().to_owned();
        {
            let mut settings = locked(&self.0.settings);
            let same = settings.model.name() == name;
            settings.model = model;
            if same {
                return Ok(());
            }
        }
        self.tell(Entry::ModelChanged { model: name });
        Ok(())
    }

    /// The name of the model now.
    #[must_use]
    pub fn model(&self) -> String {
        locked(&self.0.settings).model.name().to_owned()
    }

    /// The conversation so far, as the next request would show it.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        conversation(&self.0.log.transcript())
    }

    /// What was used so far.
    #[must_use]
    pub fn usage(&self) -> UsageReport {
        locked(&self.0.usage).clone()
    }

    /// The open request of that id.
    ///
    /// # Errors
    /// `request_settled`, `request_not_found`.
    pub fn request(&self, id: &RequestId) -> Result<Arc<Pending>> {
        self.0.requests.get(id)
    }

    /// Whether `close` was called.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.closed.load(Ordering::SeqCst)
    }

    /// Refuses further prompts and cancels the running turn. Does not wait.
    pub fn close(&self) {
        let running = {
            let running = locked(&self.0.running);
            self.0.closed.store(true, Ordering::SeqCst);
            running.clone()
        };
        if let Some(turn) = running {
            turn.cancel();
        }
    }

    /// Waits until no turn runs.
    pub async fn until_idle(&self) {
        let mut running = self.0.is_running.subscribe();
        // The sender lives as long as this agent does.
        let _ = running.wait_for(|running| !running).await;
    }

    /// Kills what the agent's commands left. Blocking.
    pub fn shut_down_workspace(&self) {
        if let Some(workspace) = &self.0.workspace {
            workspace.shut_down();
        }
    }

    /// Appends an entry that belongs to the session; the running turn's reader is told too.
    fn tell(&self, entry: Entry) {
        let running = locked(&self.0.running).clone();
        match running {
            Some(turn) => turn.append(entry),
            None => self.0.log.append(None, entry, drop),
        }
    }
}

impl Shared {
    /// Freezes what the next step sees.
    pub(crate) fn freeze(&self) -> StepContext {
        let settings = locked(&self.settings);
        StepContext {
            model: Arc::clone(&settings.model),
            mode: settings.mode,
            system: Arc::clone(&self.system),
            tools: Arc::clone(&self.tools),
            specs: Arc::clone(&self.specs),
            limits: Arc::clone(&self.limits),
            workspace: self.workspace.clone(),
        }
    }

    /// Adds one reply's usage and returns the figures so far.
    pub(crate) fn count(&self, reply: Usage, turn: Usage, context_window: Option<u64>) -> UsageReport {
        let mut report = locked(&self.usage);
        report.session += reply;
        report.turn = turn;
        report.context_tokens = reply.context_tokens();
        report.context_window = context_window;
        report.clone()
    }

    /// Allows a call from now on.
    pub(crate) fn grant(&self, call: String) {
        let mut grants = locked(&self.grants);
        if grants.len() < MAX_GRANTS && call.len() <= MAX_GRANT_BYTES {
            grants.insert(call);
        }
    }

    pub(crate) fn is_granted(&self, call: &str) -> bool {
        locked(&self.grants).contains(call)
    }

    /// The turn is over: the next prompt may come.
    pub(crate) fn set_idle(&self) {
        *locked(&self.running) = None;
    }

    /// Whoever waits for the end may go on.
    pub(crate) fn announce_idle(&self) {
        let running = locked(&self.running);
        self.is_running.send_replace(running.is_some());
    }
}
