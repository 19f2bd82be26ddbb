//! The models that a provider offers, for Rust.

use lodger_protocol::{Environment, ListModelsOptions, Result};

use crate::embed::{Handlers, Runtime};
use crate::wiring;

/// The ids of the models that a provider offers, sorted, each once: one request, which nothing but this call sends.
/// `env` is where a key is looked up, see `host_environment`.
///
/// # Errors
/// `invalid_options`, `provider_auth`; `provider_*` and `timeout` for what goes wrong on the way.
pub async fn list_models(options: ListModelsOptions, env: &Environment) -> Result<Vec<String>> {
    let runtime = Runtime::shared()?;
    let (source, provider) = wiring::list(options, env, &runtime, &Handlers::default())?;
    let asking = runtime.handle().spawn(async move { source.list(&provider).await });
    match asking.await {
        Ok(listed) => listed,
        Err(_) => Err(lodger_protocol::Error::internal("asking for the list of models was stopped")),
    }
}
