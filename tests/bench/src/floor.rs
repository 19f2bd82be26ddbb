//! The floor: post the request, split the stream into lines, parse each event, answer each tool call.

use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::{AGENTS, TIMES, cost, micros};

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
            cost(async {
                join_all((0..AGENTS).map(|_| turn(&client, base_url, || {}))).await;
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
        let mut call = None;
        let mut rest = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(piece) = stream.next().await {
            rest.extend_from_slice(&piece.expect("the stream goes on"));
            let mut start = 0;
            while let Some(end) = rest[start..].iter().position(|byte| *byte == b'\n') {
                if let Some(data) = rest[start..start + end].strip_prefix(b"data: ") {
                    let event: Value = serde_json::from_slice(data).expect("an event");
                    if event["type"] == "content_block_delta" && event["delta"]["type"] == "text_delta" {
                        on_text();
                    } else if event["content_block"]["type"] == "tool_use" {
                        call = Some(event["content_block"].clone());
                    }
                }
                start += end + 1;
            }
            rest.drain(..start);
        }
        let Some(mut call) = call else { return requests };
        let id = call["id"].clone();
        call["input"] = json!({ "text": "hi" });
        messages.push(json!({ "role": "assistant", "content": [call] }));
        messages.push(json!({
            "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": id, "content": "hi" }],
        }));
    }
}
