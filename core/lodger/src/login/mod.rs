//! Logging in to a provider, and using what was saved of it: for the command, servers and settings pages.
//!
//! An agent reads a saved login only when option `auth` asks for it. What is saved is never shown.

mod begin;
mod redirect;
mod saved;

pub use begin::{LoginStep, LoginWay, can_save, log_in, log_out, save, status};
pub use lodger_config::{ConfigFolder, Logins, SavedLogin};
pub(crate) use saved::{SavedTokens, SavingWay, existing};

use lodger_model::auth::key_of;
use lodger_model::variable_of;
use lodger_protocol::{Environment, Error};

/// Whether the environment has a key for a provider, by its bundled or a host's own catalogue.
///
/// # Errors
/// `invalid_options` for a catalogue file that cannot be used.
pub fn has_key(provider: &str, catalogue: Option<&std::path::Path>, env: &Environment) -> Result<bool, Error> {
    Ok(key_of(provider, env, &begin::catalogue_of(catalogue)?).is_ok())
}

/// Whether the environment names another server for a provider, by `<PROVIDER>_BASE_URL`. A saved login is not for it.
#[must_use]
pub fn has_base_url(provider: &str, env: &Environment) -> bool {
    env.get(&variable_of(provider, "BASE_URL")).is_some()
}
