//! The way from an agent to its providers: proxy, certificates, how many requests at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Secret;

/// The way to the providers. Agents of one runtime whose ways are alike share connections. What is absent is as the
/// host's environment has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkOptions {
    /// The URL of a proxy for all requests, of scheme `http`, `https`, `socks5` or `socks5h`; it may hold a user name and
    /// a password, which are shown nowhere. Absent: `HTTPS_PROXY` or `HTTP_PROXY`, as the provider's URL begins, else
    /// `ALL_PROXY`.
    pub proxy: Option<Secret>,
    /// Who is reached without a proxy: names, with all that are below them; addresses and ranges such as `10.0.0.0/8`;
    /// `*` for all. Absent: `NO_PROXY`. This machine always is.
    pub no_proxy: Option<Vec<String>>,
    /// Certificates of authorities in PEM that are trusted beside the well-known ones. Absent: the files that
    /// `SSL_CERT_FILE` and `NODE_EXTRA_CA_CERTS` name.
    pub ca: Option<String>,
    /// Requests to one host that may be under way at once, of all agents that share the way; further ones wait for their
    /// turn. Default 256.
    pub max_connections_per_host: u32,
}

impl Default for NetworkOptions {
    fn default() -> Self {
        Self { proxy: None, no_proxy: None, ca: None, max_connections_per_host: 256 }
    }
}
