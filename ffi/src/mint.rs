//! Tokens that the host makes: their way to it, and back.
//!
//! When a token is wanted, and how long one counts, the engine decides. The token's text stays with nobody here.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};

use lodger_core::embed::{IssuedToken, Mailbox, TokenQueue, TokenRequest, TokenSource};
use lodger_core::protocol::{Error, ErrorCode, Result, Secret};

use crate::desk::Desk;
use crate::host::Host;

/// Has the tokens of one agent made by its host.
pub(crate) struct Mint {
    queue: TokenQueue,
    /// Gone with the agent, so that the engine does not keep the host's context.
    host: Weak<Host>,
    desk: Arc<Desk>,
}

impl Mint {
    pub(crate) fn new(host: &Arc<Host>, desk: &Arc<Desk>) -> Self {
        // The desk hears of each token from here: the mailbox has nobody to wake.
        let queue = TokenQueue::new(&Mailbox::new(Box::new(|| {})), 0);
        Self { queue, host: Arc::downgrade(host), desk: Arc::clone(desk) }
    }
}

impl TokenSource for Mint {
    fn token(&self, wanted: TokenRequest) -> Pin<Box<dyn Future<Output = Result<IssuedToken>> + Send>> {
        let made = self.queue.token(wanted);
        let (queue, host) = (self.queue.clone(), self.host.clone());
        self.desk.post(Box::new(move || {
            for (id, wanted) in queue.take() {
                let wanted = Wanted { queue: queue.clone(), id, audience: wanted.audience };
                if let Some(host) = host.upgrade() {
                    host.make_token(wanted);
                }
            }
        }));
        made
    }
}

/// A token that is wanted, in the host's hands. Dropped unanswered, there is none.
pub(crate) struct Wanted {
    queue: TokenQueue,
    id: u64,
    audience: String,
}

impl Wanted {
    /// The base URL of the server that will get it.
    pub(crate) fn audience(&self) -> &str {
        &self.audience
    }

    /// Here it is.
    pub(crate) fn issue(&self, token: &str, expires_at: Option<u64>) -> Result<()> {
        heard(self.queue.issue(self.id, IssuedToken { token: Secret::new(token), expires_at }))
    }

    /// There is none.
    pub(crate) fn fail(&self, reason: &str) -> Result<()> {
        heard(self.queue.fail(self.id, reason))
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        self.queue.fail(self.id, "the host let go of the request unanswered");
    }
}

fn heard(somebody_waited: bool) -> Result<()> {
    match somebody_waited {
        true => Ok(()),
        false => Err(Error::new(
            ErrorCode::RequestSettled,
            "nobody waits for this token: it was given, failed, or came after its minute",
        )),
    }
}
