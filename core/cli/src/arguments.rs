//! The arguments, and the options that they stand for.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use lodger::login::{self, ConfigFolder};
use lodger::protocol::{
    AgentOptions, Auth, Effort, Endpoint, EndpointKind, Environment, Error, Limits, Mode, Prompt, RequestDelivery,
    RuleOptions, SettingsLayer, TextOrList,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// No prompt may be longer; what is over it is not even read.
const MAX_PROMPT_BYTES: u64 = 32 * 1024 * 1024;

/// Nor a schema; the library takes less still.
const MAX_SCHEMA_BYTES: u64 = 1024 * 1024;

const MODES: [Mode; 4] = [Mode::Ask, Mode::AutoEdit, Mode::FullAuto, Mode::Plan];

/// One prompt, and how it is run.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to do; `-` reads it from standard input
    #[arg(short, long, value_name = "TEXT")]
    prompt: String,

    /// What to print on standard output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) output_format: OutputFormat,

    /// provider/model, such as anthropic/claude-sonnet-5-5; scripted/FILE.json plays a script
    /// [default: LODGER_MODEL of the environment]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// A model that carries on when the one before fails before it has said anything; may be given several times
    #[arg(long, value_name = "MODEL")]
    fallback_model: Vec<String>,

    /// How much the agent may do without asking
    #[arg(long, value_name = "MODE", default_value = Mode::Ask.as_str(), value_parser = modes())]
    mode: Mode,

    /// Calls that run without asking, as a rule such as `run_shell(npm test *)`; may be given several times
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,

    /// Calls that ask, even where the mode would not; wins over `--allow`
    #[arg(long, value_name = "RULE")]
    ask: Vec<String>,

    /// Calls that are refused, whatever the mode is; wins over `--ask` and `--allow`
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,

    /// The folder to work in [default: this one]
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<PathBuf>,

    /// A file that takes down each call, decision and effect, so that nobody can change it unseen
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,

    /// A server to talk to [default: LODGER_BASE_URL of the environment, else the provider's own]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,

    /// What the server of --base-url speaks: anthropic, openai-responses, openai-chat or gemini [default: anthropic]
    #[arg(long, value_name = "API", value_parser = endpoint_kind)]
    api: Option<EndpointKind>,

    /// How much the model should think before it answers: auto, none, minimal, low, medium, high, xhigh or max
    /// [default: auto]
    #[arg(long, value_name = "EFFORT", value_parser = effort)]
    effort: Option<Effort>,

    /// After how long an unanswered question is a refusal; 0 waits for ever [default: 300]
    #[arg(long, value_name = "SECONDS")]
    permission_timeout: Option<u32>,

    /// How many times the model may be called [default: 100]
    #[arg(long, value_name = "N")]
    max_steps: Option<u32>,

    /// How many US dollars it may cost; needs a model whose price is known
    #[arg(long, value_name = "USD")]
    max_budget_usd: Option<f64>,

    /// A file with a JSON Schema of type object that the answer must fit; the answer is then JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,

    /// Added to what the model is told before the conversation
    #[arg(long, value_name = "TEXT")]
    append_system_prompt: Option<String>,
}

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The answer, as it is written; what is done for it goes to standard error
    Text,
    /// The result, as one JSON object
    Json,
    /// Every event, as one line of JSON each; the last is `done`
    StreamJson,
}

impl Arguments {
    /// The options that they stand for.
    pub(crate) fn options(&self, env: &Environment, requests: RequestDelivery) -> Result<AgentOptions, Error> {
        let folder = ConfigFolder::of(env).ok();
        let model = self.model.as_deref().or_else(|| env.get("LODGER_MODEL")).ok_or_else(|| {
            Error::invalid_options(
                "there is no model; give --model provider/model, such as anthropic/claude-sonnet-5-5, or set LODGER_MODEL",
            )
        })?;
        let endpoint = endpoint(self.base_url.as_deref(), self.api, env);
        let mut limits = Limits { max_budget_usd: self.max_budget_usd, ..Limits::default() };
        if let Some(max_steps) = self.max_steps {
            limits.max_steps = max_steps;
        }
        let catalogue = saved_catalogue(folder.as_ref())?;
        let auth = match (&folder, model.split_once('/')) {
            (Some(folder), Some((provider, _))) => {
                saved_login(folder, provider, endpoint.as_ref(), catalogue.as_deref().map(Path::new), env)?
            }
            _ => None,
        };
        Ok(AgentOptions {
            auth,
            catalogue,
            cwd: Some(absolute("--cwd", self.cwd.as_deref().unwrap_or(Path::new(".")))?),
            model: Some(model.to_owned()),
            fallback_models: self.fallback_model.clone(),
            endpoint,
            effort: self.effort.unwrap_or_default(),
            mode: self.mode,
            audit: self.audit.as_deref().map(|path| absolute("--audit", path)).transpose()?,
            allow: rules(&self.allow),
            ask: rules(&self.ask),
            deny: rules(&self.deny),
            settings: settings(env),
            append_instructions: self.append_system_prompt.clone().map(TextOrList::Text),
            output_schema: self.output_schema.as_deref().map(schema).transpose()?,
            requests,
            permission_timeout_ms: self.permission_timeout.map(|seconds| u64::from(seconds) * 1000),
            limits,
            ..AgentOptions::default()
        })
    }

    /// The prompt, from standard input where that is meant.
    pub(crate) fn prompt(&self) -> Result<Prompt, Error> {
        if self.prompt != "-" {
            return Ok(self.prompt.as_str().into());
        }
        let mut bytes = Vec::new();
        stdin()
            .lock()
            .take(MAX_PROMPT_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::invalid_input(format!("the prompt cannot be read from standard input: {error}")))?;
        let text = String::from_utf8(bytes)
            .map_err(|error| Error::invalid_input(format!("the prompt on standard input must be UTF-8: {error}")))?;
        Ok(text.into())
    }
}

/// The schema in a file. Whether it is one is found out where the agent is made.
fn schema(path: &Path) -> Result<Value, Error> {
    let wrong = |what: String| Error::invalid_options(format!("--output-schema {}: {what}", path.display()));
    let mut text = String::new();
    let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
    file.take(MAX_SCHEMA_BYTES).read_to_string(&mut text).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(format!("it is not JSON: {error}")))
}

pub(crate) fn rules(given: &[String]) -> Vec<RuleOptions> {
    given.iter().map(|rule| RuleOptions::Text(rule.clone())).collect()
}

/// The settings files that count: the project's, and the user's where there is a config folder.
pub(crate) fn settings(env: &Environment) -> Vec<SettingsLayer> {
    let user = ConfigFolder::of(env).is_ok().then_some(SettingsLayer::User);
    user.into_iter().chain([SettingsLayer::Project]).collect()
}

pub(crate) fn modes() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(MODES.map(Mode::as_str))
        .map(|name| MODES.into_iter().find(|mode| mode.as_str() == name).unwrap_or_default())
}

/// The person's own catalogue, where there is one.
pub(crate) fn catalogue_of(folder: &ConfigFolder) -> Option<PathBuf> {
    let path = folder.path().join("catalogue.json");
    path.exists().then_some(path)
}

/// The same, as an option.
pub(crate) fn saved_catalogue(folder: Option<&ConfigFolder>) -> Result<Option<String>, Error> {
    folder.and_then(catalogue_of).map(text).transpose()
}

fn effort(name: &str) -> Result<Effort, String> {
    word(name, "auto, none, minimal, low, medium, high, xhigh or max")
}

/// The server that is named, where one is.
pub(crate) fn endpoint(base_url: Option<&str>, api: Option<EndpointKind>, env: &Environment) -> Option<Endpoint> {
    let base_url = base_url.or_else(|| env.get("LODGER_BASE_URL"))?;
    Some(Endpoint::new(api.unwrap_or(EndpointKind::Anthropic), base_url))
}

pub(crate) fn endpoint_kind(name: &str) -> Result<EndpointKind, String> {
    word(name, "anthropic, openai-responses, openai-chat or gemini")
}

/// A word of the vocabulary.
fn word<T: DeserializeOwned>(name: &str, expected: &str) -> Result<T, String> {
    serde_json::from_value(name.into()).map_err(|_| format!("expected {expected}"))
}

/// The saved login of a provider that has no key in the environment. It goes to the provider's own server only: not to one
/// that is named by an argument or the environment.
pub(crate) fn saved_login(
    folder: &ConfigFolder,
    provider: &str,
    endpoint: Option<&Endpoint>,
    catalogue: Option<&Path>,
    env: &Environment,
) -> Result<Option<Auth>, Error> {
    let is_elsewhere = endpoint.is_some() || login::has_base_url(provider, env);
    if provider == "scripted" || is_elsewhere || login::has_key(provider, catalogue, env)? {
        return Ok(None);
    }
    // A name that no provider has is told of where models are made.
    let is_saved = folder.logins().providers()?.iter().any(|saved| saved == provider);
    Ok(is_saved.then(|| Auth::Login { provider: provider.to_owned() }))
}

fn text(path: PathBuf) -> Result<String, Error> {
    let wrong = |path: std::ffi::OsString| {
        Error::invalid_options(format!("the config folder {}: the path must be UTF-8", path.display()))
    };
    path.into_os_string().into_string().map_err(wrong)
}

pub(crate) fn absolute(flag: &str, path: &Path) -> Result<String, Error> {
    let path = std::path::absolute(path)
        .map_err(|error| Error::invalid_options(format!("{flag} {}: {error}", path.display())))?;
    path.into_os_string()
        .into_string()
        .map_err(|path| Error::invalid_options(format!("{flag} {}: the path must be UTF-8", path.display())))
}
