//! The built-in transport: reqwest over rustls with ring.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, TryFutureExt};
use lodger_protocol::{Error, ErrorCode};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rustls::RootCertStore;

use crate::failure::{broken_body, not_sent};
use crate::{HttpRequest, HttpResponse, Method, Transport};

#[cfg(test)]
mod tests;

/// Pools that are kept at once; beyond that the oldest is given up.
const MAX_POOLS: usize = 16;
/// Unused connections to one host that are kept.
const MAX_IDLE: usize = 256;
/// How long an unused connection is kept.
const IDLE: Duration = Duration::from_secs(90);

/// HTTP clients and their connection pools. One value per runtime, shared by all of its agents: credentials
/// travel with each request, so a pool may serve any of them. Making the value is cheap; a client is made when
/// the first request needs it. Cloning shares.
///
/// Proxies of the environment are not used, redirects are not followed, nothing is retried.
#[derive(Clone, Default)]
pub struct HttpClients(Arc<Mutex<Vec<(Settings, Client)>>>);

/// What a pool cannot share with another.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Settings {
    connect_timeout: Duration,
}

impl HttpClients {
    /// No clients yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn client(&self, settings: Settings) -> Result<Client, Error> {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = clients.iter().find(|(known, _)| *known == settings) {
            return Ok(client.clone());
        }
        let client = build(settings, webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect())?;
        if clients.len() == MAX_POOLS {
            clients.remove(0);
        }
        clients.push((settings, client.clone()));
        Ok(client)
    }
}

impl std::fmt::Debug for HttpClients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HttpClients")
    }
}

impl Transport for HttpClients {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpResponse, Error>> {
        let clients = self.clone();
        async move {
            let client = clients.client(Settings { connect_timeout: request.connect_timeout })?;
            let url = Url::parse(&request.url).map_err(|error| {
                Error::invalid_options(format!(
                    "the URL of the provider cannot be read ({error}); give an absolute http or https URL"
                ))
            })?;
            let place = place_of(&url);
            let sent = match request.method {
                Method::Get => client.get(url),
                Method::Post => client.post(url).body(request.body),
            };
            let sending = sent.headers(headers(&request.headers)?).send();
            let answer =
                tokio::time::timeout(request.first_byte_timeout, sending.map_err(|error| not_sent(&place, &error)))
                    .await
                    .map_err(|_| {
                        Error::new(
                            ErrorCode::Timeout,
                            format!(
                                "{place} sent no answer within {} ms (limits.firstByteTimeoutMs)",
                                request.first_byte_timeout.as_millis()
                            ),
                        )
                    })??;
            Ok(HttpResponse {
                status: answer.status().as_u16(),
                headers: answer
                    .headers()
                    .iter()
                    .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
                    .collect(),
                body: answer
                    .bytes_stream()
                    .map(move |piece| piece.map_err(|error| broken_body(&place, &error)))
                    .boxed(),
            })
        }
        .boxed()
    }
}

fn build(settings: Settings, roots: RootCertStore) -> Result<Client, Error> {
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::internal(format!("TLS could not be set up: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(settings.connect_timeout)
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(MAX_IDLE)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .build()
        .map_err(|error| Error::internal(format!("the HTTP client could not be made: {error}")))
}

/// Names the header that cannot be sent, never its value.
fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, Error> {
    let mut map = HeaderMap::with_capacity(pairs.len());
    for (name, value) in pairs {
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| Error::invalid_options(format!("`{}` is not a header name", name.escape_debug())))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            Error::invalid_options(format!(
                "the value of the header `{name}` holds characters that HTTP does not allow, such as a line break"
            ))
        })?;
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}

/// `host:port`: all that errors say of a URL.
fn place_of(url: &Url) -> String {
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", url.host_str().unwrap_or_default())
}
