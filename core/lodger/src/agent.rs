//! An agent, for Rust.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use lodger_model::auth::{IssuedToken, TokenRequest};
use lodger_net::Fetcher;
use lodger_protocol::{
    AgentOptions, Auth, CheckAnswer, CheckRequest, Diagnostic, Endpoint, Environment, Limits, Message, Mode,
    NetworkOptions, PermissionAnswer, PermissionRequest, PlanAnswer, PlanRequest, Prompt, QuestionAnswer,
    QuestionRequest, Result, RuleOptions, SandboxOptions, Secret, SettingsLayer, TextOrList, ToolOptions, UsageReport,
    WebFetchOptions,
};
use tokio::sync::{oneshot, watch};

use crate::embed::{self, Runtime};
use crate::handlers::{Asked, HandlerSet, Tokens, Watcher, handler};
use crate::pump;
use crate::tool::{IntoToolAnswer, ToolCall};
use crate::turn::Turn;

/// How long `close` waits for the running turn.
const CLOSE: Duration = Duration::from_secs(1);

/// An agent: one conversation, one turn at a time. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    inner: embed::Agent,
    handlers: Arc<HandlerSet>,
    handle: tokio::runtime::Handle,
}

/// Collects what an agent is to be.
#[derive(Default)]
pub struct AgentBuilder {
    options: AgentOptions,
    environment: Environment,
    handlers: HandlerSet,
    runtime: Option<Runtime>,
    checkpoint: Option<Vec<u8>>,
}

impl Agent {
    /// Starts with the defaults.
    #[must_use]
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }

    /// Starts a turn. It runs from here on, whether or not it is read.
    ///
    /// # Errors
    /// `invalid_input`, `closed`, `session_busy`, `forked`.
    pub fn prompt(&self, prompt: impl Into<Prompt>) -> Result<Turn> {
        let turn = self.inner.prompt_with(prompt.into())?;
        let (ended, result) = watch::channel(None);
        self.handle.spawn(pump::run(Arc::clone(turn.core()), Arc::clone(&self.handlers), ended));
        Ok(Turn::new(turn, result))
    }

    /// Cancels the running turn. True when there was one.
    pub fn interrupt(&self) -> bool {
        self.inner.interrupt()
    }

    /// Changes the mode. A stricter one binds at once, a looser one from the next step on.
    ///
    /// # Errors
    /// `closed`, `forked`.
    pub fn set_mode(&self, mode: Mode) -> Result<()> {
        self.inner.set_mode(mode.as_str())
    }

    /// Changes the model, from the next step on.
    ///
    /// # Errors
    /// `invalid_options`, `provider_auth`, `closed`, `forked`.
    pub fn set_model(&self, model: &str) -> Result<()> {
        self.inner.set_model(model)
    }

    /// The conversation so far.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.inner.engine().messages()
    }

    /// What was used so far.
    #[must_use]
    pub fn usage(&self) -> UsageReport {
        self.inner.engine().usage()
    }

    /// The session as bytes: history and usage, nothing that is secret or set. Only between turns.
    ///
    /// # Errors
    /// `session_busy`, `closed`, `checkpoint_too_large`, `forked`.
    pub fn checkpoint(&self) -> Result<Vec<u8>> {
        self.inner.checkpoint()
    }

    /// The session's id.
    #[must_use]
    pub fn session_id(&self) -> String {
        self.inner.session_id()
    }

    /// Answers a request by its id, with an answer in JSON.
    ///
    /// # Errors
    /// `request_not_found`, `request_settled`, `forked`.
    pub fn answer(&self, request_id: &str, answer_json: &str) -> Result<()> {
        self.inner.answer(request_id, answer_json)
    }

    /// Closes the agent: the running turn ends as cancelled, children are killed. Later calls find nothing to do.
    pub async fn close(&self) {
        let (closed, done) = oneshot::channel();
        let tell = move || {
            // Whoever stopped waiting need not know.
            let _ = closed.send(());
        };
        self.inner.begin_close(CLOSE, Box::new(tell));
        // A dropped sender means that the runtime is gone, and with it the agent.
        let _ = done.await;
    }

    /// The language-free agent beneath.
    #[must_use]
    pub const fn embedded(&self) -> &embed::Agent {
        &self.inner
    }
}

impl AgentBuilder {
    /// Takes all options at once; what was set before is lost.
    #[must_use]
    pub fn options(mut self, options: AgentOptions) -> Self {
        self.options = options;
        self
    }

    /// The folder to work in. Without it there are no file and shell tools.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.options.cwd = Some(cwd.into());
        self
    }

    /// `provider/model`.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.options.model = Some(model.into());
        self
    }

    /// Points the model at a server of your choice.
    #[must_use]
    pub fn endpoint(mut self, endpoint: Endpoint) -> Self {
        self.options.endpoint = Some(endpoint);
        self
    }

    /// The way to the provider: proxy, certificates, how many requests at once. What is left open is as the environment
    /// has it.
    #[must_use]
    pub fn network(mut self, network: NetworkOptions) -> Self {
        self.options.network = network;
        self
    }

    /// The provider's API key.
    #[must_use]
    pub fn api_key(mut self, api_key: impl Into<String>) -> Self {
        self.options.auth = Some(Auth::ApiKey { api_key: Secret::from(api_key.into()) });
        self
    }

    /// Credentials, in any of their forms.
    #[must_use]
    pub fn auth(mut self, auth: Auth) -> Self {
        self.options.auth = Some(auth);
        self
    }

    /// Makes the tokens for providers yourself: they are asked for when a request needs one, kept while they count, and
    /// asked for anew ahead of their end and when a provider refuses one. Takes the place of option `auth`.
    #[must_use]
    pub fn token<F>(mut self, make: impl Fn(TokenRequest) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<IssuedToken>> + Send + 'static,
    {
        self.handlers.token = Some(Arc::new(Tokens(make)));
        self
    }

    /// How much the agent may do without asking.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.options.mode = mode;
        self
    }

    /// Confines commands, by a kind alone or by [`SandboxRights`](lodger_protocol::SandboxRights).
    #[must_use]
    pub fn sandbox(mut self, sandbox: impl Into<SandboxOptions>) -> Self {
        self.options.sandbox = Some(sandbox.into());
        self
    }

    /// Lets calls run without asking, by a rule such as `run_shell(npm test *)`. May be called more than once.
    #[must_use]
    pub fn allow(mut self, rule: impl Into<RuleOptions>) -> Self {
        self.options.allow.push(rule.into());
        self
    }

    /// Asks for calls, even where the mode would not. Wins over `allow`.
    #[must_use]
    pub fn ask(mut self, rule: impl Into<RuleOptions>) -> Self {
        self.options.ask.push(rule.into());
        self
    }

    /// Refuses calls, whatever the mode is. Wins over `ask` and `allow`.
    #[must_use]
    pub fn deny(mut self, rule: impl Into<RuleOptions>) -> Self {
        self.options.deny.push(rule.into());
        self
    }

    /// Gives the model the tool `web_fetch`, which reads pages of the web.
    #[must_use]
    pub fn web_fetch(mut self, options: WebFetchOptions) -> Self {
        self.options.web_fetch = Some(options);
        self
    }

    /// Settings files that count beside the managed one, which always does. Default: none.
    #[must_use]
    pub fn settings(mut self, layers: impl IntoIterator<Item = SettingsLayer>) -> Self {
        self.options.settings = layers.into_iter().collect();
        self
    }

    /// Takes the place of the base prompt.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.options.instructions = Some(TextOrList::Text(text.into()));
        self
    }

    /// A JSON Schema of type `object` that the answer of each turn must fit: `TurnResult::structured` is that answer.
    #[must_use]
    pub fn output_schema(mut self, schema: serde_json::Value) -> Self {
        self.options.output_schema = Some(schema);
        self
    }

    /// Bounds.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Where keys are looked up and what children may inherit. Default: nothing. See `host_environment`.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// The runtime to use. Default: one shared by all agents, which lives while one of them does.
    #[must_use]
    pub fn runtime(mut self, runtime: &Runtime) -> Self {
        self.runtime = Some(runtime.clone());
        self
    }

    /// Goes on from bytes of `Agent::checkpoint`, in a session of its own.
    #[must_use]
    pub fn checkpoint(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.checkpoint = Some(bytes.into());
        self
    }

    /// Answers permission requests. Handlers run on the agent's runtime and must not block.
    #[must_use]
    pub fn on_permission<F>(mut self, handle: impl Fn(Asked<PermissionRequest>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PermissionAnswer> + Send + 'static,
    {
        self.handlers.permission = Some(handler(handle));
        self
    }

    /// Answers questions: with this, the model may ask them, by the tool `ask_user`.
    #[must_use]
    pub fn on_question<F>(mut self, handle: impl Fn(Asked<QuestionRequest>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = QuestionAnswer> + Send + 'static,
    {
        self.handlers.question = Some(handler(handle));
        self
    }

    /// Answers plans: with this, the model may leave plan mode, by the tool `present_plan`.
    #[must_use]
    pub fn on_plan<F>(mut self, handle: impl Fn(Asked<PlanRequest>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PlanAnswer> + Send + 'static,
    {
        self.handlers.plan = Some(handler(handle));
        self
    }

    /// Judges changes before they happen, whatever the mode and the rules allow: every call that does more than read, or
    /// those that an entry without a command of option `checks` names.
    #[must_use]
    pub fn on_check<F>(mut self, handle: impl Fn(Asked<CheckRequest>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = CheckAnswer> + Send + 'static,
    {
        self.handlers.check = Some(handler(handle));
        self
    }

    /// Gets diagnostics, in order, from the making of the agent to its end. Called on the thread on which it
    /// happened: return at once. A panic in it is ignored.
    #[must_use]
    pub fn on_diagnostic(mut self, watch: impl Fn(Diagnostic) + Send + Sync + 'static) -> Self {
        self.handlers.diagnostics = Some(Arc::new(Watcher(watch)));
        self
    }

    /// Carries the requests to models yourself: your proxy, your certificates, your log.
    #[must_use]
    pub fn fetcher(mut self, fetcher: Arc<dyn Fetcher>) -> Self {
        self.handlers.fetch = Some(fetcher);
        self
    }

    /// Offers a tool of yours.
    #[must_use]
    pub fn tool<F, A>(mut self, tool: ToolOptions, run: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = A> + Send + 'static,
        A: IntoToolAnswer + 'static,
    {
        let run = move |call| run(call).map(IntoToolAnswer::into_tool_answer).boxed();
        self.handlers.tools.insert(tool.name.clone(), Arc::new(run));
        self.options.tools.push(tool);
        self
    }

    /// Makes the agent. Starts no process, reads no network.
    ///
    /// # Errors
    /// `invalid_options`, `provider_auth`.
    pub fn create(self) -> Result<Agent> {
        let runtime = match self.runtime {
            Some(runtime) => runtime,
            None => Runtime::shared()?,
        };
        let kinds = self.handlers.kinds();
        let inner = embed::Agent::with_options(
            Some(&runtime),
            self.options,
            self.checkpoint.as_deref(),
            self.environment,
            kinds,
        )?;
        Ok(Agent { inner, handlers: Arc::new(self.handlers), handle: runtime.handle().clone() })
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}
