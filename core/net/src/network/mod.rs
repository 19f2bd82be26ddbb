//! The way to the providers: which proxy, whose certificates, how many requests at once. Agents that say the same share
//! it, and with it the connections; agents that differ share nothing.
//!
//! A proxy's address may hold a password: it is shown nowhere, not in errors and not by `Debug`.

mod proxies;
mod roots;
mod turns;

use lodger_protocol::{Error, Secret};
use reqwest::Url;
use rustls::RootCertStore;

use proxies::Proxies;
pub use roots::MAX_CA_BYTES;
pub(crate) use turns::Turn;
use turns::Turns;

use crate::Queued;

/// What is said of the way, all choices made. Every text comes with the name of the option or variable that it is from.
#[derive(Clone, PartialEq, Eq)]
pub struct NetworkSettings {
    /// The proxy for `https` URLs.
    pub https_proxy: Option<Setting>,
    /// The proxy for `http` URLs.
    pub http_proxy: Option<Setting>,
    /// Who is reached without a proxy: names with all that are below them, addresses, ranges of addresses, `*` for all.
    /// Loopback addresses always are.
    pub no_proxy: Vec<String>,
    /// Certificates in PEM that are trusted beside the well-known ones.
    pub ca: Vec<Certificates>,
    /// Requests to one host that may be under way at once; at least 1.
    pub max_connections_per_host: usize,
}

/// A text that may be secret, and where it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The option or variable, for messages.
    pub source: String,
    /// What stands there.
    pub text: Secret,
}

/// Certificates in PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificates {
    /// The option or variable, for messages.
    pub source: String,
    /// The text; what stands around the certificates is left alone.
    pub pem: Vec<u8>,
    /// A certificate that cannot be used is left out instead of being an error: for bundles that nobody looks through. One
    /// must remain.
    pub is_bundle: bool,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self {
            https_proxy: None,
            http_proxy: None,
            no_proxy: Vec::new(),
            ca: Vec::new(),
            max_connections_per_host: 256,
        }
    }
}

impl std::fmt::Debug for NetworkSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetworkSettings")
            .field("max_connections_per_host", &self.max_connections_per_host)
            .finish_non_exhaustive()
    }
}

/// The same, read.
pub(crate) struct Network {
    pub(crate) settings: NetworkSettings,
    proxies: Proxies,
    roots: RootCertStore,
    turns: Turns,
}

impl Network {
    /// # Errors
    /// `invalid_options` naming what cannot be read, without repeating it.
    pub(crate) fn read(settings: NetworkSettings) -> Result<Self, Error> {
        let proxies = Proxies::read(&settings)?;
        let roots = roots::read(&settings.ca)?;
        let turns = Turns::new(settings.max_connections_per_host);
        Ok(Self { settings, proxies, roots, turns })
    }

    /// Without a proxy, and with the well-known certificates alone.
    pub(crate) fn straight() -> Self {
        let settings = NetworkSettings::default();
        let turns = Turns::new(settings.max_connections_per_host);
        Self { settings, proxies: Proxies::none(), roots: RootCertStore::empty(), turns }
    }

    /// For the client's own use.
    pub(crate) fn proxies(&self) -> Vec<reqwest::Proxy> {
        self.proxies.for_client()
    }

    /// All that is trusted.
    pub(crate) fn roots(&self) -> RootCertStore {
        let mut all = self.roots.clone();
        all.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        all
    }

    /// `host:port` of the proxy through which a URL is reached.
    pub(crate) fn proxy_of(&self, url: &Url) -> Option<String> {
        self.proxies.of(url)
    }

    /// Waits until a request to the URL's host may leave, at most `queued.timeout`.
    pub(crate) async fn turn(&self, url: &Url, queued: &Queued) -> Result<Turn, Error> {
        self.turns.take(&url.origin().ascii_serialization(), queued).await
    }
}
