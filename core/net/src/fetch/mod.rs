//! Requests that the host carries with its own fetch: its proxy, its certificates, its log.
//!
//! The host gets each request as a [`Fetch`], says what came back piece by piece, and is told when to wait and when
//! nobody wants the answer any more. It decides nothing else: what the bytes mean is read where all answers are.

mod body;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use lodger_protocol::{Error, ErrorCode, Result};
use tokio::sync::Notify;

use crate::{HttpRequest, HttpResponse, Transport};

/// So many bytes of a body wait before the host is asked to wait.
const MAX_WAITING: usize = 1024 * 1024;
/// A host that does not wait is cut off here.
const MAX_OVERRUN: usize = 32 * 1024 * 1024;
/// What a piece takes beside its bytes.
const PIECE: usize = 64;
/// So many bytes of headers are taken.
const MAX_HEADER_BYTES: usize = 256 * 1024;

/// Who carries requests. Called from any thread of the engine: it must return at once.
pub trait Fetcher: Send + Sync {
    /// Carry this one.
    fn fetch(&self, fetch: Arc<Fetch>);

    /// The body has room again, or nobody wants the answer any more: see [`Fetch::is_given_up`].
    fn changed(&self, fetch: &Arc<Fetch>);
}

/// The transport of a host that fetches itself.
pub struct HostFetch {
    fetcher: Arc<dyn Fetcher>,
    made: AtomicU64,
}

impl HostFetch {
    /// Has every request carried by `fetcher`.
    #[must_use]
    pub fn new(fetcher: Arc<dyn Fetcher>) -> Self {
        Self { fetcher, made: AtomicU64::new(0) }
    }
}

impl Transport for HostFetch {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpResponse>> {
        let id = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let fetcher = Arc::clone(&self.fetcher);
        async move {
            let limit = request.first_byte_timeout;
            let fetch = Arc::new(Fetch { id, request, state: Mutex::default(), told: Notify::new() });
            let wanted = Wanted { fetch: Arc::clone(&fetch), fetcher: Arc::clone(&fetcher) };
            fetcher.fetch(Arc::clone(&fetch));
            let head = tokio::time::timeout(limit, fetch.head()).await.map_err(|_| {
                let ms = limit.as_millis();
                let told = format!("the host's fetch gave no answer within {ms} ms (limits.firstByteTimeoutMs)");
                Error::new(ErrorCode::Timeout, told)
            })??;
            Ok(HttpResponse { status: head.status, headers: head.headers, body: body::stream(wanted).boxed() })
        }
        .boxed()
    }
}

/// The engine's interest in an answer. Dropped, it tells the host to give up.
struct Wanted {
    fetch: Arc<Fetch>,
    fetcher: Arc<dyn Fetcher>,
}

impl Drop for Wanted {
    fn drop(&mut self) {
        let is_over = {
            let mut state = self.fetch.state();
            state.given_up = true;
            state.pieces.clear();
            state.end.is_some()
        };
        if !is_over {
            self.fetcher.changed(&self.fetch);
        }
    }
}

/// One request in the hands of the host.
pub struct Fetch {
    id: u64,
    request: HttpRequest,
    state: Mutex<State>,
    told: Notify,
}

#[derive(Default)]
struct State {
    head: Option<Head>,
    has_answered: bool,
    pieces: VecDeque<Bytes>,
    waiting: usize,
    /// The host was asked to wait.
    is_full: bool,
    end: Option<Result<()>>,
    given_up: bool,
}

#[derive(Clone)]
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
}

/// What the host does next with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The next piece, please.
    More,
    /// No piece until [`Fetcher::changed`].
    Wait,
    /// Nobody wants it: cancel the request.
    GivenUp,
}

impl Fetch {
    /// Its number among the requests of its agent, from 1.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// What to send. Redirects are answers: they must not be followed, since the headers carry credentials.
    #[must_use]
    pub const fn request(&self) -> &HttpRequest {
        &self.request
    }

    /// Says the head of the answer. Names of headers may come in any case.
    ///
    /// # Errors
    /// `invalid_input` for a status that is none and for too many headers, with which the request ends as well; and
    /// for a second head.
    pub fn respond(&self, status: u16, headers: Vec<(String, String)>) -> Result<Flow> {
        if !(100..=599).contains(&status) {
            return Err(self.misfit(&format!("status {status}; expected 100 to 599")));
        }
        if headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > MAX_HEADER_BYTES {
            return Err(self.misfit(&format!("headers of more than {MAX_HEADER_BYTES} bytes")));
        }
        let mut state = self.state();
        if std::mem::replace(&mut state.has_answered, true) {
            return Err(Error::invalid_input("the head of this answer was said already"));
        }
        let headers = headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
        state.head = Some(Head { status, headers });
        Ok(self.tell(state))
    }

    /// Hands over the next piece of the body.
    ///
    /// # Errors
    /// `invalid_input` before the head and after the end.
    pub fn push(&self, piece: Bytes) -> Result<Flow> {
        let mut state = self.state();
        if state.given_up {
            return Ok(Flow::GivenUp);
        }
        if !state.has_answered || state.end.is_some() {
            return Err(Error::invalid_input("a piece of the body comes after the head and before the end"));
        }
        // One that is larger than all room passes when there is nothing else.
        if state.waiting > 0 && state.waiting + weight(&piece) > MAX_OVERRUN {
            let told = "the host's fetch did not wait when it was asked to";
            state.end = Some(Err(Error::new(ErrorCode::ProviderStreamCut, told)));
            return Ok(self.tell(state));
        }
        state.waiting += weight(&piece);
        state.pieces.push_back(piece);
        state.is_full = state.waiting >= MAX_WAITING;
        Ok(self.tell(state))
    }

    /// What is next, without handing over anything: given up is also what is over.
    #[must_use]
    pub fn flow(&self) -> Flow {
        let state = self.state();
        match (state.given_up || state.end.is_some(), state.is_full) {
            (true, _) => Flow::GivenUp,
            (false, true) => Flow::Wait,
            (false, false) => Flow::More,
        }
    }

    /// The body is whole. Later calls change nothing.
    pub fn end(&self) {
        let mut state = self.state();
        let end = match state.has_answered {
            true => Ok(()),
            false => Err(Error::new(ErrorCode::ProviderUnavailable, "the host's fetch ended without an answer")),
        };
        state.end.get_or_insert(end);
        self.tell(state);
    }

    /// The request or its answer failed. Later calls change nothing. `reason` is told to the host's user.
    pub fn fail(&self, reason: &str) {
        let mut state = self.state();
        let (code, what) = match state.has_answered {
            true => (ErrorCode::ProviderStreamCut, "broke off"),
            false => (ErrorCode::ProviderUnavailable, "failed"),
        };
        state.end.get_or_insert_with(|| Err(Error::new(code, format!("the host's fetch {what}: {reason}"))));
        self.tell(state);
    }

    /// What the host gave is no answer: `what` says what it was and what was expected. This is a fault of the host's
    /// own, so the request ends for good, as `invalid_input`; later calls change nothing. The value is that error.
    pub fn misfit(&self, what: &str) -> Error {
        let error = Error::invalid_input(format!("the host's fetch gave no answer that can be used: {what}"));
        let mut state = self.state();
        state.end.get_or_insert_with(|| Err(error.clone()));
        self.tell(state);
        error
    }

    /// Whether nobody wants the answer any more.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.state().given_up
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, state: MutexGuard<'_, State>) -> Flow {
        let flow = match (state.given_up || matches!(state.end, Some(Err(_))), state.is_full) {
            (true, _) => Flow::GivenUp,
            (false, true) => Flow::Wait,
            (false, false) => Flow::More,
        };
        drop(state);
        self.told.notify_one();
        flow
    }

    async fn head(&self) -> Result<Head> {
        loop {
            {
                let mut state = self.state();
                if let Some(head) = state.head.take() {
                    return Ok(head);
                }
                if let Some(Err(error)) = &state.end {
                    return Err(error.clone());
                }
            }
            self.told.notified().await;
        }
    }
}

/// What a piece takes in memory: an empty one is not nothing.
const fn weight(piece: &Bytes) -> usize {
    piece.len() + PIECE
}

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetch").field("id", &self.id).field("request", &self.request).finish_non_exhaustive()
    }
}
