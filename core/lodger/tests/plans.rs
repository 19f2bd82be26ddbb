//! The way out of plan mode: the model shows a plan by `present_plan`, and only the host's word lets it go ahead.

use std::sync::Arc;

use lodger::embed;
use lodger::protocol::{DoneReason, Entry, Event, Mode, Outcome, PlanAnswer, RequestBody};
use serde_json::{Value, json};

use crate::support::script::{call, calls, says, step, write};
use crate::support::*;

const PLAN: &str = "1. Write f";

fn presents() -> Value {
    calls("present_plan", json!({ "plan": PLAN }))
}

fn approved(mode: Option<Mode>) -> PlanAnswer {
    PlanAnswer { approved: true, mode, feedback: None }
}

fn rejected(feedback: &str) -> PlanAnswer {
    PlanAnswer { approved: false, mode: None, feedback: Some(feedback.to_owned()) }
}

/// What an agent in plan mode does that presents a plan and then writes `f`; the host answers like this, and refuses
/// every permission.
async fn played(stage: &Stage, answer: PlanAnswer) -> Vec<Arc<Event>> {
    let agent = stage
        .agent(&[presents(), write("f", "x"), says("done")])
        .mode(Mode::Plan)
        .on_plan(move |_| std::future::ready(answer.clone()))
        .create()
        .unwrap();
    let events = play(&agent, "plan it").await;
    look::ended(&events, DoneReason::EndTurn);
    events
}

/// Answers a plan by JSON.
fn told(answer: &Value) -> Vec<Arc<Event>> {
    let stage = Stage::new();
    let options = stage.options(&[presents(), write("f", "x"), says("done")], json!({ "mode": "plan" }));
    let turn = embedded(&options).prompt("\"plan it\"").unwrap();
    next_request(&turn).answer(&answer.to_string()).unwrap();
    let events = drain(&turn);
    assert!(!stage.work("f").exists(), "{answer}");
    events
}

fn modes(events: &[Arc<Event>]) -> Vec<Mode> {
    look::entries(events)
        .filter_map(|entry| match entry {
            Entry::ModeChanged { mode } => Some(*mode),
            _ => None,
        })
        .collect()
}

fn first_result(events: &[Arc<Event>]) -> (String, bool) {
    look::results(events).remove(0)
}

#[tokio::test]
async fn the_person_is_shown_the_plan() {
    let stage = Stage::new();
    let events = played(&stage, rejected("no")).await;
    let asked = look::entries(&events).find_map(|entry| match entry {
        Entry::RequestOpened { request } => Some(&request.body),
        _ => None,
    });
    let Some(RequestBody::Plan(asked)) = asked else { panic!("{asked:?}") };
    assert_eq!(asked.plan, PLAN);
}

#[tokio::test]
async fn an_approved_plan_goes_on_in_the_mode_that_the_person_chose() {
    let stage = Stage::new();
    let events = played(&stage, approved(Some(Mode::AutoEdit))).await;
    assert_eq!(look::outcomes(&events), [Outcome::Approved]);
    assert_eq!(modes(&events), [Mode::AutoEdit]);
    let told = "approved: plan mode is over; go ahead, in auto-edit mode".to_owned();
    assert_eq!(first_result(&events), (told, false));
    assert!(stage.work("f").exists());
}

#[tokio::test]
async fn an_approved_plan_without_a_mode_asks_before_every_change() {
    let stage = Stage::new();
    let events = played(&stage, approved(None)).await;
    assert_eq!(modes(&events), [Mode::Ask]);
    assert_eq!(first_result(&events), ("approved: plan mode is over; go ahead".to_owned(), false));
    let (told, is_error) = look::results(&events).remove(1);
    assert!(is_error && told.contains("approval is needed"), "{told}");
    assert!(!stage.work("f").exists());
}

#[tokio::test]
async fn a_rejected_plan_leaves_plan_mode_in_place_and_tells_the_model_why() {
    let stage = Stage::new();
    let events = played(&stage, rejected("too much")).await;
    assert_eq!(look::outcomes(&events), [Outcome::Rejected]);
    assert!(modes(&events).is_empty());
    let told = "rejected: the session stays in plan mode\nthe user says: too much".to_owned();
    assert_eq!(first_result(&events), (told, false));
    assert!(!stage.work("f").exists());
}

#[test]
fn a_mode_beside_a_rejection_changes_nothing() {
    let events = told(&json!({ "approved": false, "mode": "full-auto" }));
    assert_eq!(look::outcomes(&events), [Outcome::Rejected]);
    assert!(modes(&events).is_empty());
}

#[test]
fn an_approval_of_plan_mode_itself_changes_nothing() {
    let events = told(&json!({ "approved": true, "mode": "plan" }));
    assert_eq!(look::outcomes(&events), [Outcome::Approved]);
    assert!(modes(&events).is_empty());
    assert_eq!(first_result(&events).0, "approved, but the session stays in plan mode");
}

#[tokio::test]
async fn feedback_beside_an_approval_reaches_the_model() {
    let stage = Stage::new();
    let answer = PlanAnswer { feedback: Some("and test it".to_owned()), ..approved(Some(Mode::FullAuto)) };
    let (told, _) = first_result(&played(&stage, answer).await);
    assert!(told.ends_with("\nthe user says: and test it"), "{told}");
}

#[tokio::test]
async fn calls_beside_the_plan_run_in_plan_mode_whatever_the_person_says() {
    let stage = Stage::new();
    let input = json!({ "path": "f", "content": "x" });
    let agent = stage
        .agent(&[step(&[call("present_plan", json!({ "plan": PLAN })), call("write_file", input)]), says("done")])
        .mode(Mode::Plan)
        .on_plan(|_| std::future::ready(approved(Some(Mode::FullAuto))))
        .create()
        .unwrap();
    let events = play(&agent, "plan it").await;
    assert_eq!(modes(&events), [Mode::FullAuto]);
    assert!(!stage.work("f").exists(), "the person approved a plan, not what was called before it");
}

#[test]
fn an_answer_that_is_none_is_a_refusal_and_plan_mode_stays() {
    for answer in [
        json!({}),
        json!({ "approved": "yes" }),
        json!({ "approved": true, "mode": "yolo" }),
        json!({ "approved": true, "modes": "ask" }),
        json!({ "answers": ["yes"] }),
        json!({ "kind": "allow_once" }),
        json!([true]),
        json!(true),
        json!(null),
    ] {
        let events = told(&answer);
        assert_eq!(look::outcomes(&events), [Outcome::Failed], "{answer}");
        assert!(modes(&events).is_empty(), "{answer}");
        let (told, is_error) = first_result(&events);
        assert!(is_error && told.starts_with("rejected: "), "{answer}: {told}");
    }
}

#[tokio::test]
async fn a_handler_that_panics_rejects() {
    let stage = Stage::new();
    let agent = stage.agent(&[presents(), says("done")]).mode(Mode::Plan);
    let agent = agent.on_plan(|_| async { panic!("no window") }).create().unwrap();
    let events = play(&agent, "plan it").await;
    assert_eq!(look::outcomes(&events), [Outcome::Failed]);
    assert_eq!(look::result(&events), ("rejected: the handler failed: no window".to_owned(), true));
    assert!(modes(&events).is_empty());
}

#[test]
fn a_plan_that_nobody_answers_in_time_is_rejected() {
    let stage = Stage::new();
    let more = json!({ "mode": "plan", "permissionTimeoutMs": 20 });
    let turn = embedded(&stage.options(&[presents(), says("done")], more)).prompt("\"plan it\"").unwrap();
    let request = next_request(&turn);
    let events = drain(&turn);
    assert_eq!(look::outcomes(&events), [Outcome::Expired]);
    assert_eq!(look::result(&events), ("rejected: nobody answered within 20 ms".to_owned(), true));
    assert!(request.answer(r#"{"approved":true,"mode":"full-auto"}"#).is_err());
    assert!(modes(&events).is_empty());
}

#[test]
fn a_cancelled_turn_takes_its_plan_back() {
    let stage = Stage::new();
    let agent = embedded(&stage.options(&[presents(), says("done")], json!({ "mode": "plan" })));
    let turn = agent.prompt("\"plan it\"").unwrap();
    let request = next_request(&turn);
    turn.cancel();
    let events = drain(&turn);
    look::ended(&events, DoneReason::Cancelled);
    assert_eq!(look::outcomes(&events), [Outcome::Cancelled]);
    assert!(request.answer(r#"{"approved":true,"mode":"full-auto"}"#).is_err());
    assert!(modes(&events).is_empty());
}

#[test]
fn a_mode_that_the_host_set_meanwhile_outlives_an_approval_without_one() {
    let stage = Stage::new();
    let options = stage.options(&[presents(), write("f", "x"), says("done")], json!({ "mode": "plan" }));
    let agent = embedded(&options);
    let turn = agent.prompt("\"plan it\"").unwrap();
    let request = next_request(&turn);
    agent.set_mode("auto-edit").unwrap();
    request.answer(r#"{"approved":true}"#).unwrap();
    assert_eq!(modes(&drain(&turn)), [Mode::AutoEdit]);
    assert!(stage.work("f").exists());
}

#[test]
fn the_model_is_told_of_the_tool_in_plan_mode_only_and_only_where_plans_are_answered() {
    let offered = |plan: bool, more: Value| {
        let server = server(&[says("one"), says("two")]);
        let handlers = embed::Handlers { plan, ..embed::Handlers::default() };
        let options = client_options(&server, more).to_string();
        let agent = embed::Agent::create(None, &options, environment(), handlers).unwrap();
        drain(&agent.prompt("\"hello\"").unwrap());
        agent.set_mode("plan").unwrap();
        drain(&agent.prompt("\"hello\"").unwrap());
        let bodies = server.stats().bodies;
        [
            look::offered(&bodies[0]).contains(&PRESENT.to_owned()),
            look::offered(&bodies[1]).contains(&PRESENT.to_owned()),
        ]
    };
    const PRESENT: &str = "present_plan";
    assert_eq!(offered(true, json!({})), [false, true]);
    assert_eq!(offered(true, json!({ "mode": "plan" })), [true, true]);
    assert_eq!(offered(false, json!({ "requests": "events" })), [false, true]);
    assert_eq!(offered(false, json!({ "mode": "plan" })), [false, false]);
}

#[tokio::test]
async fn a_plan_is_shown_to_nobody_outside_of_plan_mode() {
    let stage = Stage::new();
    let agent = stage.agent(&[presents(), says("done")]);
    let agent = agent.on_plan(|_| std::future::ready(approved(Some(Mode::FullAuto)))).create().unwrap();
    let events = play(&agent, "plan it").await;
    assert!(look::outcomes(&events).is_empty(), "nothing was opened");
    let (told, is_error) = look::result(&events);
    assert!(is_error && told.contains("the session is in ask mode"), "{told}");
}

#[tokio::test]
async fn without_a_handler_a_plan_is_rejected_at_once() {
    let stage = Stage::new();
    let agent = stage.agent(&[presents(), says("done")]).mode(Mode::Plan).create().unwrap();
    let events = play(&agent, "plan it").await;
    look::ended(&events, DoneReason::EndTurn);
    assert!(look::outcomes(&events).is_empty(), "nothing was opened");
    assert_eq!(look::result(&events), ("rejected: this host answers no plans".to_owned(), true));
}

#[tokio::test]
async fn a_plan_that_cannot_be_shown_is_not_asked_about() {
    for (plan, expected) in
        [(json!(" "), "plan has 1 bytes"), (json!("x".repeat(65_537)), "plan has 65537 bytes"), (json!(1), "at plan")]
    {
        let stage = Stage::new();
        let agent = stage.agent(&[calls("present_plan", json!({ "plan": plan })), says("done")]).mode(Mode::Plan);
        let agent = agent.on_plan(|_| std::future::ready(approved(None))).create().unwrap();
        let events = play(&agent, "plan it").await;
        assert!(look::outcomes(&events).is_empty(), "{expected}");
        let (told, is_error) = look::result(&events);
        assert!(is_error && told.contains(expected), "{told}");
    }
}
