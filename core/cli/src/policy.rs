//! `lodger policy`: what would happen to a call, and why.

use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use lodger::protocol::{AgentOptions, Error, Mode, Risk, WebFetchOptions};
use lodger::{Explanation, Outlook};
use serde_json::Value;

use crate::arguments::{absolute, modes, rules, settings};
use crate::exit::Exit;
use crate::printable::printable_line;
use crate::stdout;

/// No input may be longer; what is over it is not even read.
const MAX_INPUT_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, Args)]
pub(crate) struct Policy {
    #[command(subcommand)]
    command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
enum PolicyCommand {
    /// Say whether a call would run, ask or be refused, and why
    Explain(Explain),
}

/// A call, and the agent that would make it.
#[derive(Debug, Args)]
#[command(
    after_help = "Nothing runs, nobody is asked, and no model is needed. The exit code is 0 whatever is decided."
)]
struct Explain {
    /// The tool, such as run_shell
    #[arg(long, value_name = "TOOL")]
    tool: String,

    /// Its input, such as '{"command": "ls"}'; `-` reads it from standard input
    #[arg(long, value_name = "JSON")]
    input: String,

    /// The mode of the agent
    #[arg(long, value_name = "MODE", default_value = Mode::Ask.as_str(), value_parser = modes())]
    mode: Mode,

    /// As of the prompt; may be given several times
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,

    /// As of the prompt; may be given several times
    #[arg(long, value_name = "RULE")]
    ask: Vec<String>,

    /// As of the prompt; may be given several times
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,

    /// The folder that the agent would work in [default: this one]
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<PathBuf>,

    /// As JSON: {decision, by, rule?, layer?, risk, feedback?, trace[]}
    #[arg(long)]
    json: bool,
}

impl Policy {
    pub(crate) fn run(self) -> Result<Exit, Error> {
        let PolicyCommand::Explain(explain) = self.command;
        explain.run()
    }
}

impl Explain {
    fn run(self) -> Result<Exit, Error> {
        let env = lodger::host_environment();
        let options = AgentOptions {
            cwd: Some(absolute("--cwd", self.cwd.as_deref().unwrap_or(Path::new(".")))?),
            mode: self.mode,
            allow: rules(&self.allow),
            ask: rules(&self.ask),
            deny: rules(&self.deny),
            settings: settings(&env),
            // What a prompt leaves out can be asked about all the same.
            web_fetch: Some(WebFetchOptions::default()),
            ..AgentOptions::default()
        };
        let input = input(&self.input)?;
        let explanation = lodger::explain(&options, &env, &self.tool, &input)?;
        stdout::whole(&match self.json {
            true => serde_json::to_string(&explanation).map_err(|error| Error::internal(error.to_string()))? + "\n",
            false => in_words(&explanation),
        })
    }
}

fn input(given: &str) -> Result<Value, Error> {
    let mut text = given.to_owned();
    if given == "-" {
        text.clear();
        let mut input = stdin().lock().take(MAX_INPUT_BYTES);
        input.read_to_string(&mut text).map_err(|error| Error::invalid_input(format!("--input -: {error}")))?;
    }
    serde_json::from_str(&text).map_err(|error| Error::invalid_input(format!("--input: it is not JSON: {error}")))
}

/// What is decided, then how it came about, a line each.
fn in_words(explanation: &Explanation) -> String {
    let decision = match explanation.decision {
        Outlook::Allow => "allow",
        Outlook::Ask => "ask",
        Outlook::Deny => "deny",
    };
    let risk = match explanation.risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    };
    let mut text = format!("{decision} ({risk} risk)\n");
    for step in &explanation.trace {
        let rule = step.rule.as_ref().map(|rule| format!(" {rule}")).unwrap_or_default();
        let layer = step.layer.as_ref().map(|layer| format!(" of the {layer}")).unwrap_or_default();
        text += &format!("  {}\n", printable_line(&format!("{}{rule}{layer}: {}", step.by, step.reason)));
    }
    text
}
