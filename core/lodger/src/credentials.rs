//! From option `auth` to the credentials of an agent.

use std::sync::Arc;

use lodger_config::ConfigFolder;
use lodger_model::auth::{Credentials, HostTokens, OAuth, Renewing, TokenSource};
use lodger_net::Transport;
use lodger_protocol::{Auth, Environment, Error, Result};

use crate::login::{SavedTokens, existing};

/// What `auth` and the host's own source of tokens come to. `provider` is whose key a bare one is; a saved login is looked
/// for in the config folder that `env` names, and renewed over `transport`.
pub(crate) fn credentials(
    auth: Option<&Auth>,
    provider: Option<&str>,
    source: Option<&Arc<dyn TokenSource>>,
    env: &Environment,
    transport: &Arc<dyn Transport>,
) -> Result<Credentials> {
    match (auth.cloned(), source) {
        (Some(_), Some(_)) => Err(Error::invalid_options(
            "option auth is given twice: as a value, and as a function that makes tokens; give one of them",
        )),
        (None, Some(source)) => Ok(Credentials::Host(HostTokens::new(Arc::clone(source)))),
        (None, None) => Ok(Credentials::Environment),
        (Some(Auth::ApiKey { api_key }), None) => {
            Ok(Credentials::Key { key: api_key, provider: provider.map(str::to_owned) })
        }
        (Some(Auth::Token { provider, token }), None) => Ok(Credentials::Token { provider, token }),
        (Some(Auth::Login { provider }), None) => {
            let logins = ConfigFolder::of(env)?.logins();
            // Read now, so that a missing one is known before the first prompt; renewed when a request needs it.
            existing(&logins, &provider)?;
            let saved = SavedTokens::new(logins, provider.clone(), OAuth::new(Arc::clone(transport)));
            Ok(Credentials::Login { provider, tokens: Arc::new(Renewing::new(Arc::new(saved))) })
        }
    }
}

/// The model's whole name: one without a provider belongs to the one that `auth` is for.
pub(crate) fn whole_name(model: &str, auth: Option<&Auth>) -> String {
    match auth {
        Some(Auth::Token { provider, .. } | Auth::Login { provider }) if !model.contains('/') => {
            format!("{provider}/{model}")
        }
        _ => model.to_owned(),
    }
}
