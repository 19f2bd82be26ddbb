//! Tokens that the host makes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lodger_protocol::{Error, ErrorCode, Result, Secret};

use super::{Credential, Issuer, Renewing};

/// How long the host may take to make a token.
const HOST_TOKEN_TIMEOUT: Duration = Duration::from_secs(60);

/// What a token is wanted for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenRequest {
    /// The base URL of the server that will get the token.
    pub audience: String,
}

/// A token that the host made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    /// Sent as `Authorization: Bearer`.
    pub token: Secret,
    /// Unix milliseconds after which it does not count any more. It is asked for anew some time before. Absent: when the
    /// provider refuses it.
    pub expires_at: Option<u64>,
}

/// A host that makes tokens. Called from any thread of the runtime, for one audience once at a time. An error, a panic, an
/// empty token or no answer within a minute fails the request with `provider_auth`.
pub trait TokenSource: Send + Sync {
    /// Makes a token. One that the provider refused must not be given again.
    fn token(&self, wanted: TokenRequest) -> BoxFuture<'static, Result<IssuedToken>>;
}

/// The tokens of a host, by the server that they are for.
pub struct HostTokens {
    source: Arc<dyn TokenSource>,
    by_audience: Mutex<HashMap<String, Arc<Renewing>>>,
}

impl HostTokens {
    /// Has all tokens made by `source`.
    #[must_use]
    pub fn new(source: Arc<dyn TokenSource>) -> Self {
        Self { source, by_audience: Mutex::default() }
    }

    /// Those for one server. An agent has few: the table grows with the providers of its models.
    pub(crate) fn at(&self, audience: &str) -> Arc<Renewing> {
        let mut known = self.by_audience.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || {
            let host = Host { source: Arc::clone(&self.source), audience: audience.to_owned() };
            Arc::new(Renewing::new(Arc::new(host)))
        };
        Arc::clone(known.entry(audience.to_owned()).or_insert_with(made))
    }
}

struct Host {
    source: Arc<dyn TokenSource>,
    audience: String,
}

impl Issuer for Host {
    fn issue(&self, _: Option<Secret>) -> BoxFuture<'static, Result<Credential>> {
        let made = self.source.token(TokenRequest { audience: self.audience.clone() });
        async move {
            let failed = |what: String| {
                let told = format!("the host gave no token (option auth.token): {what}");
                Error::new(ErrorCode::ProviderAuth, told)
            };
            let token = tokio::time::timeout(HOST_TOKEN_TIMEOUT, made)
                .await
                .map_err(|_| failed(format!("it did not answer within {} s", HOST_TOKEN_TIMEOUT.as_secs())))?
                .map_err(|error| failed(error.message))?;
            if token.token.is_blank() {
                return Err(failed("the token is empty".to_owned()));
            }
            Ok(Credential::bearer(Secret::new(token.token.expose().trim()), token.expires_at))
        }
        .boxed()
    }
}
