//! `web_fetch` against a server on this machine: what is read, what is not, and who is asked.

use std::sync::{Arc, Mutex};

use lodger::Agent;
use lodger::protocol::{
    DeniedBy, DoneReason, Effect, Entry, Event, Mode, PermissionAnswer, TargetKind, WebFetchOptions,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::support::script::{calls, says};
use crate::support::*;

/// A server that answers each path as it was told to, and keeps the heads of what it was asked.
struct Site {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// `answer`: from a path to status line, more headers and body; none: silence.
    async fn start(answer: impl Fn(&str) -> Option<(&'static str, String, Vec<u8>)> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&heads);
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let Ok(byte) = socket.read_u8().await else { break };
                    head.push(byte);
                }
                let head = String::from_utf8(head).unwrap();
                let answered = answer(head.split(' ').nth(1).unwrap_or_default());
                kept.lock().unwrap().push(head);
                match answered {
                    Some((status, more, body)) => {
                        let length = body.len();
                        let head =
                            format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{more}\r\n");
                        let _ = socket.write_all(&[head.as_bytes(), &body].concat()).await;
                    }
                    None => drop(tokio::spawn(async move {
                        let _ = socket.read_u8().await;
                    })),
                }
            }
        });
        Self { port, heads }
    }

    /// One page, of a type.
    async fn page(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self::start(move |_| Some(("200 OK", format!("content-type: {kind}\r\n"), body.clone()))).await
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn asked(&self) -> Vec<String> {
        self.heads.lock().unwrap().iter().map(|head| head.lines().next().unwrap().to_owned()).collect()
    }
}

fn here() -> WebFetchOptions {
    WebFetchOptions { private_hosts: vec!["127.0.0.1".to_owned()], ..WebFetchOptions::default() }
}

fn fetches(url: &str) -> [Value; 2] {
    [calls("web_fetch", json!({ "url": url })), says("done")]
}

fn reader(stage: &Stage, url: &str, options: WebFetchOptions) -> lodger::AgentBuilder {
    talker(&stage.model(&fetches(url))).web_fetch(options).mode(Mode::FullAuto)
}

async fn played(agent: &Agent) -> Vec<Arc<Event>> {
    let events = play(agent, "read it").await;
    look::ended(&events, DoneReason::EndTurn);
    events
}

/// What the model is told of a URL.
async fn told_by(url: &str, options: WebFetchOptions) -> (String, bool) {
    let stage = Stage::new();
    look::result(&played(&reader(&stage, url, options).create().unwrap()).await)
}

async fn told(url: &str) -> (String, bool) {
    told_by(url, here()).await
}

#[tokio::test]
async fn a_page_is_told_as_text() {
    let site = Site::page("text/html", "<title>Hi</title><p>See <a href='/b'>this</a></p><script>no()</script>").await;
    let (text, is_error) = told(&site.url("/a#part")).await;
    let url = site.url("/a");
    assert_eq!(text, format!("{url} (HTTP status 200)\n\n# Hi\n\nSee [this]({})", site.url("/b")));
    assert!(!is_error);
    let head = site.heads.lock().unwrap()[0].to_ascii_lowercase();
    assert!(head.starts_with("get /a http/1.1") && head.contains("accept-encoding: identity"), "{head}");
    assert!(!head.contains("authorization") && !head.contains("cookie"), "{head}");
}

#[tokio::test]
async fn json_and_plain_texts_are_told_as_they_stand() {
    let site = Site::page("application/json", "{\"a\": [1]}").await;
    assert!(told(&site.url("/")).await.0.ends_with("\n\n{\"a\": [1]}"));
    let site = Site::page("text/plain; charset=latin1", b"caf\xe9".as_slice()).await;
    assert!(told(&site.url("/")).await.0.ends_with("\n\ncaf\u{e9}"));
}

#[tokio::test]
async fn what_is_no_text_is_not_read() {
    let site = Site::page("image/png", vec![0; 100]).await;
    let (text, is_error) = told(&site.url("/")).await;
    assert!(is_error && text.contains("image/png"), "{text}");
    let packed = "content-type: text/plain\r\ncontent-encoding: gzip\r\n";
    let site = Site::start(|_| Some(("200 OK", packed.to_owned(), vec![31, 139]))).await;
    let (text, is_error) = told(&site.url("/")).await;
    assert!(is_error && text.contains("gzip"), "{text}");
}

#[tokio::test]
async fn a_status_that_is_no_success_is_told_as_an_error() {
    let site =
        Site::start(|_| Some(("404 Not Found", "content-type: text/plain\r\n".to_owned(), b"gone".to_vec()))).await;
    let (text, is_error) = told(&site.url("/x")).await;
    assert!(is_error && text.contains("HTTP status 404") && text.ends_with("gone"), "{text}");
}

#[tokio::test]
async fn no_more_is_read_than_may_be() {
    let site = Site::page("text/plain", "x".repeat(5000)).await;
    let (text, is_error) = told_by(&site.url("/"), WebFetchOptions { max_bytes: 100, ..here() }).await;
    assert!(!is_error && text.contains("only its first 100 bytes were read"), "{text}");
    assert!(text.ends_with(&format!("\n\n{}", "x".repeat(100))), "{text}");
    let (text, _) = told_by(&site.url("/"), WebFetchOptions { max_bytes: 5000, ..here() }).await;
    assert!(!text.contains("only its first"), "{text}");
}

#[tokio::test]
async fn a_redirect_within_the_host_is_followed_and_no_more_than_five() {
    let site = Site::start(|path| match path {
        "/0" => Some(("200 OK", "content-type: text/plain\r\n".to_owned(), b"there".to_vec())),
        path => {
            let left: u32 = path[1..].parse().unwrap();
            Some(("302 Found", format!("location: /{}\r\n", left - 1), Vec::new()))
        }
    })
    .await;
    let (text, is_error) = told(&site.url("/5")).await;
    assert!(!is_error && text.starts_with(&site.url("/0")) && text.ends_with("there"), "{text}");
    let (text, is_error) = told(&site.url("/6")).await;
    assert!(is_error && text.contains("more than 5 redirects"), "{text}");
}

#[tokio::test]
async fn a_redirect_to_another_host_is_told_and_not_followed() {
    let other = Site::page("text/plain", "secret").await;
    let to = format!("http://localhost:{}/x", other.port);
    let location = format!("location: {to}\r\n");
    let site = Site::start(move |_| Some(("301 Moved Permanently", location.clone(), Vec::new()))).await;
    let both = WebFetchOptions { private_hosts: vec!["127.0.0.1".to_owned(), "localhost".to_owned()], ..here() };
    let (text, is_error) = told_by(&site.url("/"), both).await;
    assert!(!is_error && text.contains("another host") && text.ends_with(&to), "{text}");
    assert_eq!(other.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_redirect_to_what_is_no_page_is_an_error() {
    let site = Site::start(|_| Some(("302 Found", "location: file:///etc/passwd\r\n".to_owned(), Vec::new()))).await;
    let (text, is_error) = told(&site.url("/")).await;
    assert!(is_error && text.contains("nothing is fetched"), "{text}");
}

#[tokio::test]
async fn this_machine_and_private_networks_are_out_of_reach_unless_they_are_named() {
    let site = Site::page("text/plain", "secret").await;
    let nothing = WebFetchOptions::default;
    for (url, why) in [
        (format!("https://127.0.0.1:{}/", site.port), "not public"),
        (format!("https://localhost:{}/", site.port), "not public"),
        (format!("https://[::ffff:127.0.0.1]:{}/", site.port), "not public"),
        ("https://169.254.169.254/latest/meta-data/".to_owned(), "not public"),
        (site.url("/"), "https alone"),
    ] {
        let (text, is_error) = told_by(&url, nothing()).await;
        assert!(is_error && text.contains(why), "{url}: {text}");
    }
    assert_eq!(site.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn it_asks_for_the_host_and_a_refusal_sends_nothing() {
    let site = Site::page("text/plain", "secret").await;
    let stage = Stage::new();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&asked);
    let agent = reader(&stage, &site.url("/page"), here())
        .mode(Mode::Ask)
        .on_permission(move |request| {
            note.lock().unwrap().push(request.body);
            async { PermissionAnswer::Deny { feedback: Some("not there".to_owned()) } }
        })
        .create()
        .unwrap();
    let events = played(&agent).await;
    assert!(look::result(&events).0.contains("not there"));
    assert_eq!(site.asked(), Vec::<String>::new());
    let asked = asked.lock().unwrap();
    assert_eq!((asked[0].effect, asked[0].target.kind), (Effect::Network, TargetKind::Network));
    assert!(asked[0].summary.contains(&site.url("/page")), "{}", asked[0].summary);
}

#[tokio::test]
async fn rules_judge_the_host_by_its_name() {
    let site = Site::page("text/plain", "a page").await;
    let stage = Stage::new();
    let asking = || reader(&stage, &site.url("/"), here()).mode(Mode::Ask);
    let told = async |builder: lodger::AgentBuilder| look::result(&played(&builder.create().unwrap()).await);
    let (text, is_error) = told(asking().allow("web_fetch(domain:127.0.0.1)")).await;
    assert!(!is_error && text.ends_with("a page"), "{text}");
    let (text, is_error) = told(asking().allow("network(example.com)")).await;
    assert!(is_error && text.contains("permission denied"), "{text}");
    let (text, is_error) = told(asking().mode(Mode::FullAuto).deny("network(127.0.0.1)")).await;
    assert!(is_error && text.contains("network(127.0.0.1)"), "{text}");
    assert_eq!(site.asked().len(), 1);
}

#[tokio::test]
async fn plan_mode_refuses_it() {
    let site = Site::page("text/plain", "secret").await;
    let stage = Stage::new();
    let events = played(&reader(&stage, &site.url("/"), here()).mode(Mode::Plan).create().unwrap()).await;
    let denied = look::entries(&events).any(|entry| matches!(entry, Entry::ToolDenied { by: DeniedBy::Mode, .. }));
    assert!(denied, "{events:?}");
    assert_eq!(site.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_after_a_while() {
    let site = Site::start(|_| None).await;
    let (text, is_error) = told_by(&site.url("/"), WebFetchOptions { timeout_ms: 50, ..here() }).await;
    assert!(is_error && text.contains("50 ms (webFetch.timeoutMs)"), "{text}");
}

#[tokio::test]
async fn a_cancelled_turn_does_not_wait_for_it() {
    let reached = Arc::new(Notify::new());
    let notify = Arc::clone(&reached);
    let site = Site::start(move |_| {
        notify.notify_one();
        None
    })
    .await;
    let stage = Stage::new();
    let options = WebFetchOptions { timeout_ms: 600_000, ..here() };
    let agent = reader(&stage, &site.url("/"), options).create().unwrap();
    let turn = agent.prompt("read it").unwrap();
    reached.notified().await;
    turn.cancel();
    assert_eq!(turn.result().await.unwrap().reason, DoneReason::Cancelled);
}

#[tokio::test]
async fn what_is_no_url_of_a_page_is_told_with_what_was_expected() {
    for url in ["", "example.com", "ftp://example.com", "file:///etc/passwd", "https://", "https://me:pw@example.com/"]
    {
        let (text, is_error) = told(url).await;
        assert!(is_error && text.contains("https://example.com/page") && !text.contains("pw"), "{url}: {text}");
    }
    let long = format!("https://example.com/{}", "x".repeat(2048));
    assert!(told(&long).await.0.contains("2068 bytes"));
}

#[tokio::test]
async fn the_model_has_it_only_where_it_was_turned_on() {
    for (more, offered) in [(json!({}), false), (json!({ "webFetch": {} }), true)] {
        let server = server(&[says("ok")]);
        let mut options = json!({
            "model": "anthropic/mock",
            "auth": { "apiKey": "key" },
            "endpoint": { "kind": "anthropic", "baseUrl": server.base_url() },
        });
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let agent = Agent::builder().options(serde_json::from_value(options).unwrap()).create().unwrap();
        played(&agent).await;
        assert_eq!(look::offered(&server.stats().bodies[0]).contains(&"web_fetch".to_owned()), offered);
    }
}

#[test]
fn wrong_options_are_refused_by_their_name() {
    let stage = Stage::new();
    for (wrong, name) in [
        (json!({ "maxBytes": 0 }), "webFetch.maxBytes"),
        (json!({ "timeoutMs": 0 }), "webFetch.timeoutMs"),
        (json!({ "privateHosts": ["http://wiki"] }), "webFetch.privateHosts[0]"),
        (json!({ "hosts": [] }), "webFetch.hosts"),
    ] {
        let options = stage.options(&[says("ok")], json!({ "webFetch": wrong }));
        let outcome = lodger::embed::Agent::create(None, &options.to_string(), environment(), Default::default());
        let error = assert_code(outcome, lodger::ErrorCode::InvalidOptions);
        assert!(error.message.contains(name), "{error}");
    }
}
