//! Models: which ones a provider offers.

use std::sync::Arc;

use lodger_core::embed::{self, ModelList};
use lodger_core::protocol::Error;

use crate::argument::{In, Out, Text};
use crate::blob::lodger_blob;
use crate::callback;
use crate::dispatch::Dispatcher;
use crate::error::lodger_error;
use crate::guard::guard;
use crate::handle::give;
use crate::host::{Host, lodger_host};
use crate::owned::DEFAULT_SEAT;
use crate::runtime::{limit, lodger_runtime};
use crate::sized;
use crate::status::{LODGER_OK, lodger_status};
use crate::text::lodger_str;

/// Asks a provider which models it offers: one request, which nothing else ever sends, and waits for the answer.
///
/// Any thread; not inside a callback.
///
/// @param runtime      Where it runs; NULL for the shared default.
/// @param options_json A JSON object: `provider`, and as in the options of an agent `auth`, `endpoint`, `catalogue` and
///                     `limits`. Without `auth` the key is looked up in the environment of your process.
/// @param host         Your callbacks; NULL for none. Of them `on_token` and `on_fetch` are called. Read during the call
///                     only. `ctx` belongs to the library from now on, also when the call fails.
/// @param timeout_ms   How long to wait, 0 or more.
/// @param[out] out     A JSON array of ids, sorted, each once: "model" is "provider/id". Yours: lodger_blob_free.
/// @param[out] err     The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_OPTIONS, LODGER_E_PROVIDER_AUTH and what else a provider may answer,
///         LODGER_E_TIMEOUT, LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_ABI_MISMATCH, LODGER_E_CLOSED,
///         LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_list_models(
    runtime: *const lodger_runtime,
    options_json: lodger_str,
    host: *const lodger_host,
    timeout_ms: i64,
    out: *mut *mut lodger_blob,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (runtime, options, host, out, err) =
        unsafe { (In::of(runtime), Text::of(options_json), sized::read(host), Out::of(out), Out::of(err)) };
    guard(err, || {
        // First of all: whatever fails below, the context has found its owner.
        let callbacks = Arc::new(Host::new(&host.value));
        let out = out.get("out")?;
        if let Some(fault) = host.fault {
            return Err(fault);
        }
        let (timeout, options) = (limit(timeout_ms)?, options.get("options_json")?);
        callback::may_wait("lodger_list_models")?;
        let owned = runtime.get_optional()?;
        let dispatcher = match callbacks.serves_the_engine() {
            true => Some(owned.map_or(&DEFAULT_SEAT, |owned| &*owned.seat).taken()?),
            false => None,
        };
        let handlers = callbacks.handlers(dispatcher.as_deref().map(Dispatcher::desk), None);
        let runtime = owned.map(|owned| &owned.runtime);
        let list = ModelList::begin(runtime, options, &embed::host_environment(), &handlers, None)?;
        let ids = list.wait(timeout);
        callbacks.gate.shut();
        let ids =
            serde_json::to_vec(&ids?).map_err(|error| Error::internal(format!("a list that is no JSON: {error}")))?;
        *out = give(ids);
        Ok(LODGER_OK)
    })
}
