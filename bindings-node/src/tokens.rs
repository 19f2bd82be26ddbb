//! Tokens that one agent wants, until JavaScript makes them.

use lodger::embed::{IssuedToken, TokenQueue};
use napi_derive::napi;

use crate::error::guard;
use crate::mailbox::NativeMailbox;

/// Where the tokens wait that the host is to make. It may outlive the agent, and does not keep it.
#[napi]
pub struct NativeTokens {
    queue: TokenQueue,
}

impl NativeTokens {
    pub(crate) fn queue(&self) -> TokenQueue {
        self.queue.clone()
    }
}

#[napi]
impl NativeTokens {
    /// For an agent whose tokens ring in `mailbox` under `key`, as its requests' lane.
    #[napi(constructor)]
    pub fn new(mailbox: &NativeMailbox, key: f64) -> napi::Result<Self> {
        guard(|| Ok(Self { queue: TokenQueue::new(mailbox.shared().mailbox(), key as u64) }))
    }

    /// What is wanted, as the text of a JSON array; `null` when nothing is.
    #[napi]
    pub fn take_json(&self) -> napi::Result<Option<String>> {
        guard(|| Ok(self.queue.take_json()))
    }

    /// A token, and the Unix milliseconds of its end.
    #[napi]
    pub fn issue(&self, id: f64, token: String, expires_at: Option<f64>) -> napi::Result<()> {
        guard(|| {
            let expires_at = expires_at.map(|end| end as u64);
            self.queue.issue(id as u64, IssuedToken { token: token.into(), expires_at });
            Ok(())
        })
    }

    /// There is no token.
    #[napi]
    pub fn fail(&self, id: f64, reason: String) -> napi::Result<()> {
        guard(|| {
            self.queue.fail(id as u64, &reason);
            Ok(())
        })
    }
}
