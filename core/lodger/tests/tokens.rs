//! A host that makes the tokens for its provider, and whose calls come by id.

use std::sync::Arc;

use crate::support::script::says;
use crate::support::{LONG, environment, server_with, wait_until};
use lodger::IssuedToken;
use lodger::embed::{Agent, Handlers, Mailbox, Runtime, RuntimeOptions, TokenQueue, Turn};
use lodger::protocol::ErrorCode;
use lodger_kit::{MockOptions, MockServer};
use serde_json::{Value, json};

/// An agent whose tokens are made by id.
struct Stage {
    server: MockServer,
    mailbox: Mailbox,
    queue: TokenQueue,
    agent: Agent,
}

impl Stage {
    fn new(runtime: Option<&Runtime>) -> Self {
        let key = MockOptions { api_key: Some("host-token".to_owned()), ..MockOptions::default() };
        let server = server_with(&[says("one"), says("two")], key);
        let mailbox = Mailbox::new(Box::new(|| {}));
        let queue = TokenQueue::new(&mailbox, 2);
        let handlers = Handlers { token: Some(Arc::new(queue.clone())), ..Handlers::default() };
        let endpoint = json!({ "kind": "anthropic", "baseUrl": server.base_url() });
        let options = json!({ "model": "acme/mock", "endpoint": endpoint }).to_string();
        let agent = Agent::create(runtime, &options, environment(), handlers).unwrap();
        Self { server, mailbox, queue, agent }
    }

    /// Begins a turn, and says what it wants.
    fn wanted(&self) -> (Turn, Value) {
        let turn = self.agent.prompt("\"hello\"").unwrap();
        let wanted = wait_until("a token is wanted", || self.queue.take_json());
        (turn, serde_json::from_str(&wanted).unwrap())
    }
}

fn issued(token: &str) -> IssuedToken {
    IssuedToken { token: token.into(), expires_at: None }
}

#[test]
fn a_queue_hands_over_what_is_wanted_by_id() {
    let stage = Stage::new(None);
    let (turn, wanted) = stage.wanted();
    assert_eq!(wanted, json!([{ "id": 1, "audience": stage.server.base_url() }]));
    assert_eq!(stage.mailbox.take(), [5]);
    assert!(stage.queue.fail(1, "the vault is locked"));
    let error = turn.wait(Some(LONG)).unwrap().error.unwrap();
    assert_eq!(error.code, ErrorCode::ProviderAuth);
    assert!(error.message.ends_with("the vault is locked"), "{}", error.message);

    let (turn, wanted) = stage.wanted();
    assert_eq!(wanted[0]["id"], 2);
    assert!(!stage.queue.issue(1, issued("late")));
    assert!(stage.queue.issue(2, issued("host-token")));
    assert!(!stage.queue.issue(2, issued("twice")));
    assert_eq!(turn.wait(Some(LONG)).unwrap().text, "one");
    stage.agent.close(LONG).unwrap();
}

#[test]
fn what_nobody_waits_for_any_more_is_wanted_no_longer() {
    let runtime = Runtime::new(RuntimeOptions::default()).unwrap();
    let stage = Stage::new(Some(&runtime));
    let _turn = stage.agent.prompt("\"hello\"").unwrap();
    wait_until("a token is wanted", || (stage.mailbox.take() == [5]).then_some(()));
    stage.agent.close(LONG).unwrap();
    runtime.shut_down(LONG).unwrap();
    assert!(stage.queue.take().is_empty());
}
