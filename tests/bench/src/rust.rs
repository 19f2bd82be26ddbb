//! The Rust face.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::join_all;
use lodger::protocol::{Endpoint, EndpointKind, Entry, EventBody, Limits, Passing, ToolOptions};
use lodger::{Agent, Turn};
use serde_json::{Value, json};

use crate::{AGENTS, IDLE_AGENTS, LARGE_TURNS, TIMES, cost, micros, process};

pub(crate) async fn run(job: &str, base_url: &str) -> Value {
    match job {
        "first-text" => {
            let agent = agent(base_url);
            turn(&agent, || println!("first")).await;
            json!({})
        }
        "warm" => {
            // One agent stays, so that the shared runtime and its connections do.
            let first = agent(base_url);
            turn(&first, || {}).await;
            let mut times = Vec::new();
            for _ in 0..TIMES {
                let agent = agent(base_url);
                let began = Instant::now();
                let mut first = None;
                turn(&agent, || first = first.or_else(|| Some(began.elapsed()))).await;
                times.push(first.expect("some text"));
            }
            micros(&times)
        }
        "rounds" => {
            let kept = agent(base_url);
            let mut times = Vec::new();
            for _ in 0..TIMES {
                let agent = agent(base_url);
                let began = Instant::now();
                let rounds = turn(&agent, || {}).await;
                times.push(began.elapsed() / rounds);
            }
            drop(kept);
            micros(&times)
        }
        "stream" => {
            let mut times = Vec::new();
            for _ in 0..TIMES / 6 {
                let agent = agent(base_url);
                let (began, mut deltas) = (Instant::now(), 0);
                turn(&agent, || deltas += 1).await;
                assert_eq!(deltas, 20_000);
                times.push(began.elapsed());
            }
            micros(&times)
        }
        "load" => {
            let first = agent(base_url);
            turn(&first, || {}).await;
            cost(1, async {
                let agents: Vec<Agent> = (0..AGENTS).map(|_| agent(base_url)).collect();
                join_all(agents.iter().map(|agent| turn(agent, || {}))).await;
            })
            .await
        }
        "large" => {
            let first = agent(base_url);
            turn(&first, || {}).await;
            cost(LARGE_TURNS, async {
                for _ in 0..LARGE_TURNS {
                    assert_eq!(turn(&agent(base_url), || {}).await, 2);
                }
            })
            .await
        }
        "create" => {
            let kept = agent(base_url);
            let times: Vec<Duration> = (0..TIMES)
                .map(|_| {
                    let began = Instant::now();
                    let made = agent(base_url);
                    let took = began.elapsed();
                    drop(made);
                    took
                })
                .collect();
            drop(kept);
            micros(&times)
        }
        "cancel" => micros(&ended(base_url, true).await),
        "close" => micros(&ended(base_url, false).await),
        "idle" => {
            let first = agent(base_url);
            turn(&first, || {}).await;
            let before = process::pss_kib();
            let mut agents = Vec::new();
            for _ in 0..IDLE_AGENTS {
                let agent = agent(base_url);
                turn(&agent, || {}).await;
                agents.push(agent);
            }
            json!({ "kibPerAgent": (process::pss_kib().saturating_sub(before)) as f64 / IDLE_AGENTS as f64 })
        }
        other => json!({ "unknown": other }),
    }
}

/// From `cancel` in mid-stream to the end of the turn; or from `close` to its return.
async fn ended(base_url: &str, by_cancel: bool) -> Vec<Duration> {
    let kept = agent(base_url);
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let agent = agent(base_url);
        let mut turn = agent.prompt("Go").expect("starts");
        while let Some(event) = turn.next().await {
            if matches!(event.body, EventBody::Passing(Passing::TextDelta { .. })) {
                break;
            }
        }
        let began = Instant::now();
        if by_cancel {
            turn.cancel();
            turn.result().await.expect("cancelled");
        } else {
            agent.close().await;
        }
        times.push(began.elapsed());
    }
    drop(kept);
    times
}

fn agent(base_url: &str) -> Agent {
    let tool = ToolOptions {
        name: "echo".to_owned(),
        description: "Says it again".to_owned(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: false,
        approval: Default::default(),
    };
    Agent::builder()
        .model("anthropic/bench")
        .api_key("bench")
        .endpoint(Endpoint::new(EndpointKind::Anthropic, base_url))
        // Enough for the results of `large`.
        .limits(Limits { max_tool_output_bytes: 1024 * 1024, ..Limits::default() })
        .tool(tool, |call| async move { call.input["text"].as_str().unwrap_or_default().to_owned() })
        .create()
        .expect("an agent")
}

/// One turn to its end. Returns how many replies it had.
async fn turn(agent: &Agent, mut on_text: impl FnMut()) -> u32 {
    let mut turn: Turn = agent.prompt("Go").expect("starts");
    let mut replies = 0;
    while let Some(event) = turn.next().await {
        match &event.body {
            EventBody::Passing(Passing::TextDelta { .. }) => on_text(),
            EventBody::Entry(Entry::AssistantMessage { .. }) => replies += 1,
            EventBody::Entry(Entry::Done { error, .. }) => assert_eq!(*error, None),
            _ => {}
        }
    }
    replies
}
