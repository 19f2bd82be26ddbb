//! `lodger-dev gen` writes the generated files; `lodger-dev gen --check` says whether they are up to date.

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use lodger_dev::{Result, drift, files};

#[derive(Parser)]
#[command(name = "lodger-dev", about = "What keeps the house in order")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the files that are generated from the Rust types.
    Gen {
        /// Write nothing; show what would change, and fail if anything would.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    let Command::Gen { check } = Arguments::parse().command;
    match generate(check) {
        Ok(code) => code,
        Err(error) => {
            say(&format!("lodger-dev: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn generate(check: bool) -> Result<ExitCode> {
    let generated = files::all()?;
    if !check {
        for path in drift::write(&files::root(), &generated)? {
            say(&format!("wrote {path}"));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let diff = drift::diff(&files::root(), &generated)?;
    if diff.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    say(&diff);
    say("generated files differ from the Rust types: run `make gen`");
    Ok(ExitCode::FAILURE)
}

/// To standard error. A closed pipe is no reason to fail.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
