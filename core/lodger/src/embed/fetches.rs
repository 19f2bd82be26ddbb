//! Requests to models on their way to a host that carries them with its own fetch, and whose calls come by id.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use lodger_net::{Fetch, Fetcher, Flow};
use lodger_protocol::{Error, ErrorCode, Result};
use serde_json::json;

use super::locked;
use super::mailbox::Mailbox;

/// What happened to a request.
#[derive(Debug)]
pub enum FetchItem {
    /// Carry this one.
    Opened(Arc<Fetch>),
    /// Its body has room again.
    Room(u64),
    /// Nobody wants its answer any more: cancel it. Later calls for it are refused.
    GivenUp(u64),
}

impl FetchItem {
    /// The item for a language that answers by id. The body of a request is apart: [`FetchQueue::body`].
    #[must_use]
    pub fn into_json(self) -> serde_json::Value {
        match self {
            Self::Opened(fetch) => {
                let request = fetch.request();
                json!({
                    "type": "opened",
                    "id": fetch.id(),
                    "method": request.method.as_str(),
                    "url": request.url,
                    "headers": request.headers,
                })
            }
            Self::Room(id) => json!({ "type": "room", "id": id }),
            Self::GivenUp(id) => json!({ "type": "given_up", "id": id }),
        }
    }
}

/// The requests of one agent that its host carries. Give it to `Handlers::fetch`, and take from it whenever its lane
/// is marked. Bounded by the requests that the agent has under way. Cheap to clone.
#[derive(Clone)]
pub struct FetchQueue(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    mailbox: Mailbox,
    key: u64,
}

#[derive(Default)]
struct State {
    items: VecDeque<FetchItem>,
    /// Those that are neither over nor given up.
    open: HashMap<u64, Arc<Fetch>>,
}

impl FetchQueue {
    /// A queue that marks lane `key * 2 + 1` of a mailbox whenever something comes.
    #[must_use]
    pub fn new(mailbox: &Mailbox, key: u64) -> Self {
        Self(Arc::new(Inner { state: Mutex::default(), mailbox: mailbox.clone(), key }))
    }

    /// Takes what waits, in order.
    #[must_use]
    pub fn take(&self) -> Vec<FetchItem> {
        locked(&self.0.state).items.drain(..).collect()
    }

    /// The same as the text of a JSON array; `None` when there is nothing.
    #[must_use]
    pub fn take_json(&self) -> Option<String> {
        let items: Vec<_> = self.take().into_iter().map(FetchItem::into_json).collect();
        (!items.is_empty()).then(|| serde_json::Value::Array(items).to_string())
    }

    /// The body to send.
    ///
    /// # Errors
    /// `request_not_found` for one that is over.
    pub fn body(&self, id: u64) -> Result<Bytes> {
        Ok(self.open(id)?.request().body.clone())
    }

    /// Says the head of an answer; the value is whether it is still wanted.
    ///
    /// # Errors
    /// `invalid_input` as for [`Fetch::respond`].
    pub fn respond(&self, id: u64, status: u16, headers: Vec<(String, String)>) -> Result<bool> {
        let Ok(fetch) = self.open(id) else { return Ok(false) };
        Ok(fetch.respond(status, headers)? != Flow::GivenUp)
    }

    /// Hands over a piece of the body and says what is next.
    ///
    /// # Errors
    /// `invalid_input` as for [`Fetch::push`].
    pub fn push(&self, id: u64, piece: Bytes) -> Result<Flow> {
        match self.open(id) {
            Ok(fetch) => fetch.push(piece),
            Err(_) => Ok(Flow::GivenUp),
        }
    }

    /// The body is whole.
    pub fn end(&self, id: u64) {
        if let Some(fetch) = self.close(id) {
            fetch.end();
        }
    }

    /// The request or its answer failed.
    pub fn fail(&self, id: u64, reason: &str) {
        if let Some(fetch) = self.close(id) {
            fetch.fail(reason);
        }
    }

    /// What the host gave is no answer: see [`Fetch::misfit`].
    pub fn misfit(&self, id: u64, what: &str) {
        if let Some(fetch) = self.close(id) {
            fetch.misfit(what);
        }
    }

    fn open(&self, id: u64) -> Result<Arc<Fetch>> {
        locked(&self.0.state).open.get(&id).cloned().ok_or_else(|| {
            Error::new(ErrorCode::RequestNotFound, format!("there is no open fetch {id}; it is over, or was given up"))
        })
    }

    fn close(&self, id: u64) -> Option<Arc<Fetch>> {
        locked(&self.0.state).open.remove(&id)
    }

    fn ring(&self) {
        self.0.mailbox.mark(self.0.key * 2 + 1);
    }
}

impl Fetcher for FetchQueue {
    fn fetch(&self, fetch: Arc<Fetch>) {
        {
            let mut state = locked(&self.0.state);
            state.open.insert(fetch.id(), Arc::clone(&fetch));
            state.items.push_back(FetchItem::Opened(fetch));
        }
        self.ring();
    }

    fn changed(&self, fetch: &Arc<Fetch>) {
        {
            let mut state = locked(&self.0.state);
            let id = fetch.id();
            if !fetch.is_given_up() {
                state.items.push_back(FetchItem::Room(id));
            } else if state.open.remove(&id).is_some() {
                let before = state.items.len();
                state.items.retain(|item| !matches!(item, FetchItem::Opened(opened) if opened.id() == id));
                // A host that never heard of it need not hear of its end.
                if state.items.len() == before {
                    state.items.push_back(FetchItem::GivenUp(id));
                }
            }
        }
        self.ring();
    }
}

impl std::fmt::Debug for FetchQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FetchQueue")
    }
}
