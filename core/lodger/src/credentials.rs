//! From option `auth` to the credentials of an agent.

use std::sync::Arc;

use lodger_config::ConfigFolder;
use lodger_model::auth::{Credentials, HostTokens, OAuth, Renewing, TokenSource};
use lodger_model::catalogue::Catalogue;
use lodger_net::Transport;
use lodger_protocol::{Auth, Environment, Error, Result};

use crate::login::{SavedTokens, SavingWay, existing};

/// What `auth` and the host's own source of tokens come to. `provider` is whose key a bare one is; a saved login is looked
/// for in the config folder that `env` names, and renewed over `transport`. A token or login belongs to a provider of the
/// catalogue, unless the host `has_endpoint`.
pub(crate) fn credentials(
    auth: Option<&Auth>,
    provider: Option<&str>,
    has_endpoint: bool,
    catalogue: &Catalogue,
    source: Option<&Arc<dyn TokenSource>>,
    env: &Environment,
    transport: &Arc<dyn Transport>,
) -> Result<Credentials> {
    if let Some(provider) = provider_of(auth).filter(|_| !has_endpoint)
        && !catalogue.knows(provider)
    {
        return Err(catalogue.unknown(provider));
    }
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
            let way = SavingWay::of(&provider, catalogue);
            // Read now, so that a missing one is known before the first prompt; renewed when a request needs it.
            existing(&logins, &provider, way)?;
            let saved = SavedTokens::new(logins, provider.clone(), way, OAuth::new(Arc::clone(transport)));
            Ok(Credentials::Login { provider, tokens: Arc::new(Renewing::new(Arc::new(saved))) })
        }
    }
}

/// Whose token or login it is.
pub(crate) fn provider_of(auth: Option<&Auth>) -> Option<&str> {
    match auth? {
        Auth::Token { provider, .. } | Auth::Login { provider } => Some(provider),
        Auth::ApiKey { .. } => None,
    }
}

/// The model's whole name: one without a provider belongs to the one that `auth` is for, and none at all is that one's
/// default.
pub(crate) fn whole_name(model: Option<&str>, auth: Option<&Auth>, catalogue: &Catalogue) -> Result<String> {
    let provider = provider_of(auth);
    if let Some(model) = model {
        return Ok(match provider {
            Some(provider) if !model.contains('/') => format!("{provider}/{model}"),
            _ => model.to_owned(),
        });
    }
    let default = provider.and_then(|provider| {
        let model = catalogue.provider(provider)?.default_model?;
        Some(format!("{provider}/{model}"))
    });
    default.ok_or_else(|| {
        Error::invalid_options("option model is missing; expected provider/model, such as anthropic/claude-sonnet-5-5")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(provider: &str) -> Auth {
        Auth::Token { provider: provider.to_owned(), token: "t".into() }
    }

    fn named(model: Option<&str>, auth: Option<&Auth>) -> Result<String> {
        whole_name(model, auth, &Catalogue::default())
    }

    #[test]
    fn a_model_without_a_provider_belongs_to_the_one_that_auth_is_for() {
        assert_eq!(named(Some("grok-x"), Some(&token("xai"))).unwrap(), "xai/grok-x");
        assert_eq!(named(Some("other/grok-x"), Some(&token("xai"))).unwrap(), "other/grok-x");
        assert_eq!(named(Some("grok-x"), None).unwrap(), "grok-x");
    }

    #[test]
    fn no_model_at_all_is_the_providers_default() {
        let default = Catalogue::default().provider("groq").unwrap().default_model.unwrap();
        assert_eq!(named(None, Some(&token("groq"))).unwrap(), format!("groq/{default}"));
        for auth in [None, Some(&token("ollama")), Some(&token("nobody"))] {
            assert!(named(None, auth).unwrap_err().message.contains("option model is missing"));
        }
    }
}
