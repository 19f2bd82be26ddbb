//! Where a provider is.

use std::fmt;
use std::net::IpAddr;

use lodger_protocol::Error;
use reqwest::Url;

/// An `http` or `https` URL without credentials, query or fragment, under which a protocol has its own paths.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Reads a URL. `source` names the option or variable that it came from, for the message.
    ///
    /// # Errors
    /// `invalid_options`, without the text that was found: it may hold a password.
    pub fn parse(text: &str, source: &str) -> Result<Self, Error> {
        let wrong = |what: &str| {
            Error::invalid_options(format!(
                "{source}: {what}; expected an absolute URL such as `https://models.example.com`"
            ))
        };
        let url = Url::parse(text.trim()).map_err(|error| wrong(&format!("not a URL ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("the scheme must be http or https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("a user name or password does not belong into the URL, put it into `endpoint.headers`"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("a query or fragment cannot be part of a base URL"));
        }
        Ok(Self(url))
    }

    /// The URL itself, without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// The URL of a path below, such as `v1/messages`. A base that ends with the path's first segment is taken
    /// to hold it already.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        let base = self.as_str();
        match path.split_once('/') {
            Some((first, rest)) if base.ends_with(&format!("/{first}")) => format!("{base}/{rest}"),
            _ => format!("{base}/{path}"),
        }
    }

    /// The same for a path whose first segment is a version: a base that holds a version anywhere, as `/api/v4` does,
    /// is taken to hold it already.
    #[must_use]
    pub fn join_versioned(&self, path: &str) -> String {
        let base = self.as_str();
        match path.split_once('/') {
            Some((_, rest)) if self.0.path().split('/').any(is_version) => format!("{base}/{rest}"),
            _ => format!("{base}/{path}"),
        }
    }

    /// Whether it can only lead to this machine: `localhost` or a loopback address.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// Endings of names that no public server has.
const PRIVATE_ENDS: [&str; 5] = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];

impl BaseUrl {
    /// Whether what is sent there can be read by others than those of this machine and of its private network: by
    /// `http`, to an address or a name that is public. A name without a dot is private, as in a network of containers.
    #[must_use]
    pub fn is_readable_by_others(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_private = match bare.parse::<IpAddr>() {
            Ok(address) => is_private(address.to_canonical()),
            Err(_) => !host.contains('.') || PRIVATE_ENDS.iter().any(|end| host.ends_with(end)),
        };
        self.0.scheme() == "http" && !is_private
    }
}

/// Loopback, private, link-local, and the range that carriers and overlay networks share.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_loopback() || v4.is_private() || v4.is_link_local() || (a == 100 && b & 0xc0 == 64)
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

/// `v1`, `v1beta`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_in_the_base_takes_the_place_of_that_of_the_path() {
        for (base, url) in [
            ("https://a.test", "https://a.test/v1/chat/completions"),
            ("https://a.test/v1/", "https://a.test/v1/chat/completions"),
            ("https://a.test/openai/v1", "https://a.test/openai/v1/chat/completions"),
            ("https://a.test/api/v4", "https://a.test/api/v4/chat/completions"),
            ("https://a.test/v1beta/openai", "https://a.test/v1beta/openai/chat/completions"),
            ("https://a.test/vault", "https://a.test/vault/v1/chat/completions"),
        ] {
            assert_eq!(BaseUrl::parse(base, "x").unwrap().join_versioned("v1/chat/completions"), url);
        }
    }
}
