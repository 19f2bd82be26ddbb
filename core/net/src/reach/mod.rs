//! What may be reached where a model chooses the address: the open network, and of the private one only what the host
//! named.
//!
//! A name is judged by the addresses that it leads to, and one of these is connected to: nothing is looked up again in
//! between. Nothing here may ever let a name stand for an address that was not judged.

mod address;

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use lodger_protocol::{Error, ErrorCode};
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use address::is_public;

/// What requests may reach: public addresses over `https`, and what is named here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    private_hosts: Vec<String>,
    through_proxy: bool,
}

impl Reach {
    /// `private_hosts` are names or addresses, each for itself: theirs may be private, and they may be asked over `http`.
    /// With `through_proxy` requests may go through a proxy, which looks up names where nobody here sees it.
    ///
    /// # Errors
    /// `invalid_options` naming the entry of `private_hosts` that is no host. `source` names the option.
    pub fn new(private_hosts: &[String], through_proxy: bool, source: &str) -> Result<Self, Error> {
        let read = |(index, entry): (usize, &String)| {
            host_of(entry).ok_or_else(|| {
                Error::invalid_options(format!(
                    "{source}[{index}] is {entry:?}; expected a name or an address alone, such as `wiki.corp.example` or \
                     `10.0.0.7`"
                ))
            })
        };
        Ok(Self { private_hosts: private_hosts.iter().enumerate().map(read).collect::<Result<_, _>>()?, through_proxy })
    }

    /// Judges what can be judged before a name is looked up.
    ///
    /// # Errors
    /// `permission_denied` saying what is refused and what would allow it.
    pub(crate) fn check(&self, url: &Url, by_proxy: bool) -> Result<(), Error> {
        let refused = |why: String| Err(Error::new(ErrorCode::PermissionDenied, why));
        let host = url.host_str().unwrap_or_default();
        if !url.username().is_empty() || url.password().is_some() {
            return refused("a URL with a user name or a password is not fetched".to_owned());
        }
        if self.names(host) {
            return Ok(());
        }
        if url.scheme() != "https" {
            return refused(format!("{host} may be asked over https alone"));
        }
        if literal(host).is_some_and(|address| !is_public(address)) {
            return refused(NotPublic { host: host.to_owned() }.to_string());
        }
        if by_proxy && !self.through_proxy {
            return refused(format!(
                "{host} would be reached through a proxy, where nobody sees whether its address is public"
            ));
        }
        Ok(())
    }

    fn names(&self, host: &str) -> bool {
        let host = plain(host);
        self.private_hosts.contains(&host)
    }
}

/// The host that an entry names, as a URL's reader writes it.
fn host_of(entry: &str) -> Option<String> {
    let is_v6 = entry.parse::<Ipv6Addr>().is_ok();
    if !is_v6 && entry.contains([':', '*', '/', '?', '#', '@', ' ']) {
        return None;
    }
    let authority = if is_v6 { format!("[{entry}]") } else { entry.to_owned() };
    let url = Url::parse(&format!("https://{authority}/")).ok()?;
    url.host_str().map(plain)
}

/// A host as it is compared: small letters, without the dot at its end and the brackets of an address.
fn plain(host: &str) -> String {
    host.trim_end_matches('.').trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

/// The address that a host is. The URL's reader has brought every spelling of one into its usual form.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Looks up names and hands on no address that may not be connected to.
pub(crate) struct JudgedNames(pub(crate) Arc<Reach>);

impl Resolve for JudgedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = Arc::clone(&self.0);
        Box::pin(async move {
            let host = name.as_str();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host, 0)).await?.collect();
            // One private address among public ones is reason enough: which of them is tried is not up to us.
            if !reach.names(host) && !found.iter().all(|found| is_public(found.ip())) {
                return Err(NotPublic { host: host.to_owned() }.into());
            }
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

/// A host whose address is not public.
#[derive(Debug)]
pub(crate) struct NotPublic {
    host: String,
}

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the address of {} is not public, and the host does not allow that one", self.host)
    }
}

impl std::error::Error for NotPublic {}
