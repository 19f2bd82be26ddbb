//! A saved login as credentials: read when one is wanted, renewed by one process for all.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lodger_config::{LockedLogin, Logins, Renewal, SavedLogin};
use lodger_model::auth::{Credential, Issuer, OAuth, OAuthTokens};
use lodger_model::catalogue::Catalogue;
use lodger_protocol::{Clock, Error, ErrorCode, Result, Secret, SystemClock};
use tokio::time::{Instant, sleep};

/// How long another process that renews the same login is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(120);
/// How often it is looked for.
const LOCK_LOOK: Duration = Duration::from_millis(25);

/// The saved login of one provider.
#[derive(Clone)]
pub(crate) struct SavedTokens {
    logins: Logins,
    provider: String,
    way: SavingWay,
    oauth: OAuth,
}

/// How a login of a provider comes to be saved.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SavingWay {
    /// It has logins of its own, or may have.
    LogIn,
    /// It has none that are Lodger's to use: what the person has already is saved.
    WithSecret,
}

impl SavingWay {
    /// As the catalogue has it. A provider that it does not know may have logins.
    pub(crate) fn of(provider: &str, catalogue: &Catalogue) -> Self {
        match catalogue.provider(provider) {
            Some(known) if known.login.is_none() => Self::WithSecret,
            _ => Self::LogIn,
        }
    }

    /// What to do, after what is wrong.
    fn advice(self, provider: &str) -> String {
        match self {
            Self::LogIn => format!("log in with `lodger login {provider}`"),
            Self::WithSecret => format!(
                "save a token or key that you have with `lodger login {provider} --with-token` or `--with-key`, or give \
                 the token as option auth, {{ provider, token }}"
            ),
        }
    }
}

/// What is saved for a provider.
///
/// # Errors
/// `provider_auth` naming the command that logs in, when nothing is saved or it cannot be read.
pub(crate) fn existing(logins: &Logins, provider: &str, way: SavingWay) -> Result<SavedLogin> {
    logins.load(provider)?.ok_or_else(|| {
        let told = format!("there is no saved login of `{provider}`; {}", way.advice(provider));
        Error::new(ErrorCode::ProviderAuth, told)
    })
}

impl SavedTokens {
    pub(crate) const fn new(logins: Logins, provider: String, way: SavingWay, oauth: OAuth) -> Self {
        Self { logins, provider, way, oauth }
    }

    async fn issued(self, refused: Option<Secret>) -> Result<Credential> {
        let saved = self.read().await?;
        if !self.wants_renewal(&saved, refused.as_ref()) {
            return self.credential(&saved);
        }
        let locked = self.lock().await?;
        // Another process may have done it meanwhile.
        let saved = self.read().await?;
        if !self.wants_renewal(&saved, refused.as_ref()) {
            return self.credential(&saved);
        }
        let SavedLogin::Token { renewal: Some(renewal), .. } = &saved else { return self.credential(&saved) };
        let had = self.oauth.renew(&renewal.token_url, &renewal.client_id, &renewal.refresh_token).await;
        let had = had.map_err(|error| self.not_renewed(error))?;
        let renewed = with(had, renewal);
        let written = renewed.clone();
        aside(move || locked.save(&written)).await?;
        self.credential(&renewed)
    }

    async fn read(&self) -> Result<SavedLogin> {
        let Self { logins, provider, way, .. } = self.clone();
        aside(move || existing(&logins, &provider, way)).await
    }

    fn wants_renewal(&self, saved: &SavedLogin, refused: Option<&Secret>) -> bool {
        let can = matches!(saved, SavedLogin::Token { renewal: Some(_), .. });
        can && (refused == Some(saved.secret()) || saved.is_due(SystemClock.now_ms()))
    }

    async fn lock(&self) -> Result<LockedLogin> {
        let end = Instant::now() + LOCK_WAIT;
        loop {
            let Self { logins, provider, .. } = self.clone();
            if let Some(locked) = aside(move || logins.try_lock(&provider)).await? {
                return Ok(locked);
            }
            if Instant::now() >= end {
                let told = format!(
                    "another process has held the saved login of `{}` for {} s",
                    self.provider,
                    LOCK_WAIT.as_secs()
                );
                return Err(Error::new(ErrorCode::Timeout, told));
            }
            sleep(LOCK_LOOK).await;
        }
    }

    fn credential(&self, saved: &SavedLogin) -> Result<Credential> {
        match saved {
            SavedLogin::Key { key } => Ok(Credential::key(key.clone())),
            SavedLogin::Token { .. } if saved.is_over(SystemClock.now_ms()) => Err(self.again("is over")),
            SavedLogin::Token { token, expires_at, .. } => Ok(Credential::bearer(token.clone(), *expires_at)),
        }
    }

    fn not_renewed(&self, error: Error) -> Error {
        match error.code {
            ErrorCode::ProviderAuth => self.again(&format!("cannot be renewed: {}", error.message)),
            _ => Error {
                message: format!("the saved login of `{}` could not be renewed: {}", self.provider, error.message),
                ..error
            },
        }
    }

    fn again(&self, what: &str) -> Error {
        let provider = &self.provider;
        Error::new(
            ErrorCode::ProviderAuth,
            format!("the saved login of `{provider}` {what}; {}", self.way.advice(provider)),
        )
    }
}

/// Runs work on files off the threads that drive agents. Once begun it is done, whoever waits for it.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
        Err(_) => Err(Error::internal("the runtime is shutting down")),
    }
}

/// What a renewal gave. A server that gives no refresh token means the old one to go on.
fn with(had: OAuthTokens, renewal: &Renewal) -> SavedLogin {
    let refresh_token = had.refresh_token.unwrap_or_else(|| renewal.refresh_token.clone());
    SavedLogin::Token {
        token: had.token,
        obtained_at: had.obtained_at,
        expires_at: had.expires_at,
        renewal: Some(Renewal { refresh_token, ..renewal.clone() }),
    }
}

impl Issuer for SavedTokens {
    fn issue(&self, refused: Option<Secret>) -> BoxFuture<'static, Result<Credential>> {
        self.clone().issued(refused).boxed()
    }
}
