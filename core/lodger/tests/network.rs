//! The way from agents to their providers: turns at a host, proxies, certificates, and what is refused.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::script::{said, says, silence, step};
use crate::support::{endpoint, read_to, server, until, within};
use futures_util::future::join_all;
use lodger::protocol::{
    AgentOptions, Auth, DoneReason, Endpoint, EndpointKind, Environment, ErrorCode, Limits, NetworkOptions,
};
use lodger::{Agent, AgentBuilder, Turn};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

/// An agent that shares the bound of requests at once with all others that this makes.
fn bounded(url: &str, max_connections_per_host: u32) -> AgentBuilder {
    Agent::builder().options(AgentOptions {
        model: Some("anthropic/mock".to_owned()),
        endpoint: Some(endpoint(url.to_owned())),
        auth: Some(Auth::ApiKey { api_key: "sk-test".to_owned().into() }),
        network: NetworkOptions { max_connections_per_host, ..NetworkOptions::default() },
        ..AgentOptions::default()
    })
}

/// An answer whose last event tells the client that it is whole.
fn reply() -> (String, String) {
    let event = |data: Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
    let message =
        json!({ "id": "m", "type": "message", "role": "assistant", "content": [], "model": "x", "usage": usage });
    let first = event(json!({ "type": "message_start", "message": message }));
    let delta = json!({ "stop_reason": "end_turn" });
    let last = event(json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    (first, last + &event(json!({ "type": "message_stop" })))
}

/// A provider that counts the most requests that were under way at once. One is over before its last byte leaves.
async fn counting(most: Arc<AtomicUsize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let now = Arc::new(AtomicUsize::new(0));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (most, now) = (Arc::clone(&most), Arc::clone(&now));
            tokio::spawn(async move {
                let mut socket = BufReader::new(socket);
                let (first, last) = reply();
                while let Some(length) = body_length(&mut socket).await {
                    socket.read_exact(&mut vec![0; length]).await.unwrap();
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let whole = first.len() + last.len();
                    let head = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {whole}\r\n\r\n"
                    );
                    socket.write_all((head + &first).as_bytes()).await.unwrap();
                    tokio::time::sleep(Duration::from_millis(2)).await;
                    now.fetch_sub(1, Ordering::SeqCst);
                    socket.write_all(last.as_bytes()).await.unwrap();
                }
            });
        }
    });
    url
}

/// Reads the head of a request. `None`: nothing more comes.
async fn body_length(socket: &mut BufReader<tokio::net::TcpStream>) -> Option<usize> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        match socket.read_line(&mut line).await {
            Ok(0) | Err(_) => return None,
            Ok(_) if line == "\r\n" => return Some(length),
            Ok(_) => {}
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
    }
}

#[tokio::test]
async fn a_hundred_agents_on_one_host_all_finish_with_four_requests_at_once() {
    let most = Arc::default();
    let url = counting(Arc::clone(&most)).await;
    let agents: Vec<Agent> = (0..100).map(|_| bounded(&url, 4).create().unwrap()).collect();
    let turns: Vec<_> = agents.iter().map(|agent| agent.prompt("go").unwrap()).collect();
    for result in within(join_all(turns.into_iter().map(Turn::result))).await {
        assert_eq!(result.unwrap().reason, DoneReason::EndTurn);
    }
    let most = most.load(Ordering::SeqCst);
    assert!((1..=4).contains(&most), "{most}");
}

#[tokio::test]
async fn an_agent_that_is_closed_while_it_waits_leaves_its_place_to_the_next() {
    let server = server(&[step(&[said("one"), silence()])]);
    let agent = || bounded(&server.base_url(), 1);
    let first = agent().create().unwrap();
    let mut held = first.prompt("go").unwrap();
    read_to(&mut held, "text_delta").await;

    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&heard);
    let told = move |told| kept.lock().unwrap().push(json!(told)["type"].as_str().unwrap().to_owned());
    let second = agent().on_diagnostic(told).create().unwrap();
    let waiting = second.prompt("go").unwrap();
    until("the second asks", || heard.lock().unwrap().contains(&"transport.start".to_owned()).then_some(())).await;
    let third = agent().create().unwrap();
    let mut next = third.prompt("go").unwrap();
    within(second.close()).await;
    assert_eq!(within(waiting.result()).await.unwrap().reason, DoneReason::Cancelled);

    first.interrupt();
    read_to(&mut next, "text_delta").await;
    assert_eq!(server.stats().requests, 2);
}

#[tokio::test]
async fn a_wait_is_told_and_has_its_own_time() {
    let server = server(&[step(&[said("one"), silence()])]);
    let first = bounded(&server.base_url(), 1).create().unwrap();
    let mut held = first.prompt("go").unwrap();
    read_to(&mut held, "text_delta").await;
    let heard: Arc<Mutex<Vec<Value>>> = Arc::default();
    let kept = Arc::clone(&heard);
    let limits = Limits { queue_timeout_ms: 50, max_retries: 0, ..Limits::default() };
    let second = bounded(&server.base_url(), 1)
        .limits(limits)
        .on_diagnostic(move |told| kept.lock().unwrap().push(json!(told)))
        .create()
        .unwrap();
    let error = within(second.prompt("go").unwrap().result()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("network.maxConnectionsPerHost"), "{}", error.message);
    let heard = heard.lock().unwrap();
    let types: Vec<_> = heard.iter().filter_map(|told| told["type"].as_str()).skip(2).collect();
    assert_eq!(types, ["transport.start", "transport.queued", "transport.error"]);
    let queued = &heard[3];
    assert!(queued["attempt"] == 1 && queued["model"] == "anthropic/mock", "{queued}");
    assert!(queued["queuedMs"].as_u64().unwrap() >= 50, "{queued}");
}

/// An agent of a public host that is reached by `http`, in an environment.
fn abroad(network: NetworkOptions, env: &[(&str, &str)]) -> AgentBuilder {
    let endpoint = Endpoint { allow_http: true, ..Endpoint::new(EndpointKind::Anthropic, "http://models.example.com") };
    let options = AgentOptions {
        model: Some("anthropic/mock".to_owned()),
        endpoint: Some(endpoint),
        auth: Some(Auth::ApiKey { api_key: "sk-test".to_owned().into() }),
        network,
        ..AgentOptions::default()
    };
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Agent::builder().options(options).environment(Environment::new(env))
}

#[tokio::test]
async fn the_proxy_is_that_of_the_options_else_that_of_the_agents_own_environment() {
    let nowhere = "http://127.0.0.1:1";
    let [by_option, by_environment] = [server(&[says("by option")]), server(&[says("by environment")])];
    let option = NetworkOptions { proxy: Some(by_option.base_url().into()), ..NetworkOptions::default() };
    let said = async |agent: AgentBuilder| within(agent.create().unwrap().prompt("go").unwrap().result()).await;
    assert_eq!(said(abroad(option, &[("HTTP_PROXY", nowhere)])).await.unwrap().text, "by option");
    let env = [("HTTP_PROXY", by_environment.base_url()), ("HTTPS_PROXY", nowhere.to_owned())];
    let env = env.each_ref().map(|(name, url)| (*name, url.as_str()));
    assert_eq!(said(abroad(NetworkOptions::default(), &env)).await.unwrap().text, "by environment");
}

#[test]
fn a_way_that_cannot_be_gone_is_refused_when_the_agent_is_made_and_shows_no_password() {
    let wrong = |network: NetworkOptions, env: &[(&str, &str)], words: &str| {
        let error = abroad(network, env).create().unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidOptions);
        assert!(error.message.contains(words) && !error.message.contains("hunter2"), "{}", error.message);
    };
    let by = |proxy: &str| NetworkOptions { proxy: Some(proxy.to_owned().into()), ..NetworkOptions::default() };
    wrong(by("ftp://me:hunter2@a.test"), &[], "option network.proxy: the scheme must be");
    wrong(NetworkOptions { ca: Some("/a/path".to_owned()), ..NetworkOptions::default() }, &[], "option network.ca: ");
    wrong(
        NetworkOptions { max_connections_per_host: 0, ..NetworkOptions::default() },
        &[],
        "maxConnectionsPerHost is 0",
    );
    wrong(NetworkOptions::default(), &[("all_proxy", "me:hunter2@:x")], "`all_proxy` of the environment: ");
    wrong(NetworkOptions::default(), &[("SSL_CERT_FILE", "/no/such")], "`SSL_CERT_FILE` of the environment: /no/such");
}

#[test]
fn a_key_is_not_sent_over_http_to_a_public_host_unless_that_is_allowed() {
    let agent = |allow_http: bool| {
        let endpoint = Endpoint { allow_http, ..Endpoint::new(EndpointKind::Anthropic, "http://models.example.com") };
        Agent::builder().model("anthropic/mock").endpoint(endpoint).api_key("sk-test").create()
    };
    let error = agent(false).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidOptions);
    assert!(error.message.contains("allowHttp") && !error.message.contains("sk-test"), "{}", error.message);
    assert!(agent(true).is_ok());
}
