//! What carries a request: a trait, so that a host's own fetch can take the place of the built-in clients.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use lodger_protocol::Error;

/// How a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`, without a body.
    Get,
    /// `POST`.
    Post,
}

impl Method {
    /// As it stands on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// A request. `Debug` shows the names of the headers, never their values, and of the body only its length.
#[derive(Clone)]
pub struct HttpRequest {
    /// How it is sent.
    pub method: Method,
    /// Absolute `http` or `https` URL, without user name and password. A query holds no secret.
    pub url: String,
    /// Names in any case, and values; credentials are among them.
    pub headers: Vec<(String, String)>,
    /// The body, whole.
    pub body: Bytes,
    /// The wait for its turn, where as many requests as may be are under way to its host.
    pub queued: Queued,
    /// How long the connection may take to be made, TLS and proxy included.
    pub connect_timeout: Duration,
    /// How long to wait for the status line, from the turn of the request on.
    pub first_byte_timeout: Duration,
}

/// How long a request waits for its turn.
#[derive(Clone)]
pub struct Queued {
    /// At most so long.
    pub timeout: Duration,
    /// Hears how long it was, once, if there was a wait and however it ended but for the request being given up. Called
    /// on a thread of the runtime: it must return at once.
    pub told: Option<Arc<dyn Fn(Duration) + Send + Sync>>,
}

impl Queued {
    /// A wait that nobody hears of.
    #[must_use]
    pub const fn at_most(timeout: Duration) -> Self {
        Self { timeout, told: None }
    }
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &names)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish_non_exhaustive()
    }
}

/// An answer, of whatever status, whose body has not been read yet.
pub struct HttpResponse {
    /// The status, redirects included: they are answers, not followed.
    pub status: u16,
    /// Names in lower case, and values; those that are not text are left out.
    pub headers: Vec<(String, String)>,
    /// The body, read only as it is polled. An error ends it.
    pub body: BoxStream<'static, Result<Bytes, Error>>,
}

impl HttpResponse {
    /// The first header of that name, given in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

/// Carries requests. Called from any thread of the runtime.
///
/// Nothing is sent before the future is polled. Dropping the future or the body gives the request up and closes
/// its connection. A failure before the status line is `provider_unavailable` or `timeout`; one in the body is
/// `provider_stream_cut`.
pub trait Transport: Send + Sync {
    /// Sends a request and waits for the head of its answer.
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpResponse, Error>>;
}
