//! A model that fails before its first output is followed by the next one of the list, on the same step.

use std::collections::BTreeMap;
use std::sync::Arc;

use lodger::protocol::{AgentOptions, DoneReason, Entry, Environment, Event, EventBody, Limits, Passing};
use lodger::{Agent, AgentBuilder, ErrorCode};
use lodger_kit::{FaultRule, MockOptions, MockServer, WireFault};
use serde_json::{Value, json};

use crate::support::script::{calls, said, says};
use crate::support::*;

/// One provider of each protocol.
const PROVIDERS: [&str; 4] = ["anthropic", "openai", "google", "xai"];

fn refuses(status: u16) -> WireFault {
    WireFault::Status { status, headers: BTreeMap::new(), body: None }
}

fn always(steps: &[Value], fault: WireFault) -> MockServer {
    server_with(steps, MockOptions { faults: vec![FaultRule::always(fault)], ..MockOptions::default() })
}

/// Where each provider is, with a key for it.
fn at(servers: &[(&str, &MockServer)]) -> Environment {
    Environment::new(servers.iter().flat_map(|(provider, server)| {
        let name = provider.to_uppercase();
        [(format!("{name}_BASE_URL"), server.base_url()), (format!("{name}_API_KEY"), format!("sk-{provider}"))]
    }))
}

/// Without retries, so that no test waits.
fn chain(models: &[&str]) -> AgentBuilder {
    let names: Vec<String> = models.iter().map(|model| (*model).to_owned()).collect();
    Agent::builder().options(AgentOptions {
        model: names.first().cloned(),
        fallback_models: names[1..].to_vec(),
        limits: Limits { max_retries: 0, ..Limits::default() },
        ..AgentOptions::default()
    })
}

/// A script whose first reply fails so, before any output.
fn failing(stage: &Stage, code: &str) -> String {
    stage.model(&[json!({ "fault": { "type": "error", "code": code, "message": "no" } })])
}

/// From, to and status of each fallback.
fn fallbacks(events: &[Arc<Event>]) -> Vec<(String, String, Option<u16>)> {
    let told = events.iter().filter_map(|event| match &event.body {
        EventBody::Passing(Passing::Fallback { from_model, to_model, reason, status }) => {
            assert!(reason.contains(": "), "{reason}");
            Some((from_model.clone(), to_model.clone(), *status))
        }
        _ => None,
    });
    told.collect()
}

/// The models that wrote the replies.
fn writers(events: &[Arc<Event>]) -> Vec<String> {
    let replies = look::entries(events).filter_map(|entry| match entry {
        Entry::AssistantMessage { model, .. } => Some(model.clone()),
        _ => None,
    });
    replies.collect()
}

#[tokio::test]
async fn another_provider_carries_on_whichever_protocol_either_speaks() {
    for (place, from) in PROVIDERS.into_iter().enumerate() {
        let to = PROVIDERS[(place + 1) % PROVIDERS.len()];
        let (broken, sound) = (always(&[says("never")], refuses(529)), server(&[says("hello")]));
        let (from_model, to_model) = (format!("{from}/mock"), format!("{to}/mock"));
        let agent =
            chain(&[&from_model, &to_model]).environment(at(&[(from, &broken), (to, &sound)])).create().unwrap();
        let events = play(&agent, "hi").await;
        look::ended(&events, DoneReason::EndTurn);
        assert_eq!(fallbacks(&events), [(from_model, to_model.clone(), Some(529))]);
        assert_eq!((writers(&events), look::text(&events).as_str()), (vec![to_model], "hello"));
        assert_eq!((broken.stats().requests, sound.stats().requests), (1, 1), "{from} to {to}");
        assert!(!sound.stats().heads[0].contains(&format!("sk-{from}")), "a key for another provider");
    }
}

#[tokio::test]
async fn the_conversation_goes_on_where_it_stood_and_the_next_prompt_begins_with_the_first_model() {
    let stage = Stage::new();
    stage.put("a.txt", "words of a file");
    let look_at = json!({ "reply": [
        { "type": "thinking", "text": "hm", "signature": "sig" },
        { "type": "tool_call", "toolName": "read_file", "input": { "path": "a.txt" } },
    ] });
    let first = server_of(
        &json!({ "steps": [look_at, says("unsaid"), says("unsaid"), says("back again")] }),
        MockOptions { faults: vec![FaultRule::on(2, refuses(503))], ..MockOptions::default() },
    );
    let second = server(&[says("unasked"), calls("read_file", json!({ "path": "a.txt" })), says("both read")]);
    let agent = chain(&["anthropic/mock", "openai/mock"])
        .environment(at(&[("anthropic", &first), ("openai", &second)]))
        .cwd(stage.work("").display().to_string())
        .create()
        .unwrap();
    let events = play(&agent, "read it").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(writers(&events), ["anthropic/mock", "openai/mock", "openai/mock"], "to the end of the turn");
    assert_eq!((fallbacks(&events).len(), look::results(&events).len()), (1, 2));
    let taken_over = second.stats().bodies[0].to_string();
    assert!(taken_over.contains("words of a file") && !taken_over.contains("sig"), "{taken_over}");
    assert!(second.stats().flaws.is_empty(), "{:?}", second.stats().flaws);

    first.set_faults(Vec::new());
    let restored = chain(&["anthropic/mock", "openai/mock"])
        .environment(at(&[("anthropic", &first), ("openai", &second)]))
        .checkpoint(agent.checkpoint().unwrap())
        .create()
        .unwrap();
    let events = play(&restored, "again").await;
    assert_eq!(writers(&events), ["anthropic/mock"]);
    assert!(first.stats().flaws.is_empty(), "{:?}", first.stats().flaws);
}

#[tokio::test]
async fn each_model_has_its_own_retries_and_a_wait_that_is_too_long_is_not_waited() {
    let headers = BTreeMap::from([("retry-after".to_owned(), "3600".to_owned())]);
    let limited = always(&[says("never")], WireFault::Status { status: 429, headers, body: None });
    let busy = always(&[says("never")], refuses(500));
    let sound = server(&[says("hello")]);
    let agent = chain(&["anthropic/mock", "openai/mock", "google/mock"])
        .environment(at(&[("anthropic", &limited), ("openai", &busy), ("google", &sound)]))
        .limits(Limits { max_retries: 1, ..Limits::default() })
        .create()
        .unwrap();
    let events = play(&agent, "hi").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(fallbacks(&events).iter().map(|told| told.2).collect::<Vec<_>>(), [Some(429), Some(500)]);
    assert_eq!([&limited, &busy, &sound].map(|server| server.stats().requests), [1, 2, 1]);
}

#[tokio::test]
async fn what_another_model_cannot_mend_ends_the_turn() {
    for code in ["context_overflow", "provider_rejected"] {
        let stage = Stage::new();
        let agent = chain(&[&failing(&stage, code), &stage.model(&[says("unasked")])]).create().unwrap();
        let events = play(&agent, "hi").await;
        assert_eq!(look::whole(&events).1.unwrap().code.as_str(), code);
        assert!(fallbacks(&events).is_empty());
    }
}

#[tokio::test]
async fn a_reply_that_was_shown_is_never_written_anew() {
    let stage = Stage::new();
    let cut = json!({ "reply": [said("half")], "fault": { "type": "cut", "afterParts": 1 } });
    let agent = chain(&[&stage.model(&[cut]), &stage.model(&[says("unasked")])]).create().unwrap();
    let events = play(&agent, "hi").await;
    look::failed(&events, ErrorCode::ProviderStreamCut);
    assert!(fallbacks(&events).is_empty());
}

#[tokio::test]
async fn a_key_that_is_not_taken_is_mended_by_another_provider_alone() {
    let (closed, open) = (always(&[says("never")], refuses(401)), server(&[says("hello")]));
    let agent = chain(&["anthropic/mock", "anthropic/other", "openai/mock"])
        .environment(at(&[("anthropic", &closed), ("openai", &open)]))
        .create()
        .unwrap();
    let events = play(&agent, "hi").await;
    assert_eq!(fallbacks(&events), [("anthropic/mock".to_owned(), "openai/mock".to_owned(), Some(401))]);
    assert_eq!(closed.stats().requests, 1);
}

#[tokio::test]
async fn a_model_that_is_not_there_is_followed_by_the_next_of_the_same_provider() {
    let server = server_with(
        &[says("hello")],
        MockOptions { faults: vec![FaultRule::on(1, refuses(404))], ..MockOptions::default() },
    );
    let agent =
        chain(&["anthropic/gone", "anthropic/mock"]).environment(at(&[("anthropic", &server)])).create().unwrap();
    let events = play(&agent, "hi").await;
    assert_eq!(writers(&events), ["anthropic/mock"]);
}

#[tokio::test]
async fn when_all_have_failed_the_turn_ends_with_the_last_failure() {
    let stage = Stage::new();
    let models = ["provider_overloaded", "model_not_found"].map(|code| failing(&stage, code));
    let agent = chain(&[&models[0], &models[1]]).create().unwrap();
    let events = play(&agent, "hi").await;
    look::failed(&events, ErrorCode::ModelNotFound);
    assert_eq!(fallbacks(&events).len(), 1);
}

#[tokio::test]
async fn a_turn_is_cancelled_in_whichever_model() {
    let (broken, silent) = (always(&[says("never")], refuses(529)), always(&[says("never")], WireFault::Silence));
    let agent = chain(&["anthropic/mock", "openai/mock"])
        .environment(at(&[("anthropic", &broken), ("openai", &silent)]))
        .create()
        .unwrap();
    let mut turn = agent.prompt("hi").unwrap();
    let mut events = read_to(&mut turn, "fallback").await;
    turn.cancel();
    events.extend(read(&mut turn).await);
    look::ended(&events, DoneReason::Cancelled);
}

#[tokio::test]
async fn a_model_that_is_set_takes_the_head_of_the_list() {
    let stage = Stage::new();
    let failing = failing(&stage, "provider_unavailable");
    let last = stage.model(&[says("of the list")]);
    let agent = chain(&[&stage.model(&[says("unasked")]), &last]).create().unwrap();
    agent.set_model(&failing).unwrap();
    let events = play(&agent, "hi").await;
    assert_eq!(fallbacks(&events), [(failing, last, None)]);
}

#[tokio::test]
async fn the_price_and_the_budget_are_those_of_the_model_that_answered() {
    let stage = Stage::new();
    let priced = |price: f64, step: Value| {
        stage.model_of(&json!({ "steps": [step], "price": { "input": price, "output": price } }))
    };
    let broken = json!({ "fault": { "type": "error", "code": "provider_overloaded" } });
    let mut answer = says("hello");
    answer["usage"] = json!({ "inputTokens": 1000, "outputTokens": 1000 });
    let limits = Limits { max_budget_usd: Some(1.0), ..Limits::default() };
    let models = [priced(1.0, broken), priced(5.0, answer)];
    let agent = chain(&[&models[0], &models[1]]).limits(limits.clone()).create().unwrap();
    let result = agent.prompt("hi").unwrap().result().await.unwrap();
    assert_eq!(result.cost_usd, Some(0.01));

    let unpriced = stage.model(&[says("hello")]);
    let error = assert_code(chain(&[&models[0], &unpriced]).limits(limits).create(), ErrorCode::InvalidOptions);
    assert!(error.message.contains(&unpriced), "{}", error.message);
}

#[tokio::test]
async fn each_model_is_told_its_own_bound_of_a_reply() {
    let stage = Stage::new();
    let models = json!([
        { "provider": "anthropic", "id": "mock", "maxOutputTokens": 9000 },
        { "provider": "openai", "id": "mock", "maxOutputTokens": 70 },
    ]);
    let catalogue = stage.put("catalogue.json", &json!({ "models": models }).to_string());
    let (broken, sound) = (always(&[says("never")], refuses(529)), server(&[says("hello")]));
    let agent = Agent::builder()
        .options(AgentOptions {
            model: Some("anthropic/mock".to_owned()),
            fallback_models: vec!["openai/mock".to_owned()],
            catalogue: Some(catalogue.display().to_string()),
            limits: Limits { max_retries: 0, ..Limits::default() },
            ..AgentOptions::default()
        })
        .environment(at(&[("anthropic", &broken), ("openai", &sound)]))
        .create()
        .unwrap();
    look::ended(&play(&agent, "hi").await, DoneReason::EndTurn);
    assert_eq!(broken.stats().bodies[0]["max_tokens"], 9000);
    assert_eq!(sound.stats().bodies[0]["max_output_tokens"], 70);
}

#[tokio::test]
async fn a_list_that_could_not_carry_on_is_refused_and_its_entry_named() {
    let keys = Environment::new([("ANTHROPIC_API_KEY".to_owned(), "sk-x".to_owned())]);
    let wrong = |fallbacks: &[&str], code: ErrorCode, told: &str| {
        let models: Vec<&str> = std::iter::once("anthropic/mock").chain(fallbacks.iter().copied()).collect();
        let error = assert_code(chain(&models).environment(keys.clone()).create(), code);
        assert!(error.message.contains(told), "{}", error.message);
    };
    wrong(&["anthropic/b", "nobody/x"], ErrorCode::InvalidOptions, "option fallbackModels[1]: the provider `nobody`");
    wrong(&["openai/x"], ErrorCode::ProviderAuth, "option fallbackModels[0]: no API key for `openai`");
    wrong(&["claude"], ErrorCode::InvalidOptions, "option fallbackModels[0]");
    wrong(&["anthropic/b", "anthropic/b"], ErrorCode::InvalidOptions, "option fallbackModels[1]");
    let many: Vec<String> = (0..9).map(|number| format!("anthropic/{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    wrong(&many, ErrorCode::InvalidOptions, "at most 8");
}
