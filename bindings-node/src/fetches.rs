//! Requests of one agent, until JavaScript carries them.

use lodger::embed::{FetchFlow, FetchQueue};
use napi::bindgen_prelude::{BufferSlice, Env, Uint8Array};
use napi_derive::napi;

use crate::error::{guard, node};
use crate::mailbox::NativeMailbox;

/// Where an agent's requests wait for the host's fetch. It may outlive the agent, and does not keep it.
#[napi]
pub struct NativeFetches {
    queue: FetchQueue,
}

impl NativeFetches {
    pub(crate) fn queue(&self) -> FetchQueue {
        self.queue.clone()
    }
}

#[napi]
impl NativeFetches {
    /// For an agent whose requests ring in `mailbox` under `key`, as its requests' lane.
    #[napi(constructor)]
    pub fn new(mailbox: &NativeMailbox, key: f64) -> napi::Result<Self> {
        guard(|| Ok(Self { queue: FetchQueue::new(mailbox.shared().mailbox(), key as u64) }))
    }

    /// What waits, as the text of a JSON array; `null` when nothing does.
    #[napi]
    pub fn take_json(&self) -> napi::Result<Option<String>> {
        guard(|| Ok(self.queue.take_json()))
    }

    /// The body to send, in memory of JavaScript's own.
    #[napi]
    pub fn body<'env>(&self, env: &'env Env, id: f64) -> napi::Result<BufferSlice<'env>> {
        guard(|| BufferSlice::copy_from(env, self.queue.body(id as u64)?).map_err(node))
    }

    /// The head of an answer, its headers as pairs; whether it is still wanted.
    #[napi]
    pub fn respond(&self, id: f64, status: u16, headers: Vec<(String, String)>) -> napi::Result<bool> {
        guard(|| self.queue.respond(id as u64, status, headers))
    }

    /// A piece of the body, copied; what is next: `more`, `wait` or `given_up`.
    #[napi]
    pub fn push(&self, id: f64, piece: Uint8Array) -> napi::Result<&'static str> {
        guard(|| {
            Ok(match self.queue.push(id as u64, piece.to_vec().into())? {
                FetchFlow::More => "more",
                FetchFlow::Wait => "wait",
                FetchFlow::GivenUp => "given_up",
            })
        })
    }

    /// The body is whole.
    #[napi]
    pub fn end(&self, id: f64) -> napi::Result<()> {
        guard(|| {
            self.queue.end(id as u64);
            Ok(())
        })
    }

    /// The request or its answer failed.
    #[napi]
    pub fn fail(&self, id: f64, reason: String) -> napi::Result<()> {
        guard(|| {
            self.queue.fail(id as u64, &reason);
            Ok(())
        })
    }

    /// What the host gave is no answer.
    #[napi]
    pub fn misfit(&self, id: f64, what: String) -> napi::Result<()> {
        guard(|| {
            self.queue.misfit(id as u64, &what);
            Ok(())
        })
    }
}
