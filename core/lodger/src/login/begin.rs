//! Logging in and out.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lodger_config::{LockedLogin, Logins, Renewal, SavedLogin};
use lodger_model::auth::{OAuth, OAuthTokens};
use lodger_model::catalogue::{Catalogue, LoginEntry};
use lodger_protocol::{Environment, Error, ErrorCode, NetworkOptions, Result};
use tokio::sync::oneshot;

use super::redirect::Redirect;
use crate::embed::Runtime;
use crate::network;

/// How long another process that changes the same login is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(10);
/// How often it is looked for.
const LOCK_LOOK: Duration = Duration::from_millis(25);

/// How a person logs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoginWay {
    /// In the browser of this machine where the provider has that, else by device code.
    #[default]
    Either,
    /// In the browser of this machine, which comes back to a port of it.
    Browser,
    /// By a code that is entered on any machine.
    Device,
}

/// What the person is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginStep {
    /// Open this.
    pub url: String,
    /// Enter this there. Absent: there is nothing to enter.
    pub code: Option<String>,
}

/// Logs in to a provider by its own OAuth server, as the catalogue has it, and saves what it gives. `show` tells the
/// person what to do. `env` says of proxies and certificates what option `network` of an agent may say. Without a runtime
/// it takes the default one. Blocks until it is done, at most a quarter of an hour;
/// must not be called on a thread of an async runtime.
///
/// # Errors
/// `invalid_options` for what `env` says and nobody can use; `unsupported` for a provider without logins of its own; `provider_auth` when the person or the provider refused, or
/// what it gave cannot be saved; `provider_unavailable`, `provider_malformed`, `timeout`, `would_deadlock`.
pub fn log_in(
    logins: &Logins,
    provider: &str,
    way: LoginWay,
    catalogue: Option<&Path>,
    env: &Environment,
    runtime: Option<&Runtime>,
    show: impl Fn(LoginStep) + Send + 'static,
) -> Result<()> {
    crate::embed::may_block("logging in")?;
    let entry = entry_of(provider, catalogue)?;
    let runtime = runtime.map_or_else(Runtime::shared, |runtime| Ok(runtime.clone()))?;
    // Found out before the person is sent anywhere.
    can_save(logins, provider)?;
    let clients = runtime.clients().by(network::settings(&NetworkOptions::default(), env)?)?;
    let oauth = OAuth::new(Arc::new(clients));
    let (done, outcome) = oneshot::channel();
    let asked = entry.clone();
    runtime.handle().spawn(async move {
        let _ = done.send(tokens(&oauth, &asked, way, show).await);
    });
    let had = outcome.blocking_recv().map_err(|_| Error::internal("the login was dropped"))??;
    let renewal = had.refresh_token.map(|refresh_token| Renewal {
        refresh_token,
        token_url: entry.token_url,
        client_id: entry.client_id,
    });
    save(
        logins,
        provider,
        &SavedLogin::Token { token: had.token, obtained_at: had.obtained_at, expires_at: had.expires_at, renewal },
    )
}

async fn tokens(
    oauth: &OAuth,
    entry: &LoginEntry,
    way: LoginWay,
    show: impl Fn(LoginStep) + Send,
) -> Result<OAuthTokens> {
    let in_browser = match way {
        LoginWay::Browser => true,
        LoginWay::Device => false,
        LoginWay::Either => entry.authorize_url.is_some(),
    };
    if !in_browser {
        let login = oauth.begin_device(entry).await?;
        show(LoginStep { url: login.url.clone(), code: Some(login.code.clone()) });
        return oauth.finish_device(entry, &login).await;
    }
    let redirect = Redirect::listen().await?;
    let login = oauth.begin_browser(entry, &redirect.url())?;
    show(LoginStep { url: login.url.clone(), code: None });
    let code = redirect.code(&login.state).await?;
    oauth.finish_browser(entry, login, code).await
}

/// Finds out whether a login could be saved, before a person is asked for one. Makes the folder. May wait some seconds for
/// another process.
///
/// # Errors
/// As for [`save`].
pub fn can_save(logins: &Logins, provider: &str) -> Result<()> {
    lock(logins, provider).map(drop)
}

/// Saves a key or token that the person has already. May wait some seconds for another process.
///
/// # Errors
/// `invalid_options` for a name that no provider has; `provider_auth` when it cannot be saved.
pub fn save(logins: &Logins, provider: &str, login: &SavedLogin) -> Result<()> {
    lock(logins, provider)?.save(login)
}

/// Forgets what is saved for a provider. True when there was something. May wait some seconds for another process.
///
/// # Errors
/// As for [`save`].
pub fn log_out(logins: &Logins, provider: &str) -> Result<bool> {
    lock(logins, provider)?.remove()
}

/// What is saved, by provider.
///
/// # Errors
/// `provider_auth` when the folder cannot be read. What is wrong with a single login stands in its place.
pub fn status(logins: &Logins) -> Result<Vec<(String, Result<SavedLogin>)>> {
    let saved = |provider: String| {
        // One that was removed meanwhile is none.
        let login = logins.load(&provider).transpose()?;
        Some((provider, login))
    };
    Ok(logins.providers()?.into_iter().filter_map(saved).collect())
}

/// Whoever changes a login holds it for a moment, or for one exchange with its server.
fn lock(logins: &Logins, provider: &str) -> Result<LockedLogin> {
    let end = Instant::now() + LOCK_WAIT;
    loop {
        if let Some(locked) = logins.try_lock(provider)? {
            return Ok(locked);
        }
        if Instant::now() >= end {
            let told = format!("another process is changing the login of `{provider}`; try again when it is done");
            return Err(Error { retryable: true, ..Error::new(ErrorCode::ProviderAuth, told) });
        }
        std::thread::sleep(LOCK_LOOK);
    }
}

fn entry_of(provider: &str, catalogue: Option<&Path>) -> Result<LoginEntry> {
    let known = catalogue_of(catalogue)?.provider(provider);
    known.and_then(|known| known.login).ok_or_else(|| {
        Error::new(
            ErrorCode::Unsupported,
            format!(
                "`{provider}` has no login in the catalogue; save a key or a token that you have, with `lodger login \
                 {provider} --with-key` or `--with-token`"
            ),
        )
    })
}

pub(super) fn catalogue_of(path: Option<&Path>) -> Result<Catalogue> {
    path.map_or_else(|| Ok(Catalogue::default()), Catalogue::with_file)
}
