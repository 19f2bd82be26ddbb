//! Models: which ones a provider offers.

use lodger_core::embed::{self, Handlers, ModelList};
use lodger_core::protocol::Error;

use crate::argument::{In, Out, Text};
use crate::blob::lodger_blob;
use crate::callback;
use crate::error::lodger_error;
use crate::guard::guard;
use crate::handle::give;
use crate::runtime::{limit, lodger_runtime};
use crate::status::{LODGER_OK, lodger_status};
use crate::text::lodger_str;

/// Asks a provider which models it offers: one request, which nothing else ever sends, and waits for the answer.
///
/// Any thread; not inside a callback.
///
/// @param runtime      Where it runs; NULL for the shared default.
/// @param options_json A JSON object: `provider`, and as in the options of an agent `auth`, `endpoint`, `catalogue` and
///                     `limits`. Without `auth` the key is looked up in the environment of your process.
/// @param timeout_ms   How long to wait, 0 or more.
/// @param[out] out     A JSON array of ids, sorted, each once: "model" is "provider/id". Yours: lodger_blob_free.
/// @param[out] err     The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_OPTIONS, LODGER_E_PROVIDER_AUTH and what else a provider may answer,
///         LODGER_E_TIMEOUT, LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_CLOSED, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_list_models(
    runtime: *const lodger_runtime,
    options_json: lodger_str,
    timeout_ms: i64,
    out: *mut *mut lodger_blob,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (runtime, options, out, err) = unsafe { (In::of(runtime), Text::of(options_json), Out::of(out), Out::of(err)) };
    guard(err, || {
        let out = out.get("out")?;
        let (timeout, options) = (limit(timeout_ms)?, options.get("options_json")?);
        callback::may_wait("lodger_list_models")?;
        let runtime = runtime.get_optional()?.map(|owned| &owned.runtime);
        let list = ModelList::begin(runtime, options, &embed::host_environment(), &Handlers::default(), None)?;
        let ids = serde_json::to_vec(&list.wait(timeout)?)
            .map_err(|error| Error::internal(format!("a list that is no JSON: {error}")))?;
        *out = give(ids);
        Ok(LODGER_OK)
    })
}
