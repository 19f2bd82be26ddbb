//! HTTP for talking to models: requests go through a [`Transport`], answers come back as [`Frame`]s.
//!
//! The default build holds the traits and the data. Feature `http` adds [`HttpClients`], built from an explicit
//! TLS configuration, what cuts a body into frames, and [`Reach`], which bounds what may be reached where a model
//! chooses the address.
//!
//! This crate must never keep anything process-wide, follow a redirect (requests carry credentials), read the
//! environment, retry, or put a header's value into an error.

mod frame;
mod framing;
mod transport;

#[cfg(feature = "http")]
mod clients;
#[cfg(feature = "http")]
mod failure;
#[cfg(feature = "http")]
mod fetch;
#[cfg(feature = "http")]
mod network;
#[cfg(feature = "http")]
mod reach;
#[cfg(feature = "http")]
mod url;

pub use frame::Frame;
pub use framing::Framing;
pub use transport::{HttpRequest, HttpResponse, Method, Queued, Transport};

#[cfg(feature = "http")]
pub use clients::HttpClients;
#[cfg(feature = "http")]
pub use fetch::{Fetch, Fetcher, Flow, HostFetch};
#[cfg(feature = "http")]
pub use framing::{MAX_EVENT_BYTES, frames};
#[cfg(feature = "http")]
pub use network::{Certificates, MAX_CA_BYTES, NetworkSettings, Setting};
#[cfg(feature = "http")]
pub use reach::Reach;
#[cfg(feature = "http")]
pub use url::BaseUrl;
