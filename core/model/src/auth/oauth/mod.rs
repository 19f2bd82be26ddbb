//! Logins by OAuth: device code (RFC 8628), authorization code with PKCE (RFC 7636), and renewal. What differs between
//! providers is data of the catalogue.
//!
//! The requests go where the catalogue or the saved login says, over the transport that it is given, and are sent in clear
//! to this machine only. What the other side says is shown without what we sent.

mod exchange;

use std::sync::Arc;
use std::time::Duration;

use lodger_net::Transport;
use lodger_protocol::{Clock, Error, ErrorCode, Result, Secret, SystemClock};
use oauth2::basic::{BasicClient, BasicTokenResponse};
use oauth2::{
    AuthUrl, AuthorizationCode, ClientId, CsrfToken, DeviceAuthorizationUrl, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, RefreshToken, Scope, StandardDeviceAuthorizationResponse, TokenResponse, TokenUrl,
};

use crate::catalogue::LoginEntry;
use exchange::Exchange;

/// How long a person may take to confirm a login.
pub const MAX_LOGIN_WAIT: Duration = Duration::from_secs(900);

/// Logs in, and renews what a login gave.
#[derive(Clone)]
pub struct OAuth {
    transport: Arc<dyn Transport>,
}

/// What a login or a renewal gave.
#[derive(Clone, Debug)]
pub struct OAuthTokens {
    /// The access token.
    pub token: Secret,
    /// Unix milliseconds when it was had.
    pub obtained_at: u64,
    /// Unix milliseconds after which it does not count any more, where the server said so.
    pub expires_at: Option<u64>,
    /// What renews it, where there is such.
    pub refresh_token: Option<Secret>,
}

/// A login by device code that waits for the person.
#[derive(Debug)]
pub struct DeviceLogin {
    /// Where the person confirms it.
    pub url: String,
    /// What the person enters there.
    pub code: String,
    response: StandardDeviceAuthorizationResponse,
}

/// A login in the browser that waits for the person.
#[derive(Debug)]
pub struct BrowserLogin {
    /// Where the person confirms it.
    pub url: String,
    /// What comes back beside the code must be this.
    pub state: Secret,
    redirect: String,
    verifier: PkceCodeVerifier,
}

impl OAuth {
    /// Over this transport.
    #[must_use]
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        Self { transport }
    }

    /// Asks for a device code.
    ///
    /// # Errors
    /// `unsupported` for a provider without this way to log in; `provider_auth`, `provider_unavailable`,
    /// `provider_malformed`, `timeout`.
    pub async fn begin_device(&self, entry: &LoginEntry) -> Result<DeviceLogin> {
        let Some(device) = &entry.device_url else { return Err(has_no("device codes")) };
        let url = DeviceAuthorizationUrl::from_url(secure(device, "login.deviceUrl")?);
        let client = BasicClient::new(ClientId::new(entry.client_id.clone())).set_device_authorization_url(url);
        let exchange = Exchange::new(&self.transport, device, Vec::new());
        let asked = client.exchange_device_code().add_scopes(scopes(entry)).request_async(&exchange.client()).await;
        let response: StandardDeviceAuthorizationResponse = asked.map_err(|error| exchange.failed(error))?;
        Ok(DeviceLogin {
            url: response.verification_uri().to_string(),
            code: response.user_code().secret().clone(),
            response,
        })
    }

    /// Waits until the person has confirmed it, as long as the code is good for and a quarter of an hour at most.
    ///
    /// # Errors
    /// `provider_auth` when the person refused or did not confirm in time; else as above.
    pub async fn finish_device(&self, entry: &LoginEntry, login: &DeviceLogin) -> Result<OAuthTokens> {
        let client =
            BasicClient::new(ClientId::new(entry.client_id.clone())).set_token_uri(token_url(&entry.token_url)?);
        let secrets = vec![Secret::new(login.response.device_code().secret())];
        let exchange = Exchange::new(&self.transport, &entry.token_url, secrets);
        let asked = client
            .exchange_device_access_token(&login.response)
            .request_async(&exchange.client(), tokio::time::sleep, Some(MAX_LOGIN_WAIT))
            .await;
        asked.map(|tokens| had(&tokens)).map_err(|error| exchange.failed(error))
    }

    /// Makes the address for the browser. `redirect` is where the browser goes afterwards, on this machine.
    ///
    /// # Errors
    /// `unsupported` for a provider without this way to log in; `invalid_options` for an address that cannot be used.
    pub fn begin_browser(&self, entry: &LoginEntry, redirect: &str) -> Result<BrowserLogin> {
        let Some(authorize) = &entry.authorize_url else { return Err(has_no("logins in the browser")) };
        let client = BasicClient::new(ClientId::new(entry.client_id.clone()))
            .set_auth_uri(AuthUrl::from_url(secure(authorize, "login.authorizeUrl")?))
            .set_redirect_uri(redirect_url(redirect)?);
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (url, state) =
            client.authorize_url(CsrfToken::new_random).add_scopes(scopes(entry)).set_pkce_challenge(challenge).url();
        let state = Secret::new(state.secret());
        Ok(BrowserLogin { url: url.into(), state, redirect: redirect.to_owned(), verifier })
    }

    /// Exchanges the code that came back.
    ///
    /// # Errors
    /// `provider_auth`, `provider_unavailable`, `provider_malformed`, `timeout`.
    pub async fn finish_browser(&self, entry: &LoginEntry, login: BrowserLogin, code: Secret) -> Result<OAuthTokens> {
        let client = BasicClient::new(ClientId::new(entry.client_id.clone()))
            .set_token_uri(token_url(&entry.token_url)?)
            .set_redirect_uri(redirect_url(&login.redirect)?);
        let secrets = vec![code.clone(), Secret::new(login.verifier.secret())];
        let exchange = Exchange::new(&self.transport, &entry.token_url, secrets);
        let asked = client
            .exchange_code(AuthorizationCode::new(code.expose().to_owned()))
            .set_pkce_verifier(login.verifier)
            .request_async(&exchange.client())
            .await;
        asked.map(|tokens| had(&tokens)).map_err(|error| exchange.failed(error))
    }

    /// Has another access token for a refresh token.
    ///
    /// # Errors
    /// `provider_auth` when the refresh token is not good any more; `provider_unavailable`, `provider_malformed`,
    /// `timeout`.
    pub async fn renew(&self, server: &str, client_id: &str, refresh_token: &Secret) -> Result<OAuthTokens> {
        let client = BasicClient::new(ClientId::new(client_id.to_owned())).set_token_uri(token_url(server)?);
        let exchange = Exchange::new(&self.transport, server, vec![refresh_token.clone()]);
        let token = RefreshToken::new(refresh_token.expose().to_owned());
        let asked = client.exchange_refresh_token(&token).request_async(&exchange.client()).await;
        asked.map(|tokens| had(&tokens)).map_err(|error| exchange.failed(error))
    }
}

fn had(tokens: &BasicTokenResponse) -> OAuthTokens {
    let obtained_at = SystemClock.now_ms();
    let millis = |life: Duration| u64::try_from(life.as_millis()).unwrap_or(u64::MAX);
    OAuthTokens {
        token: Secret::new(tokens.access_token().secret()),
        obtained_at,
        expires_at: tokens.expires_in().map(|life| obtained_at.saturating_add(millis(life))),
        refresh_token: tokens.refresh_token().map(|token| Secret::new(token.secret())),
    }
}

fn scopes(entry: &LoginEntry) -> impl Iterator<Item = Scope> {
    entry.scopes.iter().cloned().map(Scope::new)
}

fn token_url(url: &str) -> Result<TokenUrl> {
    secure(url, "login.tokenUrl").map(TokenUrl::from_url)
}

fn redirect_url(url: &str) -> Result<RedirectUrl> {
    secure(url, "the redirect").map(RedirectUrl::from_url)
}

/// Secrets go over TLS, or stay on this machine.
fn secure(text: &str, place: &str) -> Result<oauth2::url::Url> {
    let wrong = |what: &str| Error::invalid_options(format!("{place}: {what}; expected an https URL"));
    let url = oauth2::url::Url::parse(text).map_err(|error| wrong(&format!("not a URL ({error})")))?;
    let stays_here = match url.host() {
        Some(oauth2::url::Host::Ipv4(address)) => address.is_loopback(),
        Some(oauth2::url::Host::Ipv6(address)) => address.is_loopback(),
        Some(oauth2::url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    match url.scheme() {
        "https" => Ok(url),
        "http" if stays_here => Ok(url),
        _ => Err(wrong("secrets would be sent in clear")),
    }
}

fn has_no(what: &str) -> Error {
    Error::new(ErrorCode::Unsupported, format!("the provider's login has no {what}, as the catalogue has it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_sent_over_tls_or_stay_on_this_machine() {
        for url in
            ["https://acme.test/token", "http://127.0.0.1:1/token", "http://localhost/token", "http://[::1]/token"]
        {
            assert!(secure(url, "login.tokenUrl").is_ok(), "{url}");
        }
        for url in ["http://acme.test/token", "http://localhost.acme.test", "file:///etc/passwd", "acme.test", ""] {
            let error = secure(url, "login.tokenUrl").unwrap_err();
            assert!(error.message.starts_with("login.tokenUrl: "), "{}", error.message);
        }
    }
}
