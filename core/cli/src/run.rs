//! One prompt, from arguments to exit code.

use std::io::{self, ErrorKind};
use std::time::Duration;

use lodger::embed::{Agent, Drained, Handlers, Turn};
use lodger::protocol::{Error, RequestDelivery, TurnResult};

use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::person::Person;
use crate::signals::Signals;
use crate::stdout::Stdout;

/// Events per look into the queue.
const BATCH: usize = 64;
/// How long the end waits for children to be killed.
const CLOSE: Duration = Duration::from_secs(5);

/// What can end the showing of a turn before its end.
enum Trouble {
    /// Standard output cannot be written.
    Stdout(io::Error),
    Lodger(Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Stdout(error)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Lodger(error)
    }
}

/// Runs the prompt and prints what comes of it. An error is one from before the turn, or of this command itself.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let env = lodger::host_environment();
    let somebody = Person::is_there();
    // Without somebody to ask, no request is even opened: the call is refused and the model told why.
    let requests = if somebody { RequestDelivery::Events } else { RequestDelivery::Callback };
    let options = arguments.options(&env, requests)?;
    let prompt = arguments.prompt()?;
    let agent = Agent::with_options(None, options, None, env, Handlers::default())?;
    let mut output = output::open(arguments.output_format, arguments.output_schema.is_some(), Stdout::take()?);

    let signals = Signals::watch(agent.clone())?;
    let turn = agent.prompt_with(prompt)?;
    if signals.came() {
        turn.cancel();
    }
    let mut person = if somebody { Some(Person::new(agent.clone())?) } else { None };
    let exit = match show(&turn, output.as_mut(), person.as_mut()) {
        Ok(result) => Ok(Exit::of_result(&result, signals.terminated())),
        Err(Trouble::Stdout(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::StdoutClosed),
        Err(Trouble::Stdout(error)) => Err(Error::internal(format!("standard output cannot be written: {error}"))),
        Err(Trouble::Lodger(error)) => Err(error),
    };
    // Also cancels what still runs when nobody reads the output any more.
    agent.close(CLOSE)?;
    exit
}

/// Shows the turn from its first event to its result.
fn show(turn: &Turn, output: &mut dyn Output, mut person: Option<&mut Person>) -> Result<TurnResult, Trouble> {
    loop {
        let events = match turn.read(BATCH, None)? {
            Drained::Events(events) => events,
            Drained::Empty => continue,
            Drained::End => break,
        };
        for event in &events {
            output.event(event)?;
            if let Some(person) = &mut person {
                person.event(event);
            }
        }
        output.flush()?;
    }
    let result = turn.wait(None)?;
    output.end(&turn.session_id(), &result)?;
    Ok(result)
}
