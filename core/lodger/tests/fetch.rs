//! A host that carries the requests to its model with its own fetch.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::script::{repeat, says, silence, step};
use crate::support::{LONG, client, client_options, environment, look, play, read, server, until, wait_until};
use bytes::Bytes;
use futures_util::StreamExt;
use lodger::embed::{self, FetchFlow, FetchItem, FetchQueue, Handlers, Mailbox};
use lodger::protocol::{DoneReason, ErrorCode};
use lodger::{Fetch, Fetcher};
use lodger_net::{HttpClients, Transport};
use serde_json::{Value, json};

/// A host's fetch, which is HTTP all the same, and counts.
#[derive(Default)]
struct Carrier {
    carried: AtomicUsize,
    given_up: AtomicUsize,
}

impl Fetcher for Carrier {
    fn fetch(&self, fetch: Arc<Fetch>) {
        self.carried.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(async move {
            let mut answer = match HttpClients::new().send(fetch.request().clone()).await {
                Ok(answer) => answer,
                Err(error) => return fetch.fail(&error.message),
            };
            fetch.respond(answer.status, answer.headers).unwrap();
            while let Some(piece) = answer.body.next().await {
                let Ok(piece) = piece else { return fetch.fail("the body broke") };
                let mut flow = fetch.push(piece).unwrap();
                while flow == FetchFlow::Wait {
                    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                    flow = if fetch.is_given_up() { FetchFlow::GivenUp } else { fetch.push(Bytes::new()).unwrap() };
                }
                if flow == FetchFlow::GivenUp {
                    return;
                }
            }
            fetch.end();
        });
    }

    fn changed(&self, fetch: &Arc<Fetch>) {
        self.given_up.fetch_add(usize::from(fetch.is_given_up()), Ordering::SeqCst);
    }
}

#[tokio::test]
async fn every_request_goes_through_the_hosts_fetch() {
    let (server, carrier) = (server(&[says("one"), says("two")]), Arc::new(Carrier::default()));
    let agent = client(&server).fetcher(carrier.clone()).create().unwrap();
    assert_eq!(look::text(&play(&agent, "first").await), "one");
    assert_eq!(look::text(&play(&agent, "second").await), "two");
    assert_eq!((carrier.carried.load(Ordering::SeqCst), server.stats().requests), (2, 2));
}

#[tokio::test]
async fn a_long_answer_arrives_whole() {
    let server = server(&[step(&[repeat("0123456789", 20_000)])]);
    let agent = client(&server).fetcher(Arc::new(Carrier::default())).create().unwrap();
    assert_eq!(look::text(&play(&agent, "go").await).len(), 200_000);
}

#[tokio::test]
async fn a_cancelled_turn_gives_its_fetch_up() {
    let (server, carrier) = (server(&[step(&[silence()])]), Arc::new(Carrier::default()));
    let agent = client(&server).fetcher(carrier.clone()).create().unwrap();
    let mut turn = agent.prompt("go").unwrap();
    until("the request is carried", || (carrier.carried.load(Ordering::SeqCst) == 1).then_some(())).await;
    turn.cancel();
    look::ended(&read(&mut turn).await, DoneReason::Cancelled);
    until("the host is told", || (carrier.given_up.load(Ordering::SeqCst) == 1).then_some(())).await;
}

#[test]
fn a_queue_hands_requests_over_by_id() {
    let server = server(&[says("never asked")]);
    let mailbox = Mailbox::new(Box::new(|| {}));
    let queue = FetchQueue::new(&mailbox, 2);
    let handlers = Handlers { fetch: Some(Arc::new(queue.clone())), ..Handlers::default() };
    let options = client_options(&server, json!({ "limits": { "maxRetries": 0 } })).to_string();
    let agent = embed::Agent::create(None, &options, environment(), handlers).unwrap();
    let turn = agent.prompt("\"hello\"").unwrap();
    let opened = wait_until("a request", || queue.take_json());
    // It is marked after it stands there to be taken.
    let marked = wait_until("its mark", || Some(mailbox.take()).filter(|keys| !keys.is_empty()));
    assert_eq!(marked, [5]);
    let opened: Value = serde_json::from_str(&opened).unwrap();
    assert_eq!((&opened[0]["type"], &opened[0]["id"]), (&json!("opened"), &json!(1)));
    let body: Value = serde_json::from_slice(&queue.body(1).unwrap()).unwrap();
    assert!(body["messages"].to_string().contains("hello"));
    queue.fail(1, "the host has no network");
    let result = turn.wait(Some(LONG)).unwrap();
    assert_eq!(result.error.unwrap().code, ErrorCode::ProviderUnavailable);
    assert_eq!(queue.body(1).unwrap_err().code, ErrorCode::RequestNotFound);
    assert_eq!(queue.push(1, Bytes::new()).unwrap(), FetchFlow::GivenUp);
    assert_eq!(server.stats().requests, 0);
    agent.close(LONG).unwrap();
}

#[test]
fn a_request_that_was_given_up_is_told_once() {
    let server = server(&[says("never asked")]);
    let queue = FetchQueue::new(&Mailbox::new(Box::new(|| {})), 0);
    let handlers = Handlers { fetch: Some(Arc::new(queue.clone())), ..Handlers::default() };
    let options = client_options(&server, json!({})).to_string();
    let agent = embed::Agent::create(None, &options, environment(), handlers).unwrap();
    let turn = agent.prompt("\"hello\"").unwrap();
    let take = || queue.take().pop();
    assert!(matches!(wait_until("a request", take), FetchItem::Opened(_)));
    turn.cancel();
    assert!(matches!(wait_until("its end", take), FetchItem::GivenUp(1)));
    turn.wait(Some(LONG)).unwrap();
    assert!(!queue.respond(1, 200, Vec::new()).unwrap());
    assert!(queue.take().is_empty());
    agent.close(LONG).unwrap();
}
