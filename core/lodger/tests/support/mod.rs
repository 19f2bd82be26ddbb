//! What the tests of this crate share: a real folder, a model that plays a script or a server that speaks the
//! provider's protocol, and looks at streams, requests and processes.
#![allow(dead_code, unreachable_pub)]

pub mod look;
pub mod process;
pub mod script;

use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use lodger::protocol::{Endpoint, EndpointKind, Entry, Environment, Event, Request};
use lodger::{Agent, AgentBuilder, Error, ErrorCode, Turn, embed};
use lodger_kit::{FaultRule, MockOptions, MockServer, WireFault};
use serde_json::{Value, json};
use tempfile::TempDir;

/// No wait in a test takes longer than this; it is no measure of speed.
pub const LONG: Duration = Duration::from_secs(60);

/// A fresh folder with `work` for the agent and `outside` beside it.
pub struct Stage {
    folder: TempDir,
}

impl Stage {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        Self { folder }
    }

    pub fn work(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work").join(below)
    }

    pub fn outside(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("outside").join(below)
    }

    pub fn put(&self, below: &str, content: &str) -> PathBuf {
        let path = self.work(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes a script and returns the model that plays it.
    pub fn model(&self, steps: &[Value]) -> String {
        self.model_of(&json!({ "steps": steps }))
    }

    pub fn model_of(&self, script: &Value) -> String {
        let path =
            self.folder.path().join(format!("script_{}.json", fs::read_dir(self.folder.path()).unwrap().count()));
        fs::write(&path, script.to_string()).unwrap();
        format!("scripted/{}", path.display())
    }

    /// An agent that plays a script, in the folder `work`.
    pub fn agent(&self, steps: &[Value]) -> AgentBuilder {
        talker(&self.model(steps)).cwd(self.work("").display().to_string()).environment(environment())
    }

    /// Options of an agent that plays a script, in the folder `work`.
    pub fn options(&self, steps: &[Value], more: Value) -> Value {
        let mut options = json!({ "model": self.model(steps), "cwd": self.work("") });
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        options
    }
}

/// An agent without a folder, that plays a script.
pub fn talker(model: &str) -> AgentBuilder {
    Agent::builder().model(model)
}

/// What commands need to find programs.
pub fn environment() -> Environment {
    Environment::new([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())])
}

/// An agent on the face beneath the languages, with every handler.
pub fn embedded(options: &Value) -> embed::Agent {
    let all = embed::Handlers {
        permission: true,
        tool: true,
        question: true,
        plan: true,
        check: embed::CheckHandler::WhereNamed,
        diagnostics: None,
        fetch: None,
        token: None,
    };
    embed::Agent::create(None, &options.to_string(), environment(), all).unwrap()
}

/// A server that plays a script.
pub fn server(steps: &[Value]) -> MockServer {
    server_with(steps, MockOptions::default())
}

pub fn server_with(steps: &[Value], options: MockOptions) -> MockServer {
    server_of(&json!({ "steps": steps }), options)
}

pub fn server_of(script: &Value, options: MockOptions) -> MockServer {
    MockServer::start_with(serde_json::from_value(script.clone()).unwrap(), options).unwrap()
}

/// A server whose first request goes wrong.
pub fn faulty_server(steps: &[Value], fault: WireFault) -> MockServer {
    server_with(steps, MockOptions { faults: vec![FaultRule::on(1, fault)], ..MockOptions::default() })
}

pub fn endpoint(base_url: String) -> Endpoint {
    Endpoint::new(EndpointKind::Anthropic, base_url)
}

/// An agent without a folder, that talks to a server.
pub fn client(server: &MockServer) -> AgentBuilder {
    Agent::builder().model("anthropic/mock").endpoint(endpoint(server.base_url())).api_key("sk-test")
}

/// Options of an agent that talks to a server.
pub fn client_options(server: &MockServer, more: Value) -> Value {
    let mut options = json!({
        "model": "anthropic/mock",
        "endpoint": { "kind": "anthropic", "baseUrl": server.base_url() },
        "auth": { "apiKey": "sk-test" },
    });
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    options
}

/// Waits for something that must come.
pub async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, what).await.expect("waited too long")
}

/// Reads a turn to its end.
pub async fn read(turn: &mut Turn) -> Vec<Arc<Event>> {
    within(turn.collect()).await
}

/// Reads up to and with the first event of that type.
pub async fn read_to(turn: &mut Turn, kind: &str) -> Vec<Arc<Event>> {
    let mut events = Vec::new();
    while let Some(event) = within(turn.next()).await {
        let found = look::kind(&event) == kind;
        events.push(event);
        if found {
            return events;
        }
    }
    panic!("no {kind} among {:?}", look::kinds(&events));
}

/// Prompts, and reads to the end.
pub async fn play(agent: &Agent, prompt: &str) -> Vec<Arc<Event>> {
    read(&mut agent.prompt(prompt).unwrap()).await
}

/// Reads an embedded turn to its end.
pub fn drain(turn: &embed::Turn) -> Vec<Arc<Event>> {
    let mut all = Vec::new();
    loop {
        match turn.read(64, Some(LONG)).unwrap() {
            embed::Drained::Events(events) => all.extend(events),
            embed::Drained::Empty => panic!("waited too long after {:?}", look::kinds(&all)),
            embed::Drained::End => return all,
        }
    }
}

/// Waits for the next request in the lane. There must be no more than this one.
pub fn next_request(turn: &embed::Turn) -> embed::OpenRequest {
    next_requests(turn, 1).remove(0)
}

/// Waits for so many requests, open at once.
pub fn next_requests(turn: &embed::Turn, count: usize) -> Vec<embed::OpenRequest> {
    let mut all = Vec::new();
    wait_until("requests", || {
        all.extend(turn.take_lane().into_iter().filter_map(|item| match item {
            embed::LaneItem::Opened(request) => Some(request),
            _ => None,
        }));
        (all.len() >= count).then_some(())
    });
    assert_eq!(all.len(), count, "more requests than expected");
    all
}

/// Reads events until a request is opened.
pub fn read_to_request(turn: &embed::Turn) -> (Request, Vec<Arc<Event>>) {
    let mut events = Vec::new();
    loop {
        match turn.read(64, Some(LONG)).unwrap() {
            embed::Drained::Events(some) => events.extend(some),
            other => panic!("{other:?} after {:?}", look::kinds(&events)),
        }
        let opened = look::entries(&events).find_map(|entry| match entry {
            Entry::RequestOpened { request } => Some(request.clone()),
            _ => None,
        });
        if let Some(request) = opened {
            return (request, events);
        }
    }
}

/// Takes the lane until the turn has ended.
pub fn lane_to_end(turn: &embed::Turn) -> Vec<embed::LaneItem> {
    let mut all = Vec::new();
    wait_until("the end of the lane", || {
        all.extend(turn.take_lane());
        matches!(all.last(), Some(embed::LaneItem::Ended(_))).then_some(())
    });
    all
}

pub fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < LONG, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The same on a runtime that must go on meanwhile.
pub async fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < LONG, "waited too long for {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// The numbers that a command wrote to a file, once a whole line is there.
pub async fn pids_in(path: &Path) -> Vec<i32> {
    until(&format!("numbers in {}", path.display()), || {
        let text = fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'))?;
        text.split_whitespace().map(|number| number.parse().ok()).collect()
    })
    .await
}

/// Whether a process runs; a zombie does not.
pub fn lives(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.trim_start().starts_with(['Z', 'X']))
}

#[track_caller]
pub fn assert_code<T: std::fmt::Debug>(outcome: Result<T, Error>, code: ErrorCode) -> Error {
    let error = outcome.unwrap_err();
    assert_eq!(error.code, code, "{error}");
    error
}
