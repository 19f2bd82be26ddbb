//! The command `lodger`, as a library: arguments in, one prompt run or a login kept, an exit code out.
//!
//! It is a host like any other, and stands on the same agents as the faces for languages do. What a library must leave
//! alone belongs to it: standard output, the signals, the terminal. It must never decide anything about an agent that
//! another host could not decide too.

mod arguments;
mod audit;
mod command;
mod exit;
mod login;
mod models;
mod output;
mod person;
mod policy;
mod printable;
mod run;
mod secret;
mod signals;
mod stdout;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use command::CommandLine;
use exit::Exit;

/// Runs the command. `args` begins with the name of the program. To be called from `main`: it takes over standard
/// output and, while a turn runs, Ctrl-C and the request to terminate.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let exit = match CommandLine::try_parse_from(args) {
        Ok(line) => line.run().unwrap_or_else(|error| {
            let _ = writeln!(anstream::stderr(), "lodger: {error}");
            Exit::of_error(&error)
        }),
        Err(message) => {
            // Nobody is left to be told that the message could not be printed.
            let _ = message.print();
            if message.use_stderr() { Exit::Usage } else { Exit::EndTurn }
        }
    };
    exit.into()
}
