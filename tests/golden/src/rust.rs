//! The driver of the Rust face.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use lodger::Agent;
use lodger::protocol::{AgentOptions, PermissionAnswer, Prompt, RequestId, ToolAnswer, ToolOptions};
use serde_json::Value;

use crate::case::{Answer, Job};

pub(crate) fn play(job: &Job) -> Vec<Value> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("makes a runtime");
    runtime.block_on(run(job.clone()))
}

async fn run(job: Job) -> Vec<Value> {
    let mut options: AgentOptions = serde_json::from_value(job.options).expect("options are AgentOptions");
    let tools: Vec<ToolOptions> = std::mem::take(&mut options.tools);
    let itself = Arc::new(OnceLock::new());
    let mut builder = Agent::builder().options(options).environment(lodger::host_environment());
    for tool in tools {
        let behaviour = job.tools[&tool.name].clone();
        let answer: ToolAnswer = serde_json::from_value(behaviour.result).expect("a tool answer");
        builder = builder.tool(tool, move |call| {
            for text in &behaviour.progress {
                call.progress(text);
            }
            let answer = answer.clone();
            async move { answer }
        });
    }
    if let Some(answers) = job.answers {
        let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
        let agent = Arc::clone(&itself);
        builder = builder.on_permission(move |asked| {
            let next = answers.lock().expect("no handler panics with it").pop_front();
            let agent = Arc::clone(&agent);
            async move { answer(next.expect("the case answers every request"), &asked.request_id, &agent).await }
        });
    }
    let agent = builder.create().expect("makes the agent");
    itself.set(agent.clone()).expect("once");
    let prompt: Prompt = serde_json::from_value(job.prompt).expect("a prompt");
    let mut turn = agent.prompt(prompt).expect("starts the turn");

    let mut got = Vec::new();
    let mut counted = 0;
    while let Some(event) = turn.next().await {
        let event = serde_json::to_value(&*event).expect("events are JSON");
        if let Some(cancel) = &job.cancel_after
            && event["type"] == cancel.kind.as_str()
        {
            counted += 1;
            if counted == cancel.count {
                turn.cancel();
            }
        }
        got.push(event);
        if let Some(reader) = job.reader
            && got.len() % reader.max == 0
        {
            tokio::time::sleep(Duration::from_millis(reader.delay_ms)).await;
        }
    }
    agent.close().await;
    got
}

async fn answer(plays: Answer, request_id: &RequestId, agent: &OnceLock<Agent>) -> PermissionAnswer {
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
    let answer = plays.answer.expect("the case says what to answer");
    serde_json::from_value(answer.clone()).unwrap_or_else(|_| {
        // What the types cannot say is answered by id; then what is returned here comes too late.
        let agent = agent.get().expect("a request comes after its agent");
        agent.answer(request_id.as_str(), &answer.to_string()).expect("the request is open");
        PermissionAnswer::Deny { feedback: None }
    })
}
