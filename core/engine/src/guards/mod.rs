//! Who judges a call beside policy: commands and the host's own code, as the options name them.
//!
//! Whatever does not clearly let a call go on stands in its way. Nothing here decides what policy decides, and nothing
//! here can allow what policy does not.

mod check;
mod command;

use std::time::Duration;

use lodger_protocol::{CheckOptions, Error, Result};

pub(crate) use self::check::{Check, Judge};
pub(crate) use self::command::ask as ask_command;

/// At most so many entries of option `checks`.
const MAX_CHECKS: usize = 16;
/// How long a command may take unless its entry says otherwise, in milliseconds.
const COMMAND_TIMEOUT_MS: u64 = 30_000;

/// All guards of one agent.
#[derive(Debug, Default)]
pub struct Guards {
    checks: Vec<Check>,
}

impl Guards {
    /// Reads the options. `host_checks`: the host is asked about every change, also where no entry says so;
    /// `has_folder`: there is one to run commands in.
    ///
    /// # Errors
    /// `invalid_options` for an entry that could not judge.
    pub fn new(checks: &[CheckOptions], host_checks: bool, has_folder: bool) -> Result<Self> {
        if checks.len() > MAX_CHECKS {
            return Err(Error::invalid_options(format!(
                "option checks has {} entries; at most {MAX_CHECKS} are taken",
                checks.len()
            )));
        }
        let read =
            |(index, check)| Check::new(check, has_folder).map_err(|why| wrong(&format!("checks[{index}]"), &why));
        let mut checks = checks.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?;
        if host_checks && !checks.iter().any(Check::asks_host) {
            checks.push(Check::of_host());
        }
        Ok(Self { checks })
    }

    pub(crate) fn checks(&self) -> &[Check] {
        &self.checks
    }
}

fn wrong(option: &str, why: &str) -> Error {
    Error::invalid_options(format!("option {option}{why}"))
}

/// The time of an entry, which must be some.
fn time(ms: Option<u64>) -> std::result::Result<Option<Duration>, String> {
    match ms {
        Some(0) => Err(".timeoutMs is 0; expected at least 1".to_owned()),
        ms => Ok(ms.map(Duration::from_millis)),
    }
}

/// The command line of an entry, which must be one, and needs a folder to run in.
fn line(command: &str, has_folder: bool) -> std::result::Result<String, String> {
    if command.trim().is_empty() {
        return Err(".command is empty; expected a command line".to_owned());
    }
    if !has_folder {
        return Err(".command needs a folder to run in; set cwd".to_owned());
    }
    Ok(command.to_owned())
}
