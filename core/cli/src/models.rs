//! `lodger models`: which models a provider offers.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use lodger::embed::{Handlers, ModelList, host_environment};
use lodger::login::ConfigFolder;
use lodger::protocol::{EndpointKind, Error, ListModelsOptions};

use crate::arguments::{endpoint, endpoint_kind, saved_catalogue, saved_login};
use crate::exit::Exit;
use crate::printable::printable_line;
use crate::stdout;

/// How long the list is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
#[command(after_help = "One request to the provider, with the key or login that a prompt would use.")]
pub(crate) struct Models {
    /// The provider, such as anthropic
    provider: String,

    /// A server to ask [default: LODGER_BASE_URL of the environment, else the provider's own]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,

    /// What the server of --base-url speaks: anthropic, openai-responses, openai-chat or gemini [default: anthropic]
    #[arg(long, value_name = "API", value_parser = endpoint_kind)]
    api: Option<EndpointKind>,

    /// As JSON: a list of ids
    #[arg(long)]
    json: bool,
}

impl Models {
    pub(crate) fn run(self) -> Result<Exit, Error> {
        let env = host_environment();
        let folder = ConfigFolder::of(&env).ok();
        let endpoint = endpoint(self.base_url.as_deref(), self.api, &env);
        let catalogue = saved_catalogue(folder.as_ref())?;
        let known = catalogue.as_deref().map(Path::new);
        let auth = match &folder {
            Some(folder) => saved_login(folder, &self.provider, endpoint.as_ref(), known, &env)?,
            None => None,
        };
        let options =
            ListModelsOptions { provider: Some(self.provider), endpoint, auth, catalogue, ..Default::default() };
        let options = serde_json::to_string(&options).map_err(|error| Error::internal(error.to_string()))?;
        let ids = ModelList::begin(None, &options, &env, &Handlers::default(), None)?.wait(PATIENCE)?;
        stdout::whole(&match self.json {
            true => serde_json::Value::from(ids).to_string() + "\n",
            false => ids.iter().map(|id| printable_line(id) + "\n").collect(),
        })
    }
}
