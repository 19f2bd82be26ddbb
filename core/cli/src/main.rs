//! The command `lodger`.

use std::process::ExitCode;

fn main() -> ExitCode {
    lodger_cli::main(std::env::args_os())
}
