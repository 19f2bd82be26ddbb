//! The floor: post the request, split the stream into lines, parse each event, answer each tool call.

use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::{AGENTS, LARGE_TURNS, TIMES, cost, micros};

pub(crate) async fn run(job: &str, base_url: &str) -> Value {
    let client = client();
    match job {
        "first-text" => {
            turn(&client, base_url, || println!("first")).await;
            json!({})
        }
        "warm" => {
            let mut times = Vec::new();
            for _ in 0..TIMES {
                let began = Instant::now();
                let mut first = None;
                turn(&client, base_url, || first = first.or_else(|| Some(began.elapsed()))).await;
                times.push(first.expect("some text"));
            }
            micros(&times)
        }
        "rounds" => {
            let mut times = Vec::new();
            for _ in 0..TIMES {
                let began = Instant::now();
                let rounds = turn(&client, base_url, || {}).await;
                times.push(began.elapsed() / rounds);
            }
            micros(&times)
        }
        "stream" => {
            let mut times = Vec::new();
            for _ in 0..TIMES / 6 {
                let (began, mut deltas) = (Instant::now(), 0);
                turn(&client, base_url, || deltas += 1).await;
                assert_eq!(deltas, 20_000);
                times.push(began.elapsed());
            }
            micros(&times)
        }
        "load" => {
            turn(&client, base_url, || {}).await;
            cost(1, async {
                join_all((0..AGENTS).map(|_| turn(&client, base_url, || {}))).await;
            })
            .await
        }
        "large" => {
            turn(&client, base_url, || {}).await;
            cost(LARGE_TURNS, async {
                for _ in 0..LARGE_TURNS {
                    assert_eq!(turn(&client, base_url, || {}).await, 2);
                }
            })
            .await
        }
        other => json!({ "unknown": other }),
    }
}

/// A client like any other; it needs a TLS set-up that it will not use.
fn client() -> reqwest::Client {
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("protocol versions")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build().expect("a client")
}

/// One turn: as many requests as there are tool calls, and one more. Returns how many it made.
async fn turn(client: &reqwest::Client, base_url: &str, mut on_text: impl FnMut()) -> u32 {
    let mut messages = vec![json!({ "role": "user", "content": "Go" })];
    let mut requests = 0;
    loop {
        requests += 1;
        let body = json!({
            "model": "bench", "max_tokens": 1000, "stream": true, "messages": messages,
            "tools": [{ "name": "echo", "description": "Says it again", "input_schema": { "type": "object" } }],
        });
        let response = client
            .post(format!("{base_url}/v1/messages"))
            .header("content-type", "application/json")
            .header("x-api-key", "floor")
            .header("anthropic-version", "2023-06-01")
            .body(body.to_string())
            .send()
            .await
            .expect("the server answers")
            .error_for_status()
            .expect("the server takes the request");
        let mut calls: Vec<(Value, String)> = Vec::new();
        let mut rest = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(piece) = stream.next().await {
            rest.extend_from_slice(&piece.expect("the stream goes on"));
            let mut start = 0;
            while let Some(end) = rest[start..].iter().position(|byte| *byte == b'\n') {
                if let Some(data) = rest[start..start + end].strip_prefix(b"data: ") {
                    let event: Value = serde_json::from_slice(data).expect("an event");
                    if event["content_block"]["type"] == "tool_use" {
                        calls.push((event["content_block"].clone(), String::new()));
                    } else if event["delta"]["type"] == "text_delta" {
                        on_text();
                    } else if let (Some(more), Some((_, input))) =
                        (event["delta"]["partial_json"].as_str(), calls.last_mut())
                    {
                        input.push_str(more);
                    }
                }
                start += end + 1;
            }
            rest.drain(..start);
        }
        if calls.is_empty() {
            return requests;
        }
        let (mut said, mut results) = (Vec::new(), Vec::new());
        for (mut call, input) in calls {
            call["input"] = serde_json::from_str(&input).expect("an input");
            let text = call["input"]["text"].clone();
            results.push(json!({ "type": "tool_result", "tool_use_id": call["id"].clone(), "content": text }));
            said.push(call);
        }
        messages.push(json!({ "role": "assistant", "content": said }));
        messages.push(json!({ "role": "user", "content": results }));
    }
}
