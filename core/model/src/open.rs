//! Where models come from: the one constructor of them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lodger_net::Transport;
use lodger_protocol::{Endpoint, Environment, Error, Limits, Secret};

use crate::auth::Credentials;
use crate::catalogue::Catalogue;
use crate::forgotten::Forgotten;
use crate::http::{HttpModel, Inner};
use crate::scripted::ScriptedModel;
use crate::{Model, ModelSpec, Quirks, ResolvedEndpoint, Target, Watch, protocol};

/// Where the models of an agent come from: all but their names.
pub struct ModelSource {
    /// The server of every model; absent: `<PROVIDER>_BASE_URL` of `env`, else the provider's own address.
    pub endpoint: Option<Endpoint>,
    /// The credentials. An endpoint on a loopback address, or one whose headers carry credentials, needs none.
    pub credentials: Credentials,
    /// What is known of providers and models.
    pub catalogue: Catalogue,
    /// The host's environment.
    pub env: Environment,
    /// Of these the timeouts of the provider and `max_retries` are used.
    pub limits: Limits,
    /// Where the paths of scripts begin.
    pub cwd: Option<PathBuf>,
    /// What carries requests.
    pub transport: Arc<dyn Transport>,
    /// Who sees them.
    pub watch: Watch,
}

impl ModelSource {
    /// Makes the model of that name. Reads no network.
    ///
    /// `name` is `provider/model`. `scripted/FILE.json` plays a script: `FILE.json` is absolute or relative to `cwd`.
    ///
    /// # Errors
    /// `invalid_options` for a name, URL, header or script that cannot be used; `provider_auth` when there is no key.
    pub fn open(&self, name: &str) -> Result<Arc<dyn Model>, Error> {
        let spec = ModelSpec::parse(name)?;
        if spec.provider == "scripted" {
            return Ok(Arc::new(ScriptedModel::open(&spec.model, self.cwd.as_deref())?));
        }
        Ok(Arc::new(HttpModel::new(self.inner(name, spec)?)))
    }

    /// All that requests to the provider of a model need.
    pub(crate) fn inner(&self, name: &str, spec: ModelSpec) -> Result<Inner, Error> {
        let endpoint = ResolvedEndpoint::find(&spec, self.endpoint.as_ref(), &self.env, &self.catalogue)?;
        let credentials = self.credentials.at(&spec, &endpoint, &self.env, &self.catalogue)?;
        endpoint.check_secrecy(credentials.is_some())?;
        let known = self.catalogue.model(&spec.provider, &spec.model);
        let mut quirks = Quirks::of(endpoint.kind, &spec.provider, &spec.model);
        if let Some(images) = known.as_ref().and_then(|known| known.images) {
            quirks.images = images;
        }
        if let Some(documents) = known.as_ref().and_then(|known| known.documents) {
            quirks.documents = documents;
        }
        // A server that knows no schemas may refuse the request, so it must be known that this one does.
        if known.as_ref().and_then(|known| known.structured_output) != Some(true) {
            quirks.held = None;
        }
        let protocol = protocol(endpoint.kind);
        let own_path = endpoint.form.path_of(&spec.model);
        let url = |path: &str| match protocol.is_versioned_by_base() {
            true => endpoint.base_url.join_versioned(path),
            false => endpoint.base_url.join(path),
        };
        let (url, list_url) = match own_path {
            Some(path) => (endpoint.base_url.join(&path), None),
            None => (url(&protocol.path(&spec.model)), Some(url(protocol.list_path()))),
        };
        let headers: Vec<_> = endpoint.headers.into_iter().map(|(name, value)| (name, Secret::from(value))).collect();
        Ok(Inner {
            target: Target { name: name.to_owned(), kind: endpoint.kind, quirks, model: spec.model },
            protocol,
            url,
            list_url,
            headers,
            credentials,
            key_header: endpoint.key_header,
            form: endpoint.form,
            context_window: known.as_ref().and_then(|known| known.context_window),
            max_output_tokens: known.as_ref().and_then(|known| known.max_output_tokens),
            price: known.and_then(|known| known.price),
            queue: Duration::from_millis(self.limits.queue_timeout_ms),
            connect: Duration::from_millis(self.limits.connect_timeout_ms),
            first_byte: Duration::from_millis(self.limits.first_byte_timeout_ms),
            gap: Duration::from_millis(self.limits.gap_timeout_ms),
            max_retries: self.limits.max_retries,
            transport: Arc::clone(&self.transport),
            forgotten: Forgotten::default(),
            watch: self.watch.clone(),
        })
    }
}
