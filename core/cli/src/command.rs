//! The command line as a whole: a prompt, or one of the commands beside it.

use clap::{Parser, Subcommand};
use lodger::protocol::Error;

use crate::arguments::Arguments;
use crate::audit::Audit;
use crate::exit::{self, Exit};
use crate::login::{Auth, Login, Logout};
use crate::models::Models;
use crate::policy::Policy;
use crate::run;

/// A coding agent on the command line: runs one prompt in a folder, and ends.
#[derive(Debug, Parser)]
#[command(name = "lodger", version, max_term_width = 100, after_help = exit::help())]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    prompt: Option<Arguments>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Log in to a provider, and save the login
    Login(Login),
    /// Forget a saved login
    Logout(Logout),
    /// What is saved of logins
    Auth(Auth),
    /// Which models a provider offers
    Models(Models),
    /// What is allowed, and why
    Policy(Policy),
    /// Whether an audit log is as it was written
    Audit(Audit),
}

impl CommandLine {
    /// Does what is asked.
    pub(crate) fn run(self) -> Result<Exit, Error> {
        match (self.command, self.prompt) {
            (Some(Command::Login(login)), _) => login.run(),
            (Some(Command::Logout(logout)), _) => logout.run(),
            (Some(Command::Auth(auth)), _) => auth.run(),
            (Some(Command::Models(models)), _) => models.run(),
            (Some(Command::Policy(policy)), _) => policy.run(),
            (Some(Command::Audit(audit)), _) => audit.run(),
            (None, Some(arguments)) => run::run(&arguments),
            (None, None) => Err(Error::invalid_input("there is nothing to do; give --prompt TEXT, or see --help")),
        }
    }
}
