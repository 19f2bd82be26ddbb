//! What the server sends, looked at byte by byte: each fault and each quirk in each protocol, and each conversation that
//! a provider would refuse.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod faults;
mod flaws;
mod quirks;

use std::io::{Read, Write};
use std::net::TcpStream;

use lodger_kit::{FaultRule, MockOptions, MockServer, Protocol, Quirk, WireFault};
use serde_json::{Value, json};

/// A reply with text, thought and two calls, and one of text.
fn script() -> Value {
    json!({ "steps": [
        {
            "reply": [
                { "type": "thinking", "text": "hm", "signature": "c2ln" },
                { "type": "text", "text": "Grüße", "chunks": 2 },
                { "type": "tool_call", "toolName": "look", "input": { "at": "one" }, "chunks": 2 },
                { "type": "tool_call", "toolName": "look", "input": { "at": "two" }, "chunks": 2 },
            ],
            "usage": { "inputTokens": 5, "outputTokens": 7 },
        },
        { "reply": [{ "type": "text", "text": "Done." }] },
    ] })
}

fn server(options: MockOptions) -> MockServer {
    MockServer::start_with(serde_json::from_value(script()).unwrap(), options).unwrap()
}

fn faulty(fault: WireFault) -> MockServer {
    server(MockOptions { faults: vec![FaultRule::always(fault)], ..MockOptions::default() })
}

fn quirky(quirk: Quirk) -> MockServer {
    server(MockOptions { quirks: vec![quirk], ..MockOptions::default() })
}

/// A request that every provider takes.
fn body(protocol: Protocol) -> Value {
    match protocol {
        Protocol::Anthropic => {
            json!({ "model": "m", "max_tokens": 9, "stream": true, "messages": [{ "role": "user", "content": "Hi" }] })
        }
        Protocol::OpenaiChat => json!({
            "model": "m", "stream": true, "stream_options": { "include_usage": true },
            "messages": [{ "role": "user", "content": "Hi" }],
        }),
        Protocol::OpenaiResponses => json!({ "model": "m", "stream": true, "input": "Hi" }),
        Protocol::Gemini => json!({ "contents": [{ "role": "user", "parts": [{ "text": "Hi" }] }] }),
    }
}

fn path(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Anthropic => "/v1/messages",
        Protocol::OpenaiChat => "/v1/chat/completions",
        Protocol::OpenaiResponses => "/v1/responses",
        Protocol::Gemini => "/v1beta/models/m:streamGenerateContent?alt=sse",
    }
}

/// What came back on a connection of its own, and how it ended.
struct Answer {
    status: u16,
    head: String,
    body: String,
    /// The connection broke, or the body was not complete.
    broken: bool,
}

fn ask(server: &MockServer, protocol: Protocol) -> Answer {
    ask_with(server, protocol, &body(protocol))
}

/// Sends a request on a connection of its own.
fn send(server: &MockServer, protocol: Protocol, body: &Value) -> TcpStream {
    let place = server.base_url();
    let place = place.strip_prefix("http://").unwrap();
    let (body, path) = (body.to_string(), path(protocol));
    let mut socket = TcpStream::connect(place).unwrap();
    let length = body.len();
    write!(
        socket,
        "POST {path} HTTP/1.1\r\nhost: {place}\r\nconnection: close\r\nanthropic-version: 1\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    socket
}

fn ask_with(server: &MockServer, protocol: Protocol, body: &Value) -> Answer {
    let mut socket = send(server, protocol, body);
    let mut raw = Vec::new();
    let reset = socket.read_to_end(&mut raw).is_err();
    let split = raw.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(raw.len());
    let head = String::from_utf8(raw[..split].to_vec()).unwrap().to_ascii_lowercase();
    let rest = raw.get(split + 4..).unwrap_or_default();
    let (bytes, whole) = match head.lines().find_map(|line| line.strip_prefix("content-length: ")) {
        Some(length) => (rest.to_vec(), rest.len() == length.parse().unwrap_or(0)),
        None => unchunked(rest),
    };
    Answer {
        status: head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0),
        head,
        body: String::from_utf8_lossy(&bytes).into_owned(),
        broken: reset || !whole,
    }
}

/// The bytes of a chunked body as far as they came, and whether it came to its end.
fn unchunked(mut raw: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = raw.windows(2).position(|two| two == b"\r\n") else { return (body, false) };
        let size = usize::from_str_radix(std::str::from_utf8(&raw[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let rest = &raw[end + 2..];
        body.extend_from_slice(&rest[..size.min(rest.len())]);
        match rest.get(size + 2..) {
            Some(more) => raw = more,
            None => return (body, false),
        }
    }
}

/// The data of each frame that is JSON.
fn frames(body: &str) -> Vec<Value> {
    let data = body.split(['\n', '\r']).filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}
