//! Tokens that a host makes, and whose calls come by id.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lodger_model::auth::{IssuedToken, TokenRequest, TokenSource};
use lodger_protocol::{Error, ErrorCode, Result};
use serde_json::json;
use tokio::sync::oneshot;

use super::locked;
use super::mailbox::Mailbox;

/// The tokens that one agent wants of its host. Give it to `Handlers::token`, and take from it whenever its lane is
/// marked. Bounded by the providers of the agent: for each it wants one token at once. Cheap to clone.
#[derive(Clone)]
pub struct TokenQueue(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    mailbox: Mailbox,
    key: u64,
}

#[derive(Default)]
struct State {
    wanted: u64,
    items: VecDeque<(u64, TokenRequest)>,
    open: HashMap<u64, oneshot::Sender<Result<IssuedToken>>>,
}

impl TokenQueue {
    /// A queue that marks lane `key * 2 + 1` of a mailbox whenever something comes.
    #[must_use]
    pub fn new(mailbox: &Mailbox, key: u64) -> Self {
        Self(Arc::new(Inner { state: Mutex::default(), mailbox: mailbox.clone(), key }))
    }

    /// Takes what is wanted, in order, each with its id, from 1.
    #[must_use]
    pub fn take(&self) -> Vec<(u64, TokenRequest)> {
        locked(&self.0.state).items.drain(..).collect()
    }

    /// The same as the text of a JSON array of `{ id, audience }`; `None` when there is nothing.
    #[must_use]
    pub fn take_json(&self) -> Option<String> {
        let wanted = |(id, wanted): (u64, TokenRequest)| json!({ "id": id, "audience": wanted.audience });
        let items: Vec<_> = self.take().into_iter().map(wanted).collect();
        (!items.is_empty()).then(|| serde_json::Value::Array(items).to_string())
    }

    /// Hands over a token; the value is whether somebody waited for it. Otherwise nothing changes.
    pub fn issue(&self, id: u64, token: IssuedToken) -> bool {
        self.settle(id, Ok(token))
    }

    /// There is no token; the value is whether somebody waited for it. `reason` is told to the host's user.
    pub fn fail(&self, id: u64, reason: &str) -> bool {
        self.settle(id, Err(Error::new(ErrorCode::ProviderAuth, reason)))
    }

    fn settle(&self, id: u64, outcome: Result<IssuedToken>) -> bool {
        let waiting = locked(&self.0.state).open.remove(&id);
        // Whoever waited may have given up in this moment.
        waiting.is_some_and(|waiting| waiting.send(outcome).is_ok())
    }
}

impl TokenSource for TokenQueue {
    fn token(&self, wanted: TokenRequest) -> BoxFuture<'static, Result<IssuedToken>> {
        let (told, outcome) = oneshot::channel();
        let id = {
            let mut state = locked(&self.0.state);
            state.wanted += 1;
            let id = state.wanted;
            state.open.insert(id, told);
            state.items.push_back((id, wanted));
            id
        };
        self.0.mailbox.mark(self.0.key * 2 + 1);
        let waiting = Waiting { queue: self.clone(), id };
        async move {
            let outcome = outcome.await;
            drop(waiting);
            outcome.unwrap_or_else(|_| Err(Error::new(ErrorCode::ProviderAuth, "the request for it was let go of")))
        }
        .boxed()
    }
}

/// Somebody who waits for a token. Dropped, nobody does.
struct Waiting {
    queue: TokenQueue,
    id: u64,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = locked(&self.queue.0.state);
        state.open.remove(&self.id);
        state.items.retain(|(id, _)| *id != self.id);
    }
}

impl std::fmt::Debug for TokenQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenQueue")
    }
}
