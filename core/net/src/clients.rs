//! The built-in transport: reqwest over rustls with ring.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, Stream, StreamExt, TryFutureExt};
use lodger_protocol::{Error, ErrorCode};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use crate::failure::{Place, broken_body, not_sent};
use crate::network::{Network, Turn};
use crate::reach::{JudgedNames, Reach};
use crate::{HttpRequest, HttpResponse, Method, NetworkSettings, Transport};

#[cfg(test)]
mod tests;

/// Pools that are kept at once; beyond that the one that was not used for longest is given up.
const MAX_POOLS: usize = 16;
/// Unused connections to one host that are kept.
const MAX_IDLE: usize = 256;
/// How long an unused connection is kept.
const IDLE: Duration = Duration::from_secs(90);

/// HTTP clients and their connection pools. One value per runtime, shared by all of its agents: credentials
/// travel with each request, so a pool may serve any of them. Making the value is cheap; a client is made when
/// the first request needs it. Cloning shares.
///
/// Proxies are those of [`NetworkSettings`] alone, redirects are not followed, nothing is retried.
#[derive(Clone)]
pub struct HttpClients {
    shared: Arc<Mutex<Shared>>,
    network: Arc<Network>,
    reach: Option<Arc<Reach>>,
}

struct Shared {
    /// Those that somebody uses.
    networks: Vec<Weak<Network>>,
    /// That which was used last stands last.
    pools: Vec<(Settings, Client)>,
}

/// What a pool cannot share with another.
#[derive(Clone)]
struct Settings {
    network: Arc<Network>,
    connect_timeout: Duration,
    /// Absent: whatever the URL names, through the network's proxies.
    reach: Option<Arc<Reach>>,
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.network, &other.network)
            && self.connect_timeout == other.connect_timeout
            && self.reach == other.reach
    }
}

impl Default for HttpClients {
    fn default() -> Self {
        let network = Arc::new(Network::straight());
        let shared = Shared { networks: vec![Arc::downgrade(&network)], pools: Vec::new() };
        Self { shared: Arc::new(Mutex::new(shared)), network, reach: None }
    }
}

impl HttpClients {
    /// No clients yet; requests go straight to their hosts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same pools, for requests that go this way. Those of equal settings share their connections, and the bound of
    /// requests at once.
    ///
    /// # Errors
    /// `invalid_options` naming the setting that cannot be used.
    pub fn by(&self, settings: NetworkSettings) -> Result<Self, Error> {
        let mut shared = self.shared();
        shared.networks.retain(|network| network.strong_count() > 0);
        let known = shared.networks.iter().filter_map(Weak::upgrade).find(|network| network.settings == settings);
        let network = match known {
            Some(network) => network,
            None => {
                let network = Arc::new(Network::read(settings)?);
                shared.networks.push(Arc::downgrade(&network));
                network
            }
        };
        drop(shared);
        Ok(Self { shared: Arc::clone(&self.shared), network, reach: self.reach.clone() })
    }

    /// The same, for requests whose URLs a model chooses: they reach no more than this. A request beyond it fails with
    /// `permission_denied`, before anything is sent.
    #[must_use]
    pub fn within(&self, reach: Reach) -> Self {
        Self { reach: Some(Arc::new(reach)), ..self.clone() }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self, connect_timeout: Duration, reach: Option<Arc<Reach>>) -> Result<Client, Error> {
        let settings = Settings { network: Arc::clone(&self.network), connect_timeout, reach };
        let pools = &mut self.shared().pools;
        if let Some(place) = pools.iter().position(|(known, _)| *known == settings) {
            let pool = pools.remove(place);
            let client = pool.1.clone();
            pools.push(pool);
            return Ok(client);
        }
        let client = build(&settings)?;
        if pools.len() == MAX_POOLS {
            pools.remove(0);
        }
        pools.push((settings, client.clone()));
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
            let url = Url::parse(&request.url).map_err(|error| {
                Error::invalid_options(format!(
                    "the URL of the provider cannot be read ({error}); give an absolute http or https URL"
                ))
            })?;
            let headers = headers(&request.headers)?;
            let place = Place { host: place_of(&url), proxy: clients.network.proxy_of(&url) };
            if let Some(reach) = &clients.reach {
                reach.check(&url, place.proxy.is_some())?;
            }
            let turn = clients.network.turn(&url, &request.queued).await?;
            // Where a proxy looks up names, ours is that of the proxy.
            let reach = clients.reach.clone().filter(|_| place.proxy.is_none());
            let client = clients.client(request.connect_timeout, reach)?;
            let sent = match request.method {
                Method::Get => client.get(url),
                Method::Post => client.post(url).body(request.body),
            };
            let failed = |error: reqwest::Error| not_sent(&place, request.connect_timeout, &error);
            let sending = sent.headers(headers).send().map_err(failed);
            let answer = tokio::time::timeout(request.first_byte_timeout, sending).await.map_err(|_| {
                Error::new(
                    ErrorCode::Timeout,
                    format!(
                        "{} sent no answer within {} ms (limits.firstByteTimeoutMs)",
                        place.host,
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
                body: Body {
                    pieces: answer
                        .bytes_stream()
                        .map(move |piece| piece.map_err(|error| broken_body(&place.host, &error)))
                        .boxed(),
                    turn: Some(turn),
                }
                .boxed(),
            })
        }
        .boxed()
    }
}

/// The body of an answer, which has its request's turn until it ends.
struct Body {
    pieces: BoxStream<'static, Result<Bytes, Error>>,
    turn: Option<Turn>,
}

impl Stream for Body {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.pieces.poll_next_unpin(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.turn = None;
        }
        polled
    }
}

fn build(settings: &Settings) -> Result<Client, Error> {
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::internal(format!("TLS could not be set up: {error}")))?
        .with_root_certificates(settings.network.roots())
        .with_no_client_auth();
    let plain = Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(settings.connect_timeout)
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(MAX_IDLE)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        // Those of the process's environment are nobody's word.
        .no_proxy();
    let client = match &settings.reach {
        Some(reach) => plain.dns_resolver(JudgedNames(Arc::clone(reach))),
        None => settings.network.proxies().into_iter().fold(plain, reqwest::ClientBuilder::proxy),
    };
    client.build().map_err(|error| Error::internal(format!("the HTTP client could not be made: {error}")))
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
