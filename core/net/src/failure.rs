//! What reqwest's errors mean, in words that name the place and no secret.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use lodger_protocol::{Error, ErrorCode};

use crate::reach::NotPublic;

/// Where a request goes, as errors name it.
pub(crate) struct Place {
    /// `host:port`.
    pub(crate) host: String,
    /// `host:port` of the proxy that it goes through.
    pub(crate) proxy: Option<String>,
}

/// The request did not get an answer.
pub(crate) fn not_sent(place: &Place, connect_timeout: Duration, error: &reqwest::Error) -> Error {
    let root = root(error);
    let host = &place.host;
    if error.is_builder() {
        return Error::invalid_options(format!("a request to {host} cannot be made: {root}"));
    }
    if let Some(refused) = find::<NotPublic>(error) {
        return Error::new(ErrorCode::PermissionDenied, refused.to_string());
    }
    let mut out = Error::new(ErrorCode::ProviderUnavailable, String::new());
    // Who is connected to first, and what one would look at there.
    let (first, advice) = match &place.proxy {
        Some(proxy) => (format!("the proxy {proxy}"), "is it the right proxy?"),
        None => (host.clone(), "is the server running there?"),
    };
    let by = place.proxy.as_ref().map(|proxy| format!(" through the proxy {proxy}")).unwrap_or_default();
    out.message = if error.is_dns() {
        format!("the name of {first} could not be resolved: {root}")
    } else if let Some(tls) = find::<rustls::Error>(error) {
        // A certificate does not get better by asking again.
        out.retryable = !matches!(tls, rustls::Error::InvalidCertificate(_));
        format!("TLS with {host}{by} failed: {tls}")
    } else if find::<io::Error>(error).is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
        format!("{first} refused the connection; {advice}")
    } else if error.is_connect() && error.is_timeout() {
        format!("no connection to {host}{by} within {} ms (limits.connectTimeoutMs)", connect_timeout.as_millis())
    } else if error.is_connect() && root.contains(PROXY_AUTH) {
        out.retryable = false;
        format!("{first} wants other credentials; put them into its URL (network.proxy)")
    } else if error.is_connect() {
        format!("no connection to {host}{by}: {root}")
    } else {
        format!("the connection to {host}{by} broke before an answer came: {root}")
    };
    out
}

/// What the connector says of a proxy that answers 407: its error has no type of its own outside.
const PROXY_AUTH: &str = "proxy authorization required";

/// The body ended in the middle.
pub(crate) fn broken_body(place: &str, error: &reqwest::Error) -> Error {
    Error::new(
        ErrorCode::ProviderStreamCut,
        format!("the connection to {place} broke before the reply was complete: {}", root(error)),
    )
}

/// The innermost error: the outer ones repeat the URL.
fn root(error: &reqwest::Error) -> String {
    let mut inner: &dyn StdError = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    match inner.downcast_ref::<reqwest::Error>() {
        Some(_) => "no details are known".to_owned(),
        None => inner.to_string(),
    }
}

fn find<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // An I/O error hides what it wraps from `source`.
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}
