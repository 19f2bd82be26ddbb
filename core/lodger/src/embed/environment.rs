//! The host's environment, taken once by a face on the caller's thread.

use lodger_protocol::Environment;

/// The environment of this process, now. For faces only, on the thread that creates an agent: nothing below
/// reads it. Names and values that are not UTF-8 are left out.
#[must_use]
pub fn host_environment() -> Environment {
    Environment::new(
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
    )
}
