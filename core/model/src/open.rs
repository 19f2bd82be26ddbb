//! The one constructor of models.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lodger_net::Transport;
use lodger_protocol::{Auth, Endpoint, EndpointKind, Environment, Error, Limits};

use crate::http::{HttpModel, Inner};
use crate::scripted::ScriptedModel;
use crate::{Credential, Model, ModelSpec, ResolvedEndpoint, anthropic};

/// Makes the model of that name. Reads no network.
///
/// `name` is `provider/model`. `scripted/FILE.json` plays a script: `FILE.json` is absolute or relative to `cwd`.
/// Any other goes to `endpoint`, else to `<PROVIDER>_BASE_URL` of `env`, else to the provider's own address, with the
/// key of `auth`, else of `<PROVIDER>_API_KEY` of `env`; an endpoint on a loopback address, or one whose headers carry
/// credentials, needs none. Of `limits` the two timeouts of the provider are used.
///
/// # Errors
/// `invalid_options` for a name, URL, header or script that cannot be used; `provider_auth` when there is no key.
pub fn open_model(
    name: &str,
    endpoint: Option<&Endpoint>,
    auth: Option<&Auth>,
    env: &Environment,
    limits: &Limits,
    cwd: Option<&Path>,
    transport: Arc<dyn Transport>,
) -> Result<Arc<dyn Model>, Error> {
    let spec = ModelSpec::parse(name)?;
    if spec.provider == "scripted" {
        return Ok(Arc::new(ScriptedModel::open(&spec.model, cwd)?));
    }
    let endpoint = ResolvedEndpoint::find(&spec, endpoint, env)?;
    let key = match Credential::find(&spec, auth, env) {
        Ok(key) => Some(key),
        Err(_) if endpoint.key_optional => None,
        Err(error) => return Err(error),
    };
    let path = match endpoint.kind {
        EndpointKind::Anthropic => anthropic::PATH,
    };
    let headers: Vec<_> = endpoint.headers.into_iter().map(|(name, value)| (name, Credential::new(&value))).collect();
    let secrets = key.iter().cloned().chain(headers.iter().flat_map(|(_, value)| value.words())).collect();
    Ok(Arc::new(HttpModel::new(Inner {
        name: name.to_owned(),
        model: spec.model,
        url: endpoint.base_url.join(path),
        headers,
        key,
        secrets,
        context_window: endpoint.context_window,
        first_byte: Duration::from_millis(limits.first_byte_timeout_ms),
        gap: Duration::from_millis(limits.gap_timeout_ms),
        transport,
    })))
}
