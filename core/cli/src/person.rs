//! The person at the terminal, who is asked whether a call may run.

use std::collections::HashMap;
use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anstyle::{AnsiColor, Style};
use lodger::embed::Agent;
use lodger::protocol::{
    Entry, Error, Event, EventBody, PermissionAnswer, PermissionRequest, Request, RequestBody, RequestId, Risk,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};

use crate::printable::{printable, printable_line};

/// An agent opens no more requests at a time.
const MAX_OPEN: usize = 64;
/// How often a waiting question looks whether it is still open.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

const BOLD: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();

/// Hands questions to the person, one after the other, and the answers to the agent.
pub(crate) struct Person {
    agent: Agent,
    questions: SyncSender<Question>,
    open: HashMap<RequestId, Arc<Stage>>,
}

struct Question {
    id: RequestId,
    body: Box<PermissionRequest>,
    stage: Arc<Stage>,
}

/// Where a question stands.
struct Stage(Mutex<State>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    /// It stands on the terminal.
    Shown,
    /// It was answered, or is no longer open.
    Over,
}

impl Stage {
    /// Moves it on, if it stands where it should.
    fn advance(&self, from: State, to: State) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = *state == from;
        if fits {
            *state = to;
        }
        fits
    }

    fn is(&self, state: State) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) == state
    }
}

impl Person {
    /// Somebody is there: the terminal can be read from and written to.
    pub(crate) fn is_there() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    pub(crate) fn new(agent: Agent) -> Result<Self, Error> {
        let (questions, asked) = sync_channel(MAX_OPEN);
        let answered = agent.clone();
        thread::Builder::new()
            .name("questions".to_owned())
            .spawn(move || ask_all(&asked, &answered))
            .map_err(|error| Error::internal(format!("nobody can be asked: {error}")))?;
        Ok(Self { agent, questions, open: HashMap::new() })
    }

    /// Takes up what an event opens, and takes back what it settles.
    pub(crate) fn event(&mut self, event: &Event) {
        match &event.body {
            EventBody::Entry(Entry::RequestOpened { request }) => self.opened(request),
            EventBody::Entry(Entry::RequestResolved { request_id, .. }) => {
                let Some(stage) = self.open.remove(request_id) else { return };
                if stage.advance(State::Shown, State::Over) {
                    let _ = writeln!(anstream::stderr(), "\n{QUIET}  no longer asked{QUIET:#}");
                }
                stage.advance(State::Waiting, State::Over);
            }
            _ => {}
        }
    }

    fn opened(&mut self, request: &Request) {
        let id = request.request_id.clone();
        let refusal = match &request.body {
            RequestBody::Permission(body) => {
                let stage = Arc::new(Stage(Mutex::new(State::Waiting)));
                self.open.insert(id.clone(), Arc::clone(&stage));
                match self.questions.try_send(Question { id: id.clone(), body: body.clone(), stage }) {
                    Ok(()) => return,
                    Err(_) => "the terminal cannot be asked any more",
                }
            }
            _ => "this command answers permission requests only",
        };
        // If it was settled meanwhile, the first outcome stands.
        let _ = self.agent.fail_request(id.as_str(), refusal);
    }
}

fn ask_all(asked: &Receiver<Question>, agent: &Agent) {
    while let Ok(Question { id, body, stage }) = asked.recv() {
        if !stage.advance(State::Waiting, State::Shown) {
            continue;
        }
        let answer = ask(&body, &stage);
        if !stage.advance(State::Shown, State::Over) {
            continue;
        }
        // If it was settled meanwhile, the first outcome stands.
        let _ = match answer {
            Ok(answer) => agent.answer(id.as_str(), &answer_json(&answer)),
            Err(error) => agent.fail_request(id.as_str(), &format!("the terminal cannot be used: {error}")),
        };
    }
}

/// What cannot be written is no answer, and no answer is a refusal.
fn answer_json(answer: &PermissionAnswer) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}

/// Asks until there is an answer, or none is wanted any more. Others may write to the terminal meanwhile.
fn ask(request: &PermissionRequest, stage: &Stage) -> io::Result<PermissionAnswer> {
    show(&mut anstream::stderr().lock(), request)?;
    // What was typed before the question was seen is no answer to it.
    tcflush(io::stdin(), QueueSelector::IFlush)?;
    loop {
        let mut terminal = anstream::stderr();
        write!(terminal, "{BOLD}Allow this?{BOLD:#} y(es), n(o), a(lways for this call): ")?;
        terminal.flush()?;
        let line = read_line(stage)?;
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(PermissionAnswer::AllowOnce {}),
            "a" | "always" => return Ok(PermissionAnswer::AllowAlways { rule: None, persist: None }),
            "n" | "no" => return Ok(denied()),
            // The end of input: nobody is there any more.
            "" if line.is_empty() => {
                writeln!(terminal)?;
                return Ok(denied());
            }
            _ => {}
        }
    }
}

fn denied() -> PermissionAnswer {
    PermissionAnswer::Deny { feedback: Some("the person at the terminal said no".to_owned()) }
}

/// Everything that the person must know to decide.
fn show(terminal: &mut impl Write, request: &PermissionRequest) -> io::Result<()> {
    let risk = match request.risk {
        Risk::Low => "low risk",
        Risk::Medium => "medium risk",
        Risk::High => "high risk",
    };
    writeln!(terminal, "\n{BOLD}{}{BOLD:#} {QUIET}({risk}){QUIET:#}", printable_line(&request.label))?;
    writeln!(terminal, "  {}", printable_line(&request.summary))?;
    for line in request.targets.iter().filter(|target| **target != request.summary).flat_map(|target| target.lines()) {
        writeln!(terminal, "  {}", printable(line))?;
    }
    for finding in request.checks.iter().flat_map(|checks| &checks.findings) {
        writeln!(terminal, "  {REMOVED}{}{REMOVED:#}", printable(finding))?;
    }
    for line in request.diff.iter().flat_map(|diff| diff.lines()) {
        let style = match line.as_bytes().first() {
            Some(b'+') => ADDED,
            Some(b'-') => REMOVED,
            _ => QUIET,
        };
        writeln!(terminal, "  {style}{}{style:#}", printable(line))?;
    }
    Ok(())
}

/// A line with its end; an empty text at the end of input.
fn read_line(stage: &Stage) -> io::Result<String> {
    let stdin = io::stdin();
    while stage.is(State::Shown) {
        // A terminal is readable when a line is complete.
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&LOOK)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => {
                let mut line = String::new();
                stdin.lock().read_line(&mut line)?;
                return Ok(line);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::Error::other("the question was withdrawn"))
}
