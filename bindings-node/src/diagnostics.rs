//! Diagnostics of one agent, until JavaScript takes them.

use lodger::embed::DiagnosticQueue;
use napi_derive::napi;

use crate::error::guard;
use crate::mailbox::NativeMailbox;

/// Where an agent's diagnostics wait. It may outlive the agent, and does not keep it.
#[napi]
pub struct NativeDiagnostics {
    queue: DiagnosticQueue,
}

impl NativeDiagnostics {
    pub(crate) fn queue(&self) -> DiagnosticQueue {
        self.queue.clone()
    }
}

#[napi]
impl NativeDiagnostics {
    /// For an agent whose diagnostics ring in `mailbox` under `key`, as its requests' lane.
    #[napi(constructor)]
    pub fn new(mailbox: &NativeMailbox, key: f64) -> napi::Result<Self> {
        guard(|| Ok(Self { queue: DiagnosticQueue::new(mailbox.shared().mailbox(), key as u64) }))
    }

    /// What waits, as the text of a JSON array; `null` when nothing does.
    #[napi]
    pub fn take_json(&self) -> napi::Result<Option<String>> {
        guard(|| Ok(self.queue.take_json()))
    }
}
