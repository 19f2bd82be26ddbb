//! What a turn costs, and where its budget ends it.

use crate::support::script::{calls, repeat, says, step};
use crate::support::{Stage, assert_code, look, play, talker};
use lodger::protocol::{DoneReason, Entry, EventBody, Limits};
use lodger::{AgentBuilder, ErrorCode};
use serde_json::{Value, json};

/// A model whose prompt tokens cost 1 dollar for a million, and its answers 10.
fn priced(stage: &Stage, steps: &[Value]) -> String {
    stage.model_of(&json!({ "steps": steps, "price": { "input": 1.0, "output": 10.0 } }))
}

/// A reply that the provider counts.
fn counted(mut step: Value, input: u64, output: u64) -> Value {
    step["usage"] = json!({ "inputTokens": input, "outputTokens": output });
    step
}

fn limited(agent: AgentBuilder, limits: Limits) -> AgentBuilder {
    agent.limits(limits)
}

fn usd(most: f64) -> Limits {
    Limits { max_budget_usd: Some(most), ..Limits::default() }
}

#[tokio::test]
async fn a_turn_says_what_it_cost_and_the_session_adds_it_up() {
    let stage = Stage::new();
    let model = priced(&stage, &[counted(says("one"), 1000, 100), counted(says("two"), 3000, 100)]);
    let agent = talker(&model).create().unwrap();
    let first = agent.prompt("a").unwrap().result().await.unwrap();
    assert_eq!(first.cost_usd, Some(0.002));
    let second = agent.prompt("b").unwrap().result().await.unwrap();
    assert_eq!(second.cost_usd, Some(0.004));
    assert!((agent.usage().cost_usd.unwrap() - 0.006).abs() < 1e-12);
}

#[tokio::test]
async fn the_cost_of_a_session_is_kept_in_its_checkpoint() {
    let stage = Stage::new();
    let model = priced(&stage, &[counted(says("one"), 1000, 100), counted(says("two"), 1000, 100)]);
    let agent = talker(&model).create().unwrap();
    agent.prompt("a").unwrap().result().await.unwrap();
    let restored = talker(&model).checkpoint(agent.checkpoint().unwrap()).create().unwrap();
    assert_eq!(restored.usage().cost_usd, Some(0.002));
    restored.prompt("b").unwrap().result().await.unwrap();
    assert_eq!(restored.usage().cost_usd, Some(0.004));
}

#[tokio::test]
async fn a_reply_that_nobody_counted_has_no_cost_and_neither_has_its_session() {
    let stage = Stage::new();
    let agent = talker(&priced(&stage, &[says("one"), counted(says("two"), 1000, 100)])).create().unwrap();
    assert_eq!(agent.prompt("a").unwrap().result().await.unwrap().cost_usd, None);
    assert_eq!(agent.prompt("b").unwrap().result().await.unwrap().cost_usd, Some(0.002));
    assert_eq!(agent.usage().cost_usd, None);
}

#[tokio::test]
async fn a_model_without_a_price_costs_nothing_that_is_known() {
    let stage = Stage::new();
    let agent = talker(&stage.model(&[counted(says("one"), 1000, 100)])).create().unwrap();
    assert_eq!(agent.prompt("a").unwrap().result().await.unwrap().cost_usd, None);
}

#[tokio::test]
async fn a_turn_ends_before_the_call_that_its_budget_does_not_pay() {
    let stage = Stage::new();
    stage.put("a.txt", "x");
    let look_again = counted(calls("read_file", json!({ "path": "a.txt" })), 1000, 100);
    let model = priced(&stage, &[look_again.clone(), look_again.clone(), look_again]);
    let agent = talker(&model).cwd(stage.work("").display().to_string()).limits(usd(0.003)).create().unwrap();
    let events = play(&agent, "go").await;
    look::ended(&events, DoneReason::MaxBudget);
    let replies = look::entries(&events).filter(|entry| matches!(entry, Entry::AssistantMessage { .. })).count();
    assert_eq!(replies, 2);
    assert_eq!(look::results(&events).len(), 2, "every call has its result");
}

#[tokio::test]
async fn a_long_reply_is_cut_where_the_budget_ends_and_the_next_prompt_is_valid() {
    let stage = Stage::new();
    let long = step(&[repeat("word ", 100_000)]);
    let model = priced(&stage, &[long, counted(says("short"), 10, 10)]);
    // About 500,000 bytes of answer would cost 1.67 dollars.
    let agent = limited(talker(&model), usd(0.01)).create().unwrap();
    let events = play(&agent, "go").await;
    look::ended(&events, DoneReason::MaxBudget);
    let said = look::text(&events).len();
    assert!((1000..20_000).contains(&said), "{said} bytes were let through");
    let EventBody::Entry(Entry::Done { cost_usd: None, .. }) = &events.last().unwrap().body else {
        panic!("what a cut reply cost is not known")
    };
    assert_eq!(agent.prompt("again").unwrap().result().await.unwrap().text, "short");
}

#[tokio::test]
async fn a_budget_of_tokens_needs_no_price() {
    let stage = Stage::new();
    stage.put("a.txt", "x");
    let look_again = counted(calls("read_file", json!({ "path": "a.txt" })), 1000, 100);
    let limits = Limits { max_budget_tokens: Some(2000), ..Limits::default() };
    let agent = limited(stage.agent(&[look_again.clone(), look_again.clone(), look_again]), limits).create().unwrap();
    let events = play(&agent, "go").await;
    look::ended(&events, DoneReason::MaxBudget);
    assert_eq!(look::results(&events).len(), 2);
}

#[tokio::test]
async fn a_budget_of_money_needs_a_model_whose_price_is_known() {
    let stage = Stage::new();
    let agent = limited(talker(&stage.model(&[says("one")])), usd(1.0)).create();
    let error = assert_code(agent, ErrorCode::InvalidOptions);
    assert!(error.message.contains("maxBudgetTokens"), "{}", error.message);
    let agent = limited(talker(&priced(&stage, &[says("one")])), usd(1.0)).create().unwrap();
    assert_code(agent.set_model(&stage.model(&[says("one")])), ErrorCode::InvalidOptions);
}

#[tokio::test]
async fn a_budget_that_is_no_number_above_zero_is_refused() {
    let stage = Stage::new();
    for most in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let agent = limited(talker(&priced(&stage, &[says("one")])), usd(most)).create();
        assert_code(agent, ErrorCode::InvalidOptions);
    }
}
