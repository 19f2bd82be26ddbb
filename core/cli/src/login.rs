//! `lodger login`, `lodger logout` and `lodger auth status`. A secret comes by standard input or from the provider, goes into
//! the config folder, and is never printed.

use clap::{Args, Subcommand};
use lodger::login::{self, ConfigFolder, LoginStep, LoginWay, Logins, SavedLogin};
use lodger::protocol::{Clock, Environment, Error, SystemClock};
use serde::Serialize;

use crate::arguments::catalogue_of;
use crate::exit::Exit;
use crate::printable::{printable_line, tell};
use crate::secret::secret;
use crate::stdout;

#[derive(Debug, Args)]
#[command(
    after_help = "What is saved is used by this command, and by programs that ask for it with `auth: { provider }`."
)]
pub(crate) struct Login {
    /// The provider, such as anthropic
    provider: String,

    /// Save an API key, read from standard input
    #[arg(long, group = "how")]
    with_key: bool,

    /// Save an access token, read from standard input; nothing renews it
    #[arg(long, group = "how")]
    with_token: bool,

    /// Log in by a code that is entered on any machine
    #[arg(long, group = "how")]
    device: bool,

    /// Log in in the browser of this machine
    #[arg(long, group = "how")]
    browser: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Logout {
    /// The provider, such as anthropic
    provider: String,
}

#[derive(Debug, Args)]
pub(crate) struct Auth {
    #[command(subcommand)]
    what: AuthCommand,
}

#[derive(Debug, Subcommand)]
enum AuthCommand {
    /// The saved logins, and how long they are good for
    Status {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// What is told of a saved login.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    provider: String,
    /// `key` or `token`; absent: it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    renewable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Login {
    pub(crate) fn run(&self) -> Result<Exit, Error> {
        let folder = folder()?;
        let logins = folder.logins();
        let provider = &self.provider;
        if self.with_key || self.with_token {
            // Found out before anything is asked for.
            login::can_save(&logins, provider)?;
            let what = if self.with_key { "key" } else { "token" };
            let Some(secret) = secret(what, provider)? else { return Ok(Exit::Cancelled) };
            let obtained_at = SystemClock.now_ms();
            let saved = match self.with_key {
                true => SavedLogin::Key { key: secret },
                false => SavedLogin::Token { token: secret, obtained_at, expires_at: None, renewal: None },
            };
            login::save(&logins, provider, &saved)?;
        } else {
            let way = match (self.device, self.browser) {
                (true, _) => LoginWay::Device,
                (_, true) => LoginWay::Browser,
                _ => LoginWay::Either,
            };
            login::log_in(
                &logins,
                provider,
                way,
                catalogue_of(&folder).as_deref(),
                &lodger::host_environment(),
                None,
                show,
            )?;
        }
        tell(&format!("logged in to {provider}"));
        Ok(Exit::EndTurn)
    }
}

impl Logout {
    pub(crate) fn run(&self) -> Result<Exit, Error> {
        let provider = &self.provider;
        let was_saved = login::log_out(&folder()?.logins(), provider)?;
        tell(&format!("{} {provider}", if was_saved { "logged out of" } else { "there was no saved login of" }));
        Ok(Exit::EndTurn)
    }
}

impl Auth {
    pub(crate) fn run(&self) -> Result<Exit, Error> {
        let AuthCommand::Status { json } = self.what;
        let all = statuses(&folder()?.logins())?;
        let text = if json {
            serde_json::to_string(&all).map_err(|error| Error::internal(error.to_string()))? + "\n"
        } else if all.is_empty() {
            "no logins are saved\n".to_owned()
        } else {
            all.iter().map(|status| format!("{}\n", printable_line(&in_words(status)))).collect()
        };
        stdout::whole(&text)
    }
}

fn folder() -> Result<ConfigFolder, Error> {
    let env: Environment = lodger::host_environment();
    ConfigFolder::of(&env)
}

fn statuses(logins: &Logins) -> Result<Vec<Status>, Error> {
    let status = |(provider, saved): (String, Result<SavedLogin, Error>)| match saved {
        Ok(SavedLogin::Key { .. }) => {
            Status { provider, kind: Some("key"), expires_at: None, renewable: false, error: None }
        }
        Ok(SavedLogin::Token { expires_at, renewal, .. }) => {
            Status { provider, kind: Some("token"), expires_at, renewable: renewal.is_some(), error: None }
        }
        Err(error) => Status { provider, kind: None, expires_at: None, renewable: false, error: Some(error.message) },
    };
    Ok(login::status(logins)?.into_iter().map(status).collect())
}

fn in_words(status: &Status) -> String {
    let Status { provider, kind, expires_at, renewable, error } = status;
    let end = match expires_at.map(|end| end.saturating_sub(SystemClock.now_ms())) {
        Some(0) => ", over".to_owned(),
        Some(left) => format!(", good for {} min", left.div_ceil(60_000)),
        None => String::new(),
    };
    let renewed = if *renewable { ", renewed by itself" } else { "" };
    match (kind, error) {
        (Some(kind), _) => format!("{provider}: {kind}{end}{renewed}"),
        (None, error) => format!("{provider}: {}", error.as_deref().unwrap_or_default()),
    }
}

fn show(step: LoginStep) {
    tell(&format!("open {}", step.url));
    if let Some(code) = step.code {
        tell(&format!("and enter the code {code}"));
    }
}
