//! Saved logins and tokens of the host, against a real login server and a real model server.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::support::script::says;
use crate::support::{endpoint, server_of};
use lodger::login::{self, ConfigFolder, Logins, SavedLogin};
use lodger::protocol::{Auth, Environment};
use lodger::{Agent, AgentBuilder, Error, ErrorCode, IssuedToken, Runtime, RuntimeOptions};
use lodger_kit::{LoginOptions, LoginServer, MockOptions, MockServer};
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use serde_json::json;
use tempfile::TempDir;

/// A config folder, a login server, and a model server that takes one token only.
struct House {
    folder: TempDir,
    login: LoginServer,
    model: MockServer,
}

fn now() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

impl House {
    fn new(takes: &str, options: LoginOptions) -> Self {
        let refresh_token = Some(options.refresh_token.unwrap_or_else(|| "refresh-0".to_owned()));
        Self {
            folder: tempfile::tempdir().unwrap(),
            login: LoginServer::start(LoginOptions { refresh_token, ..options }).unwrap(),
            model: server_of(
                &json!({ "steps": [says("Hello")], "after": "last" }),
                MockOptions { api_key: Some(takes.to_owned()), ..MockOptions::default() },
            ),
        }
    }

    fn logins(&self) -> Logins {
        ConfigFolder::at(self.folder.path()).logins()
    }

    /// `access-0` and `refresh-0` are saved; the former is good for so many milliseconds more.
    fn saved(self, left: i64) -> Self {
        let login = json!({
            "kind": "token", "token": "access-0", "obtainedAt": now() - 3_600_000,
            "expiresAt": now().saturating_add_signed(left),
            "renewal": { "refreshToken": "refresh-0", "tokenUrl": self.login.url("token"), "clientId": "lodger-test" },
        });
        login::save(&self.logins(), "acme", &serde_json::from_value(login).unwrap()).unwrap();
        self
    }

    fn agent(&self) -> AgentBuilder {
        let folder = self.folder.path().display().to_string();
        Agent::builder()
            .model("acme/mock")
            .endpoint(endpoint(self.model.base_url()))
            .environment(Environment::new([("LODGER_CONFIG_DIR".to_owned(), folder)]))
    }

    fn with_login(&self) -> AgentBuilder {
        self.agent().auth(Auth::Login { provider: "acme".to_owned() })
    }

    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("logins/acme.json")
    }
}

async fn says_hello(agent: &Agent) -> Result<String, Error> {
    Ok(agent.prompt("Hi")?.result().await?.text)
}

const HOUR: i64 = 3_600_000;

#[tokio::test]
async fn a_saved_login_is_used_only_where_it_is_asked_for() {
    let house = House::new("access-0", LoginOptions::default()).saved(HOUR);
    assert_eq!(says_hello(&house.with_login().create().unwrap()).await.unwrap(), "Hello");
    let without = house.agent().create().unwrap();
    assert_eq!(says_hello(&without).await.unwrap_err().code, ErrorCode::ProviderAuth);
    assert_eq!(house.login.stats().requests.len(), 0, "a token that is good is not renewed");
}

#[test]
fn a_login_that_is_not_there_or_damaged_is_known_when_the_agent_is_made() {
    let house = House::new("x", LoginOptions::default());
    let error = house.with_login().create().unwrap_err();
    assert_eq!(error.code, ErrorCode::ProviderAuth);
    assert!(error.message.contains("`lodger login acme`"), "{}", error.message);
    let house = house.saved(HOUR);
    fs::write(house.file(), "{\"version\": 1, \"access-0\"").unwrap();
    let error = house.with_login().create().unwrap_err();
    assert!(error.message.contains("is damaged") && !error.message.contains("access-0"), "{}", error.message);
}

#[test]
fn a_subscription_without_a_login_says_that_a_token_must_be_given() {
    let house = House::new("x", LoginOptions::default());
    for provider in ["codex", "grok"] {
        let environment =
            Environment::new([("LODGER_CONFIG_DIR".to_owned(), house.folder.path().display().to_string())]);
        let auth = Auth::Login { provider: provider.to_owned() };
        let error = Agent::builder().environment(environment).auth(auth).create().unwrap_err();
        assert_eq!(error.code, ErrorCode::ProviderAuth);
        for words in [format!("`lodger login {provider} --with-token`"), "{ provider, token }".to_owned()] {
            assert!(error.message.contains(&words), "{}", error.message);
        }
    }
}

#[test]
fn a_token_or_login_of_a_provider_that_is_not_known_is_an_error_that_names_the_known() {
    let auth = |provider: &str| {
        let provider = provider.to_owned();
        [Auth::Token { provider: provider.clone(), token: "t".into() }, Auth::Login { provider }]
    };
    for auth in auth("codecs") {
        let error = Agent::builder().auth(auth).model("x").environment(Environment::default()).create().unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidOptions);
        assert!(error.message.contains("`codecs`") && error.message.contains("codex, grok"), "{}", error.message);
    }
}

#[tokio::test]
async fn a_login_of_another_provider_is_not_shown_to_the_model() {
    let house = House::new("access-0", LoginOptions::default()).saved(HOUR);
    let error = house.with_login().model("other/mock").create().unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidOptions);
    let agent = house.with_login().model("mock").create().unwrap();
    assert_eq!(says_hello(&agent).await.unwrap(), "Hello", "a model without a provider belongs to that of the login");
}

#[tokio::test]
async fn a_token_that_is_over_is_renewed_before_the_first_request_and_saved() {
    let house = House::new("access-1", LoginOptions { expires_in: Some(3600), ..LoginOptions::default() }).saved(-1);
    let agent = house.with_login().create().unwrap();
    assert_eq!(house.login.stats().requests.len(), 0, "making an agent reads no network");
    assert_eq!(says_hello(&agent).await.unwrap(), "Hello");
    assert_eq!(house.model.stats().requests, 1, "no request went out with the old one");
    let (path, fields) = &house.login.stats().requests[0];
    assert_eq!((path.as_str(), fields["client_id"].as_str()), ("/token", "lodger-test"));
    let saved: serde_json::Value = serde_json::from_slice(&fs::read(house.file()).unwrap()).unwrap();
    assert_eq!(
        (&saved["login"]["token"], &saved["login"]["renewal"]["refreshToken"]),
        (&json!("access-1"), &json!("refresh-1"))
    );
    assert!(saved["login"]["expiresAt"].as_u64().unwrap() > now());
    assert_eq!(fs::metadata(house.file()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn a_token_that_the_provider_refuses_is_renewed_once_and_the_request_sent_again() {
    let house = House::new("access-1", LoginOptions::default()).saved(HOUR);
    let agent = house.with_login().create().unwrap();
    assert_eq!(says_hello(&agent).await.unwrap(), "Hello");
    assert_eq!(says_hello(&agent).await.unwrap(), "Hello");
    assert_eq!(house.login.stats().refreshed, 1);
}

#[tokio::test]
async fn a_provider_that_refuses_every_token_is_asked_twice_and_no_more() {
    let house = House::new("none", LoginOptions::default()).saved(HOUR);
    let error = says_hello(&house.with_login().create().unwrap()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ProviderAuth);
    assert_eq!(house.login.stats().refreshed, 1);
    for secret in ["access-", "refresh-"] {
        assert!(!format!("{error:?}").contains(secret), "{error:?}");
    }
}

#[tokio::test]
async fn agents_that_need_another_token_at_once_renew_it_once() {
    let options = LoginOptions { delay: Duration::from_millis(200), expires_in: Some(3600), ..LoginOptions::default() };
    let house = House::new("access-1", options).saved(-1);
    let agents: Vec<_> = (0..20).map(|_| house.with_login().create().unwrap()).collect();
    let turns: Vec<_> = agents.iter().map(|agent| agent.prompt("Hi").unwrap()).collect();
    for turn in turns {
        assert_eq!(turn.result().await.unwrap().text, "Hello");
    }
    let stats = house.login.stats();
    assert_eq!((stats.refreshed, stats.refused), (1, 0));
}

#[tokio::test]
async fn a_slow_file_of_a_login_does_not_hold_up_other_agents() {
    let house = House::new("access-0", LoginOptions::default()).saved(HOUR);
    let runtime = Runtime::new(RuntimeOptions { worker_threads: 1, ..RuntimeOptions::default() }).unwrap();
    let agent = house.with_login().runtime(&runtime).create().unwrap();
    let other = house.agent().api_key("access-0").runtime(&runtime).create().unwrap();
    // Who reads it waits until somebody writes, as on a network drive that does not answer.
    let saved = fs::read(house.file()).unwrap();
    fs::remove_file(house.file()).unwrap();
    nix::unistd::mkfifo(&house.file(), Mode::S_IRWXU).unwrap();
    let turn = agent.prompt("Hi").unwrap();
    // It opens for writing once somebody reads.
    let mut drive = loop {
        match OpenOptions::new().write(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(house.file()) {
            Ok(file) => break file,
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    let meanwhile = tokio::time::timeout(Duration::from_secs(30), says_hello(&other)).await;
    // Whatever came of it: nobody may wait for ever.
    drive.write_all(&saved).unwrap();
    drop(drive);
    assert_eq!(meanwhile.expect("the other agent waited for the file").unwrap(), "Hello");
    assert_eq!(turn.result().await.unwrap().text, "Hello");
    agent.close().await;
    other.close().await;
}

#[tokio::test]
async fn a_refresh_token_that_was_revoked_says_how_to_log_in_again_and_shows_no_secret() {
    let revoked = LoginOptions { refresh_token: Some("another".to_owned()), ..LoginOptions::default() };
    let house = House::new("access-1", revoked).saved(-1);
    let before = fs::read(house.file()).unwrap();
    let error = says_hello(&house.with_login().create().unwrap()).await.unwrap_err();
    assert_eq!((error.code, error.retryable), (ErrorCode::ProviderAuth, false));
    assert!(
        error.message.contains("invalid_grant") && error.message.contains("`lodger login acme`"),
        "{}",
        error.message
    );
    assert!(!format!("{error:?}").contains("refresh-0"), "{error:?}");
    assert_eq!(house.login.stats().refused, 1, "it is not tried again");
    assert_eq!(fs::read(house.file()).unwrap(), before);
}

#[tokio::test]
async fn a_saved_key_travels_as_keys_do() {
    let house = House::new("sk-saved", LoginOptions::default());
    login::save(&house.logins(), "acme", &SavedLogin::Key { key: "sk-saved".into() }).unwrap();
    assert_eq!(says_hello(&house.with_login().create().unwrap()).await.unwrap(), "Hello");
    assert!(login::log_out(&house.logins(), "acme").unwrap());
    assert_eq!(house.with_login().create().unwrap_err().code, ErrorCode::ProviderAuth);
}

/// What makes `host-1`, `host-2`, ..., and counts.
fn counted(agent: AgentBuilder, made: &Arc<AtomicUsize>) -> Agent {
    let made = Arc::clone(made);
    let token = move |wanted: lodger::TokenRequest| {
        assert!(wanted.audience.starts_with("http://127.0.0.1:"), "{}", wanted.audience);
        let number = made.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(IssuedToken { token: format!("host-{number}\n").into(), expires_at: None })
        }
    };
    agent.token(token).create().unwrap()
}

#[tokio::test]
async fn a_token_of_the_host_is_kept_until_the_provider_refuses_it() {
    let made = Arc::default();
    let house = House::new("host-2", LoginOptions::default());
    let agent = counted(house.agent(), &made);
    assert_eq!(made.load(Ordering::SeqCst), 0, "none is made before a request needs it");
    for _ in 0..3 {
        assert_eq!(says_hello(&agent).await.unwrap(), "Hello");
    }
    assert_eq!(made.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_host_that_makes_no_token_fails_the_turn_and_the_agent_goes_on() {
    let house = House::new("right", LoginOptions::default());
    let calls = AtomicUsize::new(0);
    let agent = house.agent().token(move |_| {
        let call = calls.fetch_add(1, Ordering::SeqCst);
        async move {
            let token = match call {
                0 => return Err(Error::internal("the vault is locked")),
                1 => panic!("a fault of the host"),
                2 => " ",
                _ => "right",
            };
            Ok(IssuedToken { token: token.into(), expires_at: None })
        }
    });
    let agent = agent.create().unwrap();
    for said in ["the vault is locked", "panicked", "the token is empty"] {
        let error = says_hello(&agent).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::ProviderAuth);
        assert!(error.message.contains(said), "{}", error.message);
    }
    assert_eq!(says_hello(&agent).await.unwrap(), "Hello");
}

#[test]
fn a_token_function_and_the_option_exclude_each_other() {
    let house = House::new("x", LoginOptions::default());
    let agent = house.agent().api_key("sk").token(|_| async { Err(Error::internal("never called")) });
    assert_eq!(agent.create().unwrap_err().code, ErrorCode::InvalidOptions);
}

#[tokio::test]
async fn a_token_of_the_host_goes_as_bearer_to_its_own_provider_only() {
    let house = House::new("t-1", LoginOptions::default());
    let token = |provider: &str| Auth::Token { provider: provider.to_owned(), token: "t-1".into() };
    assert_eq!(says_hello(&house.agent().auth(token("acme")).create().unwrap()).await.unwrap(), "Hello");
    assert_eq!(house.agent().auth(token("other")).create().unwrap_err().code, ErrorCode::InvalidOptions);
    assert!(!house.folder.path().join("logins").exists(), "nothing is written to disk");
}
