//! The driver of the Rust face.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use lodger::Agent;
use lodger::protocol::{
    AgentOptions, PermissionAnswer, PlanAnswer, Prompt, QuestionAnswer, RequestId, ToolAnswer, ToolOptions,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::Trace;
use crate::job::{Answer, Job, Seen, ToolBehaviour, ToolEnd, Turn};

pub(crate) fn play(job: &Job) -> Trace {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("makes a runtime");
    runtime.block_on(Arc::new(Host::new(job)).play())
}

/// The host: what it is to do, and how far it is.
struct Host {
    job: Job,
    answers: Mutex<VecDeque<Answer>>,
    /// How many events of each type were read of the turn.
    seen: watch::Sender<HashMap<String, usize>>,
}

impl Host {
    fn new(job: &Job) -> Self {
        let answers = job.plays.answers.clone().unwrap_or_default();
        Self { job: job.clone(), answers: Mutex::new(answers.into()), seen: watch::Sender::default() }
    }

    async fn play(self: Arc<Self>) -> Trace {
        let mut trace = Trace { events: Vec::new(), results: Vec::new() };
        let mut agent = self.agent(None);
        for turn in &self.job.plays.turns {
            if let Some(file) = &turn.makes {
                std::fs::write(file, "").expect("makes the file");
            }
            if turn.restored {
                let bytes = agent.checkpoint().expect("a checkpoint of an idle agent");
                agent.close().await;
                agent = self.agent(Some(bytes));
            }
            self.seen.send_replace(HashMap::new());
            self.turn(&agent, turn, &mut trace).await;
        }
        agent.close().await;
        trace
    }

    fn agent(self: &Arc<Self>, checkpoint: Option<Vec<u8>>) -> Agent {
        let mut options: AgentOptions = serde_json::from_value(self.job.options.clone()).expect("AgentOptions");
        let tools: Vec<ToolOptions> = std::mem::take(&mut options.tools);
        let itself = Arc::new(OnceLock::new());
        let mut builder = Agent::builder().options(options).environment(lodger::host_environment());
        if let Some(bytes) = checkpoint {
            builder = builder.checkpoint(bytes);
        }
        for tool in tools {
            let behaviour = self.job.plays.tools[&tool.name].clone();
            let host = Arc::clone(self);
            builder = builder.tool(tool, move |call| {
                for text in &behaviour.progress {
                    call.progress(text);
                }
                run_tool(Arc::clone(&host), behaviour.clone())
            });
        }
        if self.job.plays.answers.is_some() && !self.answers_by_id() {
            let (host, agent) = (Arc::clone(self), Arc::clone(&itself));
            builder = builder.on_permission(move |asked| {
                let refusal = PermissionAnswer::Deny { feedback: None };
                answer(Arc::clone(&host), Arc::clone(&agent), asked.request_id, refusal)
            });
            let (host, agent) = (Arc::clone(self), Arc::clone(&itself));
            builder = builder.on_question(move |asked| {
                let refusal = QuestionAnswer::Dismissed { dismissed: true };
                answer(Arc::clone(&host), Arc::clone(&agent), asked.request_id, refusal)
            });
            let (host, agent) = (Arc::clone(self), Arc::clone(&itself));
            builder = builder.on_plan(move |asked| {
                let refusal = PlanAnswer { approved: false, mode: None, feedback: None };
                answer(Arc::clone(&host), Arc::clone(&agent), asked.request_id, refusal)
            });
        }
        let agent = builder.create().expect("makes the agent");
        itself.set(agent.clone()).expect("once");
        agent
    }

    /// Whether requests are answered where they are read, not by handlers.
    fn answers_by_id(&self) -> bool {
        self.job.options["requests"] == "events"
    }

    fn next_answer(&self) -> Answer {
        let next = self.answers.lock().expect("no handler panics with it").pop_front();
        next.expect("the case answers every request")
    }

    async fn turn(&self, agent: &Agent, plan: &Turn, trace: &mut Trace) {
        let prompt: Prompt = serde_json::from_value(plan.prompt.clone()).expect("a prompt");
        let mut turn = agent.prompt(prompt).expect("starts the turn");
        if plan.cancel_at_once {
            turn.cancel();
        }
        let mut read = 0;
        while let Some(event) = turn.next().await {
            let event = serde_json::to_value(&*event).expect("events are JSON");
            let kind = event["type"].as_str().expect("events have a type").to_owned();
            if kind == "request_opened" && self.answers_by_id() {
                let request_id = event["requestId"].as_str().expect("requests have an id");
                let answer = played(self.next_answer()).await.to_string();
                agent.answer(request_id, &answer).expect("the request is open");
            }
            trace.events.push(event);
            self.seen.send_modify(|seen| *seen.entry(kind.clone()).or_default() += 1);
            if let Some(cancel) = &plan.cancel_after
                && cancel.kind == kind
                && has_seen(&self.seen.borrow(), cancel)
            {
                turn.cancel();
            }
            read += 1;
            if let Some(reader) = self.job.plays.reader
                && read % reader.max == 0
            {
                tokio::time::sleep(Duration::from_millis(reader.delay_ms)).await;
            }
        }
        trace.results.push(match turn.result().await {
            Ok(result) => serde_json::to_value(result).expect("results are JSON"),
            Err(error) => json!({ "reason": "error", "error": error }),
        });
    }

    async fn until(&self, wanted: &Seen) {
        let mut seen = self.seen.subscribe();
        seen.wait_for(|seen| has_seen(seen, wanted)).await.expect("the host holds the sender");
    }
}

fn has_seen(seen: &HashMap<String, usize>, wanted: &Seen) -> bool {
    seen.get(&wanted.kind).is_some_and(|count| *count >= wanted.count)
}

async fn run_tool(host: Arc<Host>, behaviour: ToolBehaviour) -> Result<ToolAnswer, String> {
    if let Some(wanted) = &behaviour.after {
        host.until(wanted).await;
    }
    match behaviour.end {
        ToolEnd::Result(result) => Ok(serde_json::from_value(result).expect("a tool answer")),
        ToolEnd::Throw(why) => Err(why),
    }
}

/// The next answer. What the types cannot say is given by id, and `refusal` then comes too late.
async fn answer<T: DeserializeOwned>(
    host: Arc<Host>,
    agent: Arc<OnceLock<Agent>>,
    request_id: RequestId,
    refusal: T,
) -> T {
    let answer = played(host.next_answer()).await;
    serde_json::from_value(answer.clone()).unwrap_or_else(|_| {
        let agent = agent.get().expect("a request comes after its agent");
        agent.answer(request_id.as_str(), &answer.to_string()).expect("the request is open");
        refusal
    })
}

async fn played(plays: Answer) -> Value {
    if plays.never {
        std::future::pending::<()>().await;
    }
    if plays.from.as_deref() == Some("thread") {
        let (answered, from_thread) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(plays.delay_ms));
            answered.send(()).expect("the handler waits");
        });
        from_thread.await.expect("the thread answers");
    } else {
        tokio::time::sleep(Duration::from_millis(plays.delay_ms)).await;
    }
    if let Some(why) = plays.throw {
        std::panic::panic_any(why);
    }
    plays.answer.expect("the case says what to answer")
}
