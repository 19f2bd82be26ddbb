//! Logging in to a provider, and using what was saved of it: for the command, servers and settings pages.
//!
//! An agent reads a saved login only when option `auth` asks for it. What is saved is never shown.

mod begin;
mod redirect;
mod saved;

pub use begin::{LoginStep, LoginWay, log_in, log_out, save, status};
pub use lodger_config::{ConfigFolder, Logins, SavedLogin};
pub(crate) use saved::{SavedTokens, existing};

use lodger_protocol::{Environment, Error};

/// Whether the environment has a key for a provider, by its bundled or a host's own catalogue.
///
/// # Errors
/// `invalid_options` for a catalogue file that cannot be used.
pub fn has_key(provider: &str, catalogue: Option<&std::path::Path>, env: &Environment) -> Result<bool, Error> {
    let known = begin::catalogue_of(catalogue)?.provider(provider);
    let own = format!("{}_API_KEY", provider.to_ascii_uppercase().replace('-', "_"));
    let others = known.map(|known| known.key_variables).unwrap_or_default();
    Ok(std::iter::once(own).chain(others).any(|name| env.get(&name).is_some()))
}
