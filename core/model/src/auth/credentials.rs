//! Which credentials an agent has, and whose they are.

use std::sync::Arc;

use lodger_protocol::{Environment, Error, ErrorCode, Result, Secret};

use super::{Credential, CredentialSource, Fixed, HostTokens, Renewing};
use crate::catalogue::Catalogue;
use crate::{ModelSpec, ResolvedEndpoint, variable_of};

/// The credentials of an agent. None is shown to a provider that it is not for.
#[derive(Default)]
pub enum Credentials {
    /// The key of the environment for the provider of each model.
    #[default]
    Environment,
    /// An API key. For models of another provider the environment is asked.
    Key {
        /// The key.
        key: Secret,
        /// Whose key it is; absent: every model is at one endpoint, which gets it.
        provider: Option<String>,
    },
    /// A token that nothing renews.
    Token {
        /// Whose token it is.
        provider: String,
        /// The token.
        token: Secret,
    },
    /// A saved login.
    Login {
        /// Whose login it is.
        provider: String,
        /// What it gives out.
        tokens: Arc<Renewing>,
    },
    /// The host makes tokens, for every provider.
    Host(HostTokens),
}

impl Credentials {
    /// Those for the models of one provider at one endpoint. `None`: it is asked without any.
    ///
    /// # Errors
    /// `invalid_options` for a model of another provider than the one they are for;
    /// `provider_auth` naming the places where a key may be when there is none.
    pub(crate) fn at(
        &self,
        spec: &ModelSpec,
        endpoint: &ResolvedEndpoint,
        env: &Environment,
        catalogue: &Catalogue,
    ) -> Result<Option<Arc<dyn CredentialSource>>> {
        match self {
            Self::Key { key, provider } if provider.as_ref().is_none_or(|own| *own == spec.provider) => {
                Ok(Some(fixed(Credential::key(trimmed(key)))))
            }
            Self::Environment | Self::Key { .. } => match key_of(&spec.provider, env, catalogue) {
                Ok(key) => Ok(Some(fixed(Credential::key(key)))),
                Err(_) if endpoint.key_optional => Ok(None),
                Err(error) => Err(error),
            },
            Self::Token { provider, token } => {
                belongs(spec, provider)?;
                Ok(Some(fixed(Credential::bearer(trimmed(token), None))))
            }
            Self::Login { provider, tokens } => {
                belongs(spec, provider)?;
                Ok(Some(Arc::clone(tokens) as _))
            }
            Self::Host(tokens) => Ok(Some(tokens.at(endpoint.base_url.as_str()) as _)),
        }
    }
}

fn fixed(credential: Credential) -> Arc<dyn CredentialSource> {
    Arc::new(Fixed(credential))
}

/// Files and variables often end in a line break.
fn trimmed(secret: &Secret) -> Secret {
    Secret::new(secret.expose().trim())
}

fn belongs(spec: &ModelSpec, provider: &str) -> Result<()> {
    if spec.provider == provider {
        return Ok(());
    }
    Err(Error::invalid_options(format!(
        "`model`: `{}/{}` is no model of `{provider}`, which option auth is for",
        spec.provider,
        spec.model.escape_debug()
    )))
}

/// The key of a provider in the environment: `<PROVIDER>_API_KEY`, unless it takes tokens only, then the other variables
/// that the catalogue has for it. Blanks around it do not count, and nothing but blanks is no key.
///
/// # Errors
/// `provider_auth` naming the variables, when there is none.
pub fn key_of(provider: &str, env: &Environment, catalogue: &Catalogue) -> Result<Secret> {
    let own = variable_of(provider, "API_KEY");
    let known = catalogue.provider(provider);
    let takes_keys = !known.as_ref().is_some_and(|known| known.tokens_only);
    let others = known.map(|known| known.key_variables).unwrap_or_default();
    let mut variables: Vec<&str> = takes_keys.then_some(own.as_str()).into_iter().collect();
    variables.extend(others.iter().map(String::as_str).filter(|name| *name != own));
    let mut keys = variables.iter().filter_map(|name| env.get(name)).map(str::trim).filter(|key| !key.is_empty());
    keys.next().map(Secret::new).ok_or_else(|| {
        let names = variables.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
        let absent = if names.is_empty() { names } else { format!(" and {names} is not in the environment") };
        let told = match takes_keys {
            true => format!("no API key for `{provider}`: `auth.apiKey` is not set{absent}; set one of them"),
            false => format!(
                "no token for `{provider}`: `auth` gives none{absent}; give one as {{ provider, token }}, or a function \
                 that makes tokens"
            ),
        };
        Error::new(ErrorCode::ProviderAuth, told)
    })
}

#[cfg(test)]
mod tests;
