//! The list of a provider's models on its way to a host.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use lodger_protocol::{Environment, Error, ErrorCode, ListModelsOptions, Result};
use tokio::task::AbortHandle;

use super::handlers::Handlers;
use super::mailbox::Mailbox;
use super::runtime::Runtime;
use super::{locked, may_block, options};
use crate::wiring;

/// One request for the models that a provider offers. Dropped, it is given up.
pub struct ModelList {
    slot: Arc<Slot>,
    asking: AbortHandle,
}

#[derive(Default)]
struct Slot {
    outcome: Mutex<Option<Result<Vec<String>>>>,
    came: Condvar,
}

impl ModelList {
    /// Asks. `options_json` is `ListModelsOptions`; of `handlers`, those for tokens and for fetching are used; without
    /// `runtime` the default one is. When the outcome is there, lane `key * 2 + 1` of `mailbox` is marked, if there is
    /// one.
    ///
    /// # Errors
    /// `invalid_options`, `provider_auth`, `forked`, `closed`: then nothing was asked.
    pub fn begin(
        runtime: Option<&Runtime>,
        options_json: &str,
        env: &Environment,
        handlers: &Handlers,
        mailbox: Option<(Mailbox, u64)>,
    ) -> Result<Self> {
        let options: ListModelsOptions = options::read(options_json)?;
        let runtime = match runtime {
            Some(runtime) => runtime.clone(),
            None => Runtime::shared()?,
        };
        runtime.check_usable()?;
        let (source, provider) = wiring::list(options, env, &runtime, handlers)?;
        let slot = Arc::new(Slot::default());
        let told = Arc::clone(&slot);
        let asking = runtime.handle().clone().spawn(async move {
            let outcome = source.list(&provider).await;
            *locked(&told.outcome) = Some(outcome);
            told.came.notify_all();
            if let Some((mailbox, key)) = mailbox {
                mailbox.mark(key * 2 + 1);
            }
            // The runtime lives until here.
            drop(runtime);
        });
        Ok(Self { slot, asking: asking.abort_handle() })
    }

    /// The ids, sorted, once they are there; `None` before, and after they were taken.
    #[must_use]
    pub fn take(&self) -> Option<Result<Vec<String>>> {
        locked(&self.slot.outcome).take()
    }

    /// Waits for the ids.
    ///
    /// # Errors
    /// What went wrong; `timeout`; `would_deadlock` on a thread of an async runtime.
    pub fn wait(&self, timeout: Duration) -> Result<Vec<String>> {
        may_block("waiting for a list of models")?;
        let outcome = locked(&self.slot.outcome);
        let (mut outcome, _) = self
            .slot
            .came
            .wait_timeout_while(outcome, timeout, |outcome| outcome.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        outcome.take().unwrap_or_else(|| {
            Err(Error::new(ErrorCode::Timeout, format!("no list of models came within {} ms", timeout.as_millis())))
        })
    }
}

impl Drop for ModelList {
    fn drop(&mut self) {
        self.asking.abort();
    }
}

impl std::fmt::Debug for ModelList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ModelList")
    }
}
