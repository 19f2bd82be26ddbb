//! Which proxy a request goes through.

use hyper_util::client::proxy::matcher::Matcher;
use lodger_protocol::Error;
use reqwest::{NoProxy, Proxy, Url};

use super::{NetworkSettings, Setting};

/// This machine is never asked for through a proxy: a proxy elsewhere would ask another.
const THIS_MACHINE: &str = "localhost,127.0.0.0/8,::1";

/// The proxies of one network.
pub(super) struct Proxies {
    https: Option<Url>,
    http: Option<Url>,
    exceptions: String,
    /// Decides as the client does, for messages.
    matcher: Matcher,
}

impl Proxies {
    pub(super) fn none() -> Self {
        Self::of_urls(None, None, &[])
    }

    pub(super) fn read(settings: &NetworkSettings) -> Result<Self, Error> {
        let https = settings.https_proxy.as_ref().map(url_of).transpose()?;
        let http = settings.http_proxy.as_ref().map(url_of).transpose()?;
        Ok(Self::of_urls(https, http, &settings.no_proxy))
    }

    fn of_urls(https: Option<Url>, http: Option<Url>, no_proxy: &[String]) -> Self {
        let named = no_proxy.iter().map(|entry| exception(entry));
        let exceptions = std::iter::once(THIS_MACHINE.to_owned()).chain(named).collect::<Vec<_>>().join(",");
        let text = |url: &Option<Url>| url.as_ref().map(|url| url.as_str().to_owned()).unwrap_or_default();
        let matcher = Matcher::builder().https(text(&https)).http(text(&http)).no(exceptions.clone()).build();
        Self { https, http, exceptions, matcher }
    }

    pub(super) fn for_client(&self) -> Vec<Proxy> {
        let https = self.https.clone().map(Proxy::https);
        let http = self.http.clone().map(Proxy::http);
        // A URL that was read cannot fail to be one.
        let proxies = https.into_iter().chain(http).filter_map(Result::ok);
        proxies.map(|proxy| proxy.no_proxy(NoProxy::from_string(&self.exceptions))).collect()
    }

    pub(super) fn of(&self, url: &Url) -> Option<String> {
        let found = self.matcher.intercept(&url.as_str().parse().ok()?)?;
        let host = found.uri().host()?;
        Some(found.uri().port_u16().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    }
}

/// Reads the address of a proxy. Without a scheme it is `http`, as elsewhere.
fn url_of(setting: &Setting) -> Result<Url, Error> {
    let wrong = |what: &str| {
        Error::invalid_options(format!(
            "{}: {what}; expected the URL of a proxy, such as `http://proxy.example.com:8080`",
            setting.source
        ))
    };
    let text = setting.text.expose().trim();
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = Url::parse(&whole).map_err(|error| wrong(&format!("not a URL ({error})")))?;
    if !matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h") {
        return Err(wrong("the scheme must be http, https, socks5 or socks5h"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(wrong("there is no host in it"));
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("a path, query or fragment is not part of it"));
    }
    Ok(url)
}

/// An exception as the matcher knows it: `*.example.com` is `.example.com`, and a port does not count.
fn exception(entry: &str) -> String {
    let entry = entry.trim();
    let entry = entry.strip_prefix('*').filter(|rest| rest.starts_with('.')).unwrap_or(entry);
    let host = match entry.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => match port.parse::<u16>() {
            Ok(_) => host,
            Err(_) => entry,
        },
        _ => entry,
    };
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}
