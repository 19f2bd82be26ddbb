//! Agents that work for another spend what that one may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lodger_model::scripted::{Script, ScriptedModel};
use lodger_protocol::{Diagnostics, DoneReason, Effort, Event, Limits, RequestKind, SystemClock, TurnResult};
use lodger_tools::Registry;
use serde_json::json;

use super::*;
use crate::{Delivery, Guards, Spending};

/// A reader that only wants to know the end.
#[derive(Default)]
struct End(Mutex<Option<TurnResult>>);

impl Outlet for End {
    fn publish(&self, _: Arc<Event>) -> bool {
        false
    }

    fn finish(&self, _: Arc<Event>, result: TurnResult) -> bool {
        *locked(&self.0) = Some(result);
        false
    }

    fn ring(&self) {}

    fn has_room(&self) -> bool {
        true
    }

    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        async { Ok(()) }.boxed()
    }

    fn delivery(&self, _: RequestKind) -> Delivery {
        Delivery::Refused
    }

    fn open(&self, _: Arc<Pending>) {}

    fn withdraw(&self, _: &RequestId) {}

    fn ended(&self) {}
}

/// An agent that says so many words and works for somebody.
fn worker(words: u64, spends_from: &Arc<Spending>) -> Agent {
    let script = json!({ "steps": [{ "reply": [{ "type": "repeat", "text": "word! ", "count": words }] }] });
    Agent::new(AgentParts {
        session_id: SessionId::fresh(),
        checkpoint: Checkpoint::default(),
        system: String::new(),
        model: Arc::new(ScriptedModel::new("scripted/x", Script::parse(&script.to_string()).unwrap())),
        fallbacks: Vec::new(),
        open_model: Box::new(|_| Err(Error::internal("not asked"))),
        effort: Effort::Auto,
        mode: Mode::Ask,
        policy: Arc::default(),
        analyser: lodger_policy::Analyser::default(),
        guards: Guards::default(),
        audit: None,
        tools: Registry::default(),
        workspace: None,
        output: None,
        ignored_settings: Vec::new(),
        limits: Limits::default(),
        spends_from: Some(Arc::clone(spends_from)),
        request_timeout: None,
        diagnostics: Diagnostics::default(),
        clock: Arc::new(SystemClock),
        handle: Handle::current(),
    })
    .unwrap()
}

async fn result(agent: &Agent) -> TurnResult {
    let end = Arc::new(End::default());
    agent.prompt("go".into(), TurnId::fresh(), Arc::<End>::clone(&end)).unwrap();
    agent.until_idle().await;
    let result = locked(&end.0).take();
    result.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_at_work_at_once_end_where_the_budget_of_the_one_above_them_does() {
    let limits = Limits { max_budget_tokens: Some(3000), ..Limits::default() };
    let above = Arc::new(Spending::new(&limits, None));
    // Two tokens a word, as it is guessed: 4 x 2,000 would be spent.
    let workers = [(); 4].map(|()| worker(1000, &above));
    let results = futures_util::future::join_all(workers.iter().map(result)).await;
    let said: usize = results.iter().map(|result| result.text.len() / 6).sum();
    // Guesses are rounded down, for each of the four.
    assert!((1000..=1504).contains(&said), "{said} words");
    assert!(results.iter().any(|result| result.reason == DoneReason::MaxBudget));
    assert_eq!(result(&workers[0]).await.reason, DoneReason::MaxBudget, "nothing is left for another turn");
}

#[tokio::test]
async fn an_agent_within_the_budget_leaves_the_rest_to_the_next() {
    let limits = Limits { max_budget_tokens: Some(300), ..Limits::default() };
    let above = Arc::new(Spending::new(&limits, None));
    assert_eq!(result(&worker(100, &above)).await.reason, DoneReason::EndTurn);
    let second = result(&worker(100, &above)).await;
    assert_eq!(second.reason, DoneReason::MaxBudget);
    assert!((1..100).contains(&(second.text.len() / 6)), "{} bytes", second.text.len());
}
