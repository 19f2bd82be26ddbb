//! The mock server as a program: how tests in any language use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

const SCRIPT: &str = r#"{ "steps": [{ "reply": [{ "type": "text", "text": "Hello", "chunks": 2 }] }] }"#;

/// Starts the program with a script; returns it and `host:port`.
fn start(folder: &std::path::Path, more: &[&str]) -> (Child, String) {
    let script = folder.join("script.json");
    std::fs::write(&script, SCRIPT).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lodger-mock-model"))
        .arg("--script")
        .arg(&script)
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let place = said["baseUrl"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    (child, place)
}

/// One request on a connection of its own; the whole answer as text.
fn exchange(place: &str, head: &str, body: &str) -> String {
    let mut socket = TcpStream::connect(place).unwrap();
    write!(
        socket,
        "{head} HTTP/1.1\r\nhost: {place}\r\nconnection: close\r\nanthropic-version: 2023-06-01\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    // A connection that breaks as told ends in an error; what came before it counts.
    let _ = socket.read_to_string(&mut answer);
    answer
}

fn ask(place: &str) -> String {
    let body =
        json!({ "model": "m", "max_tokens": 9, "stream": true, "messages": [{ "role": "user", "content": "Hi" }] })
            .to_string();
    exchange(place, "POST /v1/messages", &body)
}

#[test]
fn it_says_where_it_is_serves_and_ends_with_its_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, place) = start(folder.path(), &[]);
    let answer = ask(&place);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains(r#""text":"He""#) && answer.contains(r#""text":"llo""#), "{answer}");
    assert!(answer.contains("event: message_stop"), "{answer}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn it_says_what_it_saw() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, place) = start(folder.path(), &[]);
    ask(&place);
    let answer = exchange(&place, "GET /__mock/stats", "");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let stats: Value = serde_json::from_str(body).unwrap();
    assert_eq!((&stats["requests"], &stats["finished"], &stats["aborted"]), (&json!(1), &json!(1), &json!(0)));
    assert_eq!(stats["bodies"][0]["messages"][0]["content"], "Hi");
    assert!(stats["connections"][0]["bytesWritten"].as_u64().unwrap() > 500, "{stats}");
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn faults_strike_by_the_number_of_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let faults = folder.path().join("faults.json");
    let rules = json!([
        { "request": 1, "fault": { "type": "status", "status": 529, "headers": { "retry-after": "2" } } },
        { "request": 2, "fault": { "type": "cut", "afterBytes": 100 } },
    ]);
    std::fs::write(&faults, rules.to_string()).unwrap();
    let (mut child, place) = start(folder.path(), &["--faults", faults.to_str().unwrap()]);
    let overloaded = ask(&place);
    assert!(overloaded.starts_with("HTTP/1.1 529") && overloaded.contains("retry-after: 2"), "{overloaded}");
    let cut = ask(&place);
    assert!(cut.starts_with("HTTP/1.1 200") && cut.contains("event: message_start"), "{cut}");
    assert!(!cut.contains("message_stop") && !cut.ends_with("0\r\n\r\n"), "{cut}");
    assert!(ask(&place).contains("message_stop"));
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn a_script_with_a_mistake_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("bad.json");
    std::fs::write(&script, r#"{ "stesp": [] }"#).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_lodger-mock-model")).arg("--script").arg(&script).output().unwrap();
    assert!(!out.status.success());
    assert!(String::from_utf8_lossy(&out.stderr).contains("stesp"));
}

#[test]
fn quirks_and_models_are_taken_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, place) = start(folder.path(), &["--quirks", "no_names,keep_alive", "--models", "a,b,c"]);
    let answer = ask(&place);
    assert!(answer.contains(": keep-alive") && !answer.contains("event:"), "{answer}");
    let models = exchange(&place, "GET /v1/models?limit=2&after_id=a", "");
    assert!(models.contains(r#""id":"b""#) && models.contains(r#""id":"c""#), "{models}");
    assert!(!models.contains(r#""id":"a""#) && models.contains(r#""has_more":false"#), "{models}");
    drop(child.stdin.take());
    child.wait().unwrap();
    let script = folder.path().join("script.json");
    let out = Command::new(env!("CARGO_BIN_EXE_lodger-mock-model"))
        .args(["--quirks", "nonsense", "--script"])
        .arg(&script)
        .output()
        .unwrap();
    assert!(!out.status.success() && String::from_utf8_lossy(&out.stderr).contains("nonsense"));
}
