//! `lodger audit`: whether an audit log is as it was written.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use lodger::audit::verify;
use lodger::protocol::Error;
use serde_json::json;

use crate::exit::Exit;
use crate::stdout;

#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Whether any record of a log was changed, dropped or put elsewhere
    Verify(Verify),
}

#[derive(Debug, Args)]
#[command(after_help = "Exit code 0: the log is whole. 1: it is not, and the first line that is wrong is named.")]
struct Verify {
    /// The log, as option audit named it
    file: PathBuf,

    /// A head that was noted earlier: one of the records must have it, or the log was cut off
    #[arg(long, value_name = "HASH")]
    head: Option<String>,

    /// As one JSON object
    #[arg(long)]
    json: bool,
}

impl Audit {
    pub(crate) fn run(self) -> Result<Exit, Error> {
        let Command::Verify(wanted) = self.command;
        let file = File::open(&wanted.file)
            .map_err(|error| Error::invalid_input(format!("{} cannot be read: {error}", wanted.file.display())))?;
        let (said, told, exit) = match verify(BufReader::new(file), wanted.head.as_deref()) {
            Ok(whole) => (
                format!("ok: {} records, head {}", whole.records, whole.head),
                json!({ "ok": true, "records": whole.records, "head": whole.head }),
                Exit::EndTurn,
            ),
            Err(broken) => (
                format!("broken: {broken}"),
                json!({ "ok": false, "line": broken.line, "why": broken.why }),
                Exit::Failed,
            ),
        };
        let printed = stdout::whole(&if wanted.json { format!("{told}\n") } else { format!("{said}\n") })?;
        Ok(if printed == Exit::EndTurn { exit } else { printed })
    }
}
