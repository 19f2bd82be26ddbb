//! What a host may set when it creates an agent. Unknown names are errors.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Auth, CheckOptions, Mode, NetworkOptions, RuleOptions, SandboxOptions, SessionId};

/// Everything that a host may set when it creates an agent. All of it is optional but `model`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentOptions {
    /// The folder that the agent works in. Absent: no file or shell tools and no base prompt.
    pub cwd: Option<String>,
    /// The folders that the agent may use, in place of `cwd` alone: name `cwd` too if it is to be one of them.
    pub roots: Vec<String>,
    /// `provider/model`, such as `anthropic/claude-sonnet-5-5`; `scripted/FILE.json` plays a script. Where `auth` names a
    /// provider, a name without `/` belongs to that one, and none at all is its default.
    pub model: Option<String>,
    /// Models that carry on, in this order, when the one before fails in a way that another could mend and nothing of its
    /// reply was shown; each named as `model` is. At most 8. They carry on to the end of the turn; the next prompt begins
    /// with `model` again.
    pub fallback_models: Vec<String>,
    /// Points `model` and `fallbackModels` at a server of your choice.
    pub endpoint: Option<Endpoint>,
    /// A file that adds to what is known of providers and models, and wins: see `docs/models.md`. Relative to `cwd`.
    pub catalogue: Option<String>,
    /// Credentials. Absent: `<PROVIDER>_API_KEY` of the environment.
    pub auth: Option<Auth>,
    /// The way to the providers, for requests that no `fetch` of the host's carries.
    pub network: NetworkOptions,
    /// How much the model should think before it answers. Default `auto`.
    pub effort: Effort,
    /// How much the agent may do without asking. Default `ask`.
    pub mode: Mode,
    /// Calls that run without asking: rules such as `run_shell(npm test *)`.
    pub allow: Vec<RuleOptions>,
    /// Calls that ask, even where the mode would not; they win over `allow`.
    pub ask: Vec<RuleOptions>,
    /// Calls that are refused, whatever the mode is; they win over `ask` and `allow`.
    pub deny: Vec<RuleOptions>,
    /// Settings files that count beside the machine's managed one, which always does. Default: none. See
    /// `docs/permissions.md`.
    pub settings: Vec<SettingsLayer>,
    /// Who judges changes before they happen, whatever the mode, the rules and the host say. At most 16. See
    /// `docs/guards.md`.
    pub checks: Vec<CheckOptions>,
    /// A file for the audit log: each call, decision, answer, refusal and effect, in a chain that shows when anybody
    /// changes it; relative to `cwd`. It is made for its owner alone, or gone on with. A call whose record cannot be
    /// written does not run. One agent at a time may write it. See `docs/audit.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// Takes the place of the base prompt. `[]` means none at all.
    pub instructions: Option<TextOrList>,
    /// Added after the base prompt or `instructions`.
    pub append_instructions: Option<TextOrList>,
    /// A JSON Schema of type `object` that the answer of each turn must fit: the result's `structured` is then that answer.
    /// At most 64 KiB, and whole in itself: no `$ref` may lead out of it. See `docs/structured-output.md`.
    pub output_schema: Option<Value>,
    /// Gives the model the tool `web_fetch`, which reads pages of the web; `{}` for the defaults. Absent: it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web_fetch: Option<WebFetchOptions>,
    /// Tools that the host runs. At most 64.
    pub tools: Vec<ToolOptions>,
    /// What of the environment children see.
    pub env: EnvOptions,
    /// What confines commands; tools of yours are not confined. Absent: nothing. See `docs/sandbox.md`.
    pub sandbox: Option<SandboxOptions>,
    /// How requests reach the host. Default `callback`.
    pub requests: RequestDelivery,
    /// After how many milliseconds an unanswered request is refused. Default 300,000; 0 waits for ever.
    pub permission_timeout_ms: Option<u64>,
    /// Bounds.
    pub limits: Limits,
    /// Names the session: 1 to 128 letters, digits, `.`, `_`, `:` or `-`. Default: a fresh id.
    pub session_id: Option<SessionId>,
    /// Aids to find out what goes wrong.
    pub debug: DebugOptions,
}

/// Whose models to list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListModelsOptions {
    /// The provider's name, such as `anthropic`.
    pub provider: Option<String>,
    /// The server to ask, in place of the provider's own.
    pub endpoint: Option<Endpoint>,
    /// Credentials. Absent: `<PROVIDER>_API_KEY` of the environment.
    pub auth: Option<Auth>,
    /// As in the options of an agent.
    pub catalogue: Option<String>,
    /// The way to the provider, if no `fetch` of the host's carries the request.
    pub network: NetworkOptions,
    /// Of these the timeouts of the provider are used.
    pub limits: Limits,
}

/// Aids to find out what goes wrong. Nothing here is on by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DebugOptions {
    /// A file that takes what the agent says to its model and what comes back, one JSON a line; relative to `cwd`.
    /// It is made for its owner alone, or added to; at most 64 MiB are written. Headers are left out, and credentials
    /// where they stand in one piece; the conversation is not.
    pub trace: Option<String>,
}

/// One text, or several that are joined by a blank line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TextOrList {
    /// One text.
    Text(String),
    /// Several; empty ones are left out.
    List(Vec<String>),
}

impl TextOrList {
    /// The whole text, non-empty parts joined by a blank line.
    #[must_use]
    pub fn joined(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(parts) => {
                parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
            }
        }
    }
}

/// The protocol that a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndpointKind {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    OpenaiResponses,
    /// OpenAI Chat Completions, and all that is compatible with it.
    OpenaiChat,
    /// Gemini `streamGenerateContent`.
    Gemini,
}

/// How much a model should think before it answers. Told to each model in the nearest word that it knows; a model
/// that cannot be told ignores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// As the model does by itself.
    #[default]
    Auto,
    /// Not at all, where the model can be told so; else as little as it can.
    None,
    /// As little as it can.
    Minimal,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// More than `high`, where the model knows it.
    Xhigh,
    /// As much as it can.
    Max,
}

/// A server to talk to.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// The protocol.
    pub kind: EndpointKind,
    /// Where it is, without the protocol's own path: `http://127.0.0.1:8080`.
    pub base_url: String,
    /// Sent with each request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Credentials may go over `http`, where anybody on the way can read them, to a server that is neither on this
    /// machine nor in a private network. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_http: bool,
}

impl Endpoint {
    /// A server without headers of its own.
    pub fn new(kind: EndpointKind, base_url: impl Into<String>) -> Self {
        Self { kind, base_url: base_url.into(), headers: BTreeMap::new(), allow_http: false }
    }
}

impl fmt::Debug for Endpoint {
    /// Headers may carry credentials: only their names are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("kind", &self.kind)
            .field("base_url", &self.base_url)
            .field("headers", &self.headers.keys())
            .field("allow_http", &self.allow_http)
            .finish()
    }
}

/// What the tool `web_fetch` may reach and how much it reads. It asks `https` servers at public addresses, whatever
/// their names say, and of others only those that are named here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebFetchOptions {
    /// Hosts that may be fetched from though their addresses are private, and over `http`: names or addresses such as
    /// `wiki.corp.example`, each for itself. Default: none. Rules and modes decide about them as about all others.
    pub private_hosts: Vec<String>,
    /// Fetches through the proxy of option `network` or of the environment. A proxy looks up names itself, so that nobody
    /// sees whether they lead to private addresses. Default false: what only a proxy reaches is refused.
    pub through_proxy: bool,
    /// Bytes of one answer that are read; what is left is not. Default 2 MiB.
    pub max_bytes: usize,
    /// Milliseconds that one call may take, redirects included. Default 30,000.
    pub timeout_ms: u64,
}

impl Default for WebFetchOptions {
    fn default() -> Self {
        Self { private_hosts: Vec::new(), through_proxy: false, max_bytes: 2 * 1024 * 1024, timeout_ms: 30_000 }
    }
}

/// A tool that the host runs: calls arrive as requests of kind `tool`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolOptions {
    /// 1 to 64 of letters, digits, `_` and `-`; unique. The name of a built-in tool replaces that tool.
    pub name: String,
    /// Told to the model.
    pub description: String,
    /// JSON Schema of the input; an object.
    pub input_schema: Value,
    /// After how many milliseconds a call fails. Default 0: it may take as long as it likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// It only looks: its calls run side by side with others, and in mode `plan` too. Default false.
    #[serde(default)]
    pub read_only: bool,
    /// Whether its calls ask. Default `never`.
    #[serde(default, skip_serializing_if = "ToolApproval::is_default")]
    pub approval: ToolApproval,
}

/// Whether calls of a tool of the host ask. Rules come before it: one in `allow` or `ask` wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolApproval {
    /// They run: the host offers the tool and thereby allows its calls.
    #[default]
    Never,
    /// They ask in every mode, `full-auto` too, unless the host has allowed such a call from now on.
    Ask,
}

impl ToolApproval {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Whose settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingsLayer {
    /// The user's: `settings.json` in the config folder.
    User,
    /// The project's: `.lodger/settings.json` in `cwd`. It can forbid and ask, never allow.
    Project,
}

/// What of the host's environment the agent's children see.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct EnvOptions {
    /// What is taken over. Default `safe`.
    pub inherit: EnvInherit,
    /// Added, over what is taken over.
    pub set: BTreeMap<String, String>,
    /// Left out.
    pub unset: Vec<String>,
}

impl fmt::Debug for EnvOptions {
    /// Values may be secrets: only their names are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvOptions")
            .field("inherit", &self.inherit)
            .field("set", &self.set.keys())
            .field("unset", &self.unset)
            .finish()
    }
}

/// How much of the host's environment is taken over. Secrets under names other than those of `safe` are not
/// recognised: leave them out by `unset`, or choose `core`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnvInherit {
    /// All but `*_KEY`, `*_TOKEN`, `*_SECRET`, `*_PASSWORD`, `LD_*`, `DYLD_*`, and that by which a shell would take a
    /// command otherwise: `BASH*`, `CDPATH`, `ENV`, `POSIXLY_CORRECT`, `PS4` and `SHELLOPTS`.
    #[default]
    Safe,
    /// `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TMPDIR`, `TERM`, `LANG`, `LC_*` and `TZ` only.
    Core,
    /// Nothing.
    None,
}

/// How requests reach the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestDelivery {
    /// By the host's handlers. A kind without a handler is refused at once.
    #[default]
    Callback,
    /// As `request_opened` events, answered by id.
    Events,
    /// Not at all, since nobody is there: permissions, questions and plans are refused at once, whatever handlers there
    /// are. Tools and checks of the host run.
    None,
}

/// Bounds of an agent. Each has a default; 0 is not "without limit" unless it says so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Model calls in one turn. Default 100.
    pub max_steps: u32,
    /// Tokens of one reply. Default 16,384.
    pub max_output_tokens: u32,
    /// US dollars that one turn may cost: it ends with `max_budget`, in the middle of a reply if need be. Needs a model
    /// whose price is known. Default: no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_budget_usd: Option<f64>,
    /// Tokens of all kinds that one turn may use, prompts of each model call included; as above. Default: no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_budget_tokens: Option<u64>,
    /// Bytes of one tool result that the model is shown. Default 50 KiB.
    pub max_tool_output_bytes: usize,
    /// Bytes of a checkpoint, written or read. Default 64 MiB.
    pub max_checkpoint_bytes: usize,
    /// Milliseconds that one command may take unless its call says otherwise. Default 120,000.
    pub command_timeout_ms: u64,
    /// Milliseconds that a full event queue may stand unread. Default 600,000.
    pub stall_timeout_ms: u64,
    /// Milliseconds that a request may wait for its turn while `network.maxConnectionsPerHost` others are under way.
    /// Default 600,000.
    pub queue_timeout_ms: u64,
    /// Milliseconds that a connection to the provider may take to be made, TLS and proxy included. Default 30,000.
    pub connect_timeout_ms: u64,
    /// Milliseconds to wait for the provider's first byte. Default 120,000.
    pub first_byte_timeout_ms: u64,
    /// Milliseconds between two pieces of the provider's stream. Default 300,000.
    pub gap_timeout_ms: u64,
    /// How often a request to the provider is sent again when it fails before its first output. Default 4; 0: never.
    pub max_retries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_steps: 100,
            max_output_tokens: 16_384,
            max_budget_usd: None,
            max_budget_tokens: None,
            max_tool_output_bytes: 50 * 1024,
            max_checkpoint_bytes: 64 * 1024 * 1024,
            command_timeout_ms: 120_000,
            stall_timeout_ms: 600_000,
            queue_timeout_ms: 600_000,
            connect_timeout_ms: 30_000,
            first_byte_timeout_ms: 120_000,
            gap_timeout_ms: 300_000,
            max_retries: 4,
        }
    }
}

impl AgentOptions {
    /// How long a request stays open; `None` waits for ever.
    #[must_use]
    pub fn permission_timeout_ms(&self) -> Option<u64> {
        match self.permission_timeout_ms {
            None => Some(300_000),
            Some(0) => None,
            Some(ms) => Some(ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_options_shows_no_secret() {
        let options = AgentOptions {
            endpoint: Some(Endpoint {
                kind: EndpointKind::Anthropic,
                base_url: "http://127.0.0.1:1".to_owned(),
                headers: BTreeMap::from([("authorization".to_owned(), "Bearer sk-secret".to_owned())]),
                allow_http: false,
            }),
            network: NetworkOptions {
                proxy: Some("http://me:sk-secret@proxy.test".to_owned().into()),
                ..NetworkOptions::default()
            },
            auth: Some(Auth::ApiKey { api_key: "sk-secret".into() }),
            env: EnvOptions {
                set: BTreeMap::from([("GITHUB_TOKEN".to_owned(), "sk-secret".to_owned())]),
                ..EnvOptions::default()
            },
            ..AgentOptions::default()
        };
        let printed = format!("{options:?}");
        assert!(printed.contains("authorization") && printed.contains("GITHUB_TOKEN"), "{printed}");
        assert!(!printed.contains("sk-secret"), "{printed}");
    }
}
