//! From options to an agent: the one place that chooses concrete parts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lodger_engine::{
    Agent, AgentParts, AskUser, Delivery, Guards, HostTool, OUTPUT_TOOL, OpenModel, OutputSchema, PresentPlan,
    system_prompt,
};
use lodger_model::catalogue::Catalogue;
use lodger_model::{HeldSecrets, Model, ModelSource, Watch, WireTrace};
use lodger_net::{Fetcher, HostFetch, Transport};
use lodger_policy::Policy;
use lodger_protocol::{
    AgentOptions, Diagnostics, Environment, Error, Limits, ListModelsOptions, NetworkOptions, RequestKind, Result,
    SandboxOptions, SandboxRights, SessionId, SystemClock, WebFetchOptions,
};
use lodger_session::Checkpoint;
use lodger_tools::Registry;
use lodger_tools::builtin::WebFetch;
use lodger_workspace::{LocalWorkspace, Workspace};

use crate::audit;
use crate::credentials::{credentials, provider_of, whole_name};
use crate::embed::{CheckHandler, Handlers, Runtime};
use crate::network;
use crate::policy::{analyser, in_force};

/// At most so many tools of the host.
const MAX_HOST_TOOLS: usize = 64;
/// At most so many models that carry on.
const MAX_FALLBACK_MODELS: usize = 8;
/// At most so many bytes of instructions.
const MAX_INSTRUCTION_BYTES: usize = 64 * 1024;

pub(crate) fn engine(
    options: AgentOptions,
    handlers: &Handlers,
    checkpoint: Option<&[u8]>,
    env: &Environment,
    runtime: &Runtime,
    diagnostics: &Diagnostics,
) -> Result<Agent> {
    check_limits(&options.limits)?;
    let system = system_prompt(&options);
    if system.len() > MAX_INSTRUCTION_BYTES {
        return Err(Error::invalid_options(format!(
            "instructions have {} bytes; at most {MAX_INSTRUCTION_BYTES} are taken",
            system.len()
        )));
    }
    let workspace = workspace(&options, env, runtime)?;
    let cwd = workspace.as_ref().map(|workspace| workspace.cwd().to_owned());
    let analyser = analyser();
    let in_force = in_force(&options, cwd.as_deref(), env, &analyser)?;
    let workspace = confined(workspace, &options, &in_force.policy)?;
    let tools = tools(&options, handlers, workspace.is_some(), env, runtime)?;
    let output = options.output_schema.clone().map(OutputSchema::new).transpose()?;
    let request_timeout = options.permission_timeout_ms().map(Duration::from_millis);

    let guards = Guards::new(&options.checks, handlers.check == CheckHandler::Always, workspace.is_some())?;
    let trace = match &options.debug.trace {
        Some(path) => Some(WireTrace::open(&place("debug.trace", path, cwd.as_deref())?)?),
        None => None,
    };
    let held = HeldSecrets::default();
    let audit = match &options.audit {
        Some(path) => Some(audit::open(&place("audit", path, cwd.as_deref())?, &options, env, held.clone())?),
        None => None,
    };
    let catalogue = catalogue(options.catalogue.as_deref(), cwd.as_deref())?;
    // A key for a server of the host's is for whatever it serves; any other is for one provider alone.
    let provider = match (&options.endpoint, options.model.as_deref()) {
        (None, Some(model)) => model.split_once('/').map(|(provider, _)| provider),
        _ => None,
    };
    let transport = transport(runtime, handlers.fetch.as_ref(), &options.network, env)?;
    let (has_endpoint, source) = (options.endpoint.is_some(), handlers.token.as_ref());
    let credentials = credentials(options.auth.as_ref(), provider, has_endpoint, &catalogue, source, env, &transport)?;
    let auth = options.auth.clone();
    let models = ModelSource {
        endpoint: options.endpoint,
        credentials,
        catalogue,
        env: env.clone(),
        limits: options.limits.clone(),
        cwd,
        transport,
        watch: Watch { diagnostics: diagnostics.clone(), trace, held },
    };
    let name = whole_name(options.model.as_deref(), auth.as_ref(), &models.catalogue)?;
    let model = models.open(&name)?;
    let open: OpenModel = Box::new(move |name| models.open(&whole_name(Some(name), auth.as_ref(), &models.catalogue)?));
    let fallbacks = fallbacks(&options.fallback_models, &open)?;
    let checkpoint = match checkpoint {
        Some(bytes) => Checkpoint::from_bytes(bytes, options.limits.max_checkpoint_bytes)?,
        None => Checkpoint::default(),
    };

    Agent::new(AgentParts {
        checkpoint,
        session_id: options.session_id.unwrap_or_else(SessionId::fresh),
        system,
        model,
        fallbacks,
        open_model: open,
        effort: options.effort,
        mode: options.mode,
        policy: Arc::new(in_force.policy),
        analyser,
        guards,
        audit,
        tools,
        workspace,
        output,
        ignored_settings: in_force.ignored,
        limits: options.limits,
        spends_from: None,
        request_timeout,
        diagnostics: diagnostics.clone(),
        clock: Arc::new(SystemClock),
        handle: runtime.handle().clone(),
    })
}

/// The models that carry on where another fails, each of which must be one that could be chosen too.
fn fallbacks(names: &[String], open: &OpenModel) -> Result<Vec<Arc<dyn Model>>> {
    if names.len() > MAX_FALLBACK_MODELS {
        return Err(Error::invalid_options(format!(
            "option fallbackModels has {} entries; at most {MAX_FALLBACK_MODELS} are taken",
            names.len()
        )));
    }
    let open = |(index, name): (usize, &String)| {
        let about = |told: String| format!("option fallbackModels[{index}]: {told}");
        if names.iter().take(index).any(|earlier| earlier == name) {
            return Err(Error::invalid_options(about(format!("{name:?} stands there twice"))));
        }
        open(name).map_err(|error| Error { message: about(error.message), ..error })
    };
    names.iter().enumerate().map(open).collect()
}

/// Who lists the models of which provider.
pub(crate) fn list(
    options: ListModelsOptions,
    env: &Environment,
    runtime: &Runtime,
    handlers: &Handlers,
) -> Result<(ModelSource, String)> {
    check_limits(&options.limits)?;
    let provider = options
        .provider
        .clone()
        .or_else(|| provider_of(options.auth.as_ref()).map(str::to_owned))
        .ok_or_else(|| Error::invalid_options("option provider is missing; expected a name, such as anthropic"))?;
    let transport = transport(runtime, handlers.fetch.as_ref(), &options.network, env)?;
    let catalogue = catalogue(options.catalogue.as_deref(), None)?;
    let (auth, has_endpoint) = (options.auth.as_ref(), options.endpoint.is_some());
    let token = handlers.token.as_ref();
    let source = ModelSource {
        credentials: credentials(auth, Some(&provider), has_endpoint, &catalogue, token, env, &transport)?,
        endpoint: options.endpoint,
        catalogue,
        env: env.clone(),
        limits: options.limits,
        cwd: None,
        transport,
        watch: Watch::default(),
    };
    Ok((source, provider))
}

fn transport(
    runtime: &Runtime,
    fetch: Option<&Arc<dyn Fetcher>>,
    options: &NetworkOptions,
    env: &Environment,
) -> Result<Arc<dyn Transport>> {
    match fetch {
        Some(fetcher) => Ok(Arc::new(HostFetch::new(Arc::clone(fetcher)))),
        None => Ok(Arc::new(runtime.clients().by(network::settings(options, env)?)?)),
    }
}

fn catalogue(path: Option<&str>, cwd: Option<&Path>) -> Result<Catalogue> {
    match path {
        Some(path) => Catalogue::with_file(&place("catalogue", path, cwd)?),
        None => Ok(Catalogue::default()),
    }
}

pub(crate) fn workspace(
    options: &AgentOptions,
    env: &Environment,
    runtime: &Runtime,
) -> Result<Option<LocalWorkspace>> {
    let Some(cwd) = &options.cwd else {
        let needs_cwd = [("roots", !options.roots.is_empty()), ("sandbox", rights(options).is_some())];
        return match needs_cwd.iter().find(|(_, is_set)| *is_set) {
            Some((name, _)) => {
                Err(Error::invalid_options(format!("option {name} is set without cwd; set cwd, the folder to work in")))
            }
            None => Ok(None),
        };
    };
    let roots: Vec<PathBuf> = options.roots.iter().map(PathBuf::from).collect();
    let children = env.for_children(&options.env);
    let workspace = LocalWorkspace::open(Path::new(cwd), &roots, children, Arc::clone(runtime.processes()))?;
    Ok(Some(workspace.sharing(Arc::clone(runtime.files()))))
}

/// The workspace with its commands in the sandbox that was asked for.
fn confined(
    workspace: Option<LocalWorkspace>,
    options: &AgentOptions,
    policy: &Policy,
) -> Result<Option<Arc<dyn Workspace>>> {
    Ok(match (workspace, rights(options)) {
        (Some(workspace), Some(rights)) => Some(Arc::new(workspace.sandboxed(&rights, policy.unreadable())?)),
        (Some(workspace), None) => Some(Arc::new(workspace)),
        (None, _) => None,
    })
}

fn rights(options: &AgentOptions) -> Option<SandboxRights> {
    options.sandbox.as_ref().and_then(SandboxOptions::rights)
}

fn web_fetch(
    options: &WebFetchOptions,
    network: &NetworkOptions,
    env: &Environment,
    runtime: &Runtime,
) -> Result<WebFetch> {
    let clients = runtime.clients().by(network::settings(network, env)?)?;
    Ok(WebFetch::new(Arc::new(network::web(options, &clients)?), options))
}

pub(crate) fn tools(
    options: &AgentOptions,
    handlers: &Handlers,
    with_folder: bool,
    env: &Environment,
    runtime: &Runtime,
) -> Result<Registry> {
    if options.tools.len() > MAX_HOST_TOOLS {
        return Err(Error::invalid_options(format!(
            "{} tools are declared; at most {MAX_HOST_TOOLS} are taken",
            options.tools.len()
        )));
    }
    let mut registry = Registry::default();
    if with_folder {
        for tool in lodger_tools::builtin::tools() {
            registry.add(tool);
        }
    }
    if let Some(web) = &options.web_fetch {
        let tool = web_fetch(web, &options.network, env, runtime)?;
        registry.add(Arc::new(tool));
    }
    let answered = |kind| handlers.delivery(kind, options.requests) != Delivery::Refused;
    registry.add(Arc::new(AskUser::new(answered(RequestKind::Question))));
    registry.add(Arc::new(PresentPlan::new(answered(RequestKind::Plan))));
    let mut names = HashSet::new();
    for (index, tool) in options.tools.iter().enumerate() {
        if !names.insert(&tool.name) {
            return Err(Error::invalid_options(format!("tools[{index}].name: {:?} is declared twice", tool.name)));
        }
        if options.output_schema.is_some() && tool.name == OUTPUT_TOOL {
            return Err(Error::invalid_options(format!(
                "tools[{index}].name is {OUTPUT_TOOL:?}, which takes the answer for option outputSchema; choose another"
            )));
        }
        registry.add(Arc::new(HostTool::new(index, tool)?));
    }
    Ok(registry)
}

/// Where a file of the options is.
fn place(option: &str, path: &str, cwd: Option<&Path>) -> Result<PathBuf> {
    let place = cwd.map_or_else(|| PathBuf::from(path), |cwd| cwd.join(path));
    if place.is_absolute() {
        return Ok(place);
    }
    Err(Error::invalid_options(format!(
        "option {option}: {path:?} is relative and there is no cwd; give an absolute path"
    )))
}

fn check_limits(limits: &Limits) -> Result<()> {
    let least_one = [
        ("maxSteps", u64::from(limits.max_steps)),
        ("maxOutputTokens", u64::from(limits.max_output_tokens)),
        ("maxBudgetTokens", limits.max_budget_tokens.unwrap_or(1)),
        ("maxToolOutputBytes", limits.max_tool_output_bytes as u64),
        ("maxCheckpointBytes", limits.max_checkpoint_bytes as u64),
        ("commandTimeoutMs", limits.command_timeout_ms),
        ("stallTimeoutMs", limits.stall_timeout_ms),
        ("queueTimeoutMs", limits.queue_timeout_ms),
        ("connectTimeoutMs", limits.connect_timeout_ms),
        ("firstByteTimeoutMs", limits.first_byte_timeout_ms),
        ("gapTimeoutMs", limits.gap_timeout_ms),
    ];
    if limits.max_budget_usd.is_some_and(|usd| !(usd.is_finite() && usd > 0.0)) {
        return Err(Error::invalid_options("option limits.maxBudgetUsd must be a finite number above 0"));
    }
    match least_one.iter().find(|(_, value)| *value == 0) {
        Some((name, _)) => Err(Error::invalid_options(format!("option limits.{name} is 0; expected at least 1"))),
        None => Ok(()),
    }
}
