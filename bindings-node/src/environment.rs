//! The environment of one thread of Node's.

use std::collections::BTreeMap;

use lodger::protocol::Environment;
use lodger::{Error, Result};

/// From the JSON of `process.env`, since only Node knows what a worker's own environment is.
pub(crate) fn environment(json: &str) -> Result<Environment> {
    let pairs: BTreeMap<String, String> = serde_json::from_str(json)
        .map_err(|error| Error::invalid_input(format!("process.env is not a map of texts: {error}")))?;
    Ok(Environment::new(pairs))
}
