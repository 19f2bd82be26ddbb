//! What reqwest's errors mean, in words that name the place and no secret.

use std::error::Error as StdError;
use std::io;

use lodger_protocol::{Error, ErrorCode};

/// The request did not get an answer.
pub(crate) fn not_sent(place: &str, error: &reqwest::Error) -> Error {
    let root = root(error);
    if error.is_builder() {
        return Error::invalid_options(format!("a request to {place} cannot be made: {root}"));
    }
    let mut out = Error::new(ErrorCode::ProviderUnavailable, String::new());
    out.message = if error.is_dns() {
        format!("the name in {place} could not be resolved: {root}")
    } else if let Some(tls) = find::<rustls::Error>(error) {
        // A certificate does not get better by asking again.
        out.retryable = !matches!(tls, rustls::Error::InvalidCertificate(_));
        format!("TLS with {place} failed: {tls}")
    } else if find::<io::Error>(error).is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
        format!("{place} refused the connection; is the provider running there?")
    } else if error.is_connect() {
        format!("no connection to {place}: {root}")
    } else {
        format!("the connection to {place} broke before an answer came: {root}")
    };
    out
}

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
