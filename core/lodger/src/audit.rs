//! Audit logs: opened for an agent, and read by whoever wants to know that nobody touched them.

use std::path::Path;

use lodger_engine::Audit;
use lodger_model::{HeldSecrets, Redactor};
use lodger_protocol::{AgentOptions, Auth, Environment, Result, Secret};
use lodger_session::AuditLog;

pub use lodger_session::{Broken, Verified, verify};

/// A secret that is shorter is not looked for: it would be found in any text.
const MIN_SECRET_BYTES: usize = 8;

/// The log at that place, for an agent with these options, in this environment, with what it comes to hold.
pub(crate) fn open(path: &Path, options: &AgentOptions, env: &Environment, held: HeldSecrets) -> Result<Audit> {
    let log = AuditLog::open(path)?;
    held.note(&known(options, env));
    let redactor = Redactor::new();
    Ok(Audit::new(log, move |text| redactor.redact(text, &held.secrets())))
}

/// The secrets that are known from the start. Those that are made or renewed later are noted when they are used.
fn known(options: &AgentOptions, env: &Environment) -> Vec<Secret> {
    let mut all: Vec<Secret> = match &options.auth {
        Some(Auth::ApiKey { api_key }) => vec![api_key.clone()],
        Some(Auth::Token { token, .. }) => vec![token.clone()],
        Some(Auth::Login { .. }) | None => Vec::new(),
    };
    let headers = options.endpoint.iter().flat_map(|endpoint| endpoint.headers.values());
    all.extend(headers.flat_map(|value| Secret::new(value).words()));
    all.extend(options.network.proxy.clone());
    all.extend(env.secrets());
    all.retain(|secret| secret.expose().len() >= MIN_SECRET_BYTES);
    all
}
