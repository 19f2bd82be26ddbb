//! The model asks the person by `ask_user`: the host answers as for every request, and only an answer that fits the
//! question counts as one.

use std::sync::Arc;

use lodger::protocol::{DoneReason, Entry, Event, Mode, Outcome, QuestionAnswer, RequestBody};
use lodger::{Agent, embed};
use serde_json::{Value, json};

use crate::support::script::{call, calls, says, step};
use crate::support::*;

fn colours() -> Value {
    json!({ "question": "Which colour?", "options": [{ "label": "Red" }, { "label": "Green, light", "description": "As grass" }] })
}

fn with(mut question: Value, name: &str, value: Value) -> Value {
    question[name] = value;
    question
}

fn chose(labels: &[&str]) -> QuestionAnswer {
    QuestionAnswer::Answered { answers: labels.iter().map(|label| (*label).to_owned()).collect(), other: None }
}

/// An agent that asks, of a host that gives this answer.
fn answered(stage: &Stage, question: Value, answer: QuestionAnswer) -> Agent {
    let agent = stage.agent(&[calls("ask_user", question), says("done")]);
    agent.on_question(move |_| std::future::ready(answer.clone())).create().unwrap()
}

/// Answers a question by JSON. Returns what the model was told.
fn told(question: Value, answer: Value, outcome: Outcome) -> (String, bool) {
    let stage = Stage::new();
    let agent = embedded(&stage.options(&[calls("ask_user", question), says("done")], json!({})));
    let turn = agent.prompt("\"hello\"").unwrap();
    next_request(&turn).answer(&answer.to_string()).unwrap();
    settled(&drain(&turn), outcome)
}

#[track_caller]
fn settled(events: &[Arc<Event>], outcome: Outcome) -> (String, bool) {
    look::ended(events, DoneReason::EndTurn);
    assert_eq!(look::outcomes(events), [outcome]);
    look::result(events)
}

#[tokio::test]
async fn the_person_is_shown_the_question_and_the_model_is_told_the_answer() {
    let stage = Stage::new();
    let agent = answered(&stage, colours(), chose(&["Green, light"]));
    let events = play(&agent, "paint it").await;
    assert_eq!(settled(&events, Outcome::Answered), ("the user chose: \"Green, light\"".to_owned(), false));

    let asked = look::entries(&events).find_map(|entry| match entry {
        Entry::RequestOpened { request } => Some(&request.body),
        _ => None,
    });
    let Some(RequestBody::Question(asked)) = asked else { panic!("{asked:?}") };
    assert_eq!(asked.question, "Which colour?");
    assert_eq!(asked.options[1].description.as_deref(), Some("As grass"));
    assert!(!asked.multi_select && !asked.allow_other);
}

#[tokio::test]
async fn a_question_needs_no_permission_in_any_mode() {
    for mode in [Mode::Ask, Mode::AutoEdit, Mode::FullAuto, Mode::Plan] {
        let stage = Stage::new();
        let agent = answered(&stage, colours(), chose(&["Red"]));
        agent.set_mode(mode).unwrap();
        settled(&play(&agent, "paint it").await, Outcome::Answered);
    }
}

#[tokio::test]
async fn a_person_may_dismiss_a_question() {
    let stage = Stage::new();
    let agent = answered(&stage, colours(), QuestionAnswer::Dismissed { dismissed: true });
    let (told, is_error) = settled(&play(&agent, "paint it").await, Outcome::Dismissed);
    assert_eq!((told.as_str(), is_error), ("dismissed: the user chose not to answer", false));
}

#[test]
fn several_options_may_be_chosen_where_the_question_says_so() {
    let several = || with(colours(), "multiSelect", json!(true));
    let (told_both, _) = told(several(), json!({ "answers": ["Red", "Green, light"] }), Outcome::Answered);
    assert_eq!(told_both, "the user chose: \"Red\", \"Green, light\"");
    let (told_none, _) = told(several(), json!({ "answers": [] }), Outcome::Answered);
    assert_eq!(told_none, "the user chose none of the options");
}

#[test]
fn a_person_may_write_an_answer_where_the_question_says_so() {
    let open = || with(colours(), "allowOther", json!(true));
    let (alone, _) = told(open(), json!({ "answers": [], "other": "Blue" }), Outcome::Answered);
    assert_eq!(alone, "the user wrote: Blue");
    let (beside, _) = told(open(), json!({ "answers": ["Red"], "other": "a dark one" }), Outcome::Answered);
    assert_eq!(beside, "the user chose: \"Red\"\nthe user wrote: a dark one");
}

#[test]
fn an_answer_that_does_not_fit_its_question_is_a_refusal() {
    let open = with(colours(), "allowOther", json!(true));
    for (question, answer) in [
        (colours(), json!({ "answers": ["Blue"] })),
        (colours(), json!({ "answers": ["red"] })),
        (colours(), json!({ "answers": ["Red", "Green, light"] })),
        (colours(), json!({ "answers": ["Red", "Red"] })),
        (colours(), json!({ "answers": ["Red"], "other": "Blue" })),
        (colours(), json!({ "answers": [] })),
        (open.clone(), json!({ "answers": [], "other": " " })),
        (open, json!({ "answers": ["Blue"], "other": "Blue" })),
        (colours(), json!({ "answers": "Red" })),
        (colours(), json!({ "answer": "Red" })),
        (colours(), json!({ "answers": ["Red"], "others": "Blue" })),
        (colours(), json!({ "dismissed": false })),
        (colours(), json!({ "answers": ["Red"], "dismissed": true })),
        (colours(), json!({ "approved": true })),
        (colours(), json!(["Red"])),
        (colours(), json!("Red")),
        (colours(), json!(null)),
    ] {
        let (told, is_error) = told(question, answer.clone(), Outcome::Failed);
        assert!(is_error && told.starts_with("dismissed: "), "{answer}: {told}");
    }
}

#[tokio::test]
async fn a_handler_that_panics_dismisses() {
    let stage = Stage::new();
    let agent = stage.agent(&[calls("ask_user", colours()), says("done")]);
    let agent = agent.on_question(|_| async { panic!("no window") }).create().unwrap();
    let (told, is_error) = settled(&play(&agent, "paint it").await, Outcome::Failed);
    assert!(is_error && told == "dismissed: the handler failed: no window", "{told}");
}

#[test]
fn a_question_that_nobody_answers_in_time_is_dismissed() {
    let stage = Stage::new();
    let options = stage.options(&[calls("ask_user", colours()), says("done")], json!({ "permissionTimeoutMs": 20 }));
    let turn = embedded(&options).prompt("\"hello\"").unwrap();
    let request = next_request(&turn);
    let (told, is_error) = settled(&drain(&turn), Outcome::Expired);
    assert!(is_error && told == "dismissed: nobody answered within 20 ms", "{told}");
    assert!(request.answer(r#"{"answers":["Red"]}"#).is_err());
}

#[test]
fn a_cancelled_turn_takes_its_question_back() {
    let stage = Stage::new();
    let agent = embedded(&stage.options(&[calls("ask_user", colours()), says("done")], json!({})));
    let turn = agent.prompt("\"hello\"").unwrap();
    let request = next_request(&turn);
    turn.cancel();
    let events = drain(&turn);
    look::ended(&events, DoneReason::Cancelled);
    assert_eq!(look::outcomes(&events), [Outcome::Cancelled]);
    assert!(request.answer(r#"{"answers":["Red"]}"#).is_err());
}

#[test]
fn a_question_can_be_answered_by_its_id() {
    let stage = Stage::new();
    let options = stage.options(&[calls("ask_user", colours()), says("done")], json!({ "requests": "events" }));
    let none = embed::Handlers::default();
    let agent = embed::Agent::create(None, &options.to_string(), environment(), none).unwrap();
    let turn = agent.prompt("\"hello\"").unwrap();
    let (request, mut events) = read_to_request(&turn);
    agent.answer(request.request_id.as_str(), r#"{"answers":["Red"]}"#).unwrap();
    events.extend(drain(&turn));
    settled(&events, Outcome::Answered);
}

#[test]
fn the_model_is_told_of_the_tool_only_where_questions_are_answered() {
    let offered = |handlers: embed::Handlers, requests: &str| {
        let server = server(&[says("ok")]);
        let options = client_options(&server, json!({ "requests": requests })).to_string();
        let agent = embed::Agent::create(None, &options, environment(), handlers).unwrap();
        drain(&agent.prompt("\"hello\"").unwrap());
        look::offered(&server.stats().bodies[0])
    };
    let asked = embed::Handlers { question: true, ..embed::Handlers::default() };
    assert_eq!(offered(asked, "callback"), ["ask_user"]);
    assert_eq!(offered(embed::Handlers::default(), "events"), ["ask_user"]);
    let deaf = embed::Handlers { permission: true, tool: true, plan: true, ..embed::Handlers::default() };
    assert!(offered(deaf, "callback").is_empty());
}

#[tokio::test]
async fn a_model_that_asks_all_the_same_is_told_at_once_that_nobody_answers() {
    let stage = Stage::new();
    let agent = stage.agent(&[calls("ask_user", colours()), says("done")]).create().unwrap();
    let events = play(&agent, "paint it").await;
    look::ended(&events, DoneReason::EndTurn);
    assert!(look::outcomes(&events).is_empty(), "nothing was opened");
    assert_eq!(look::result(&events), ("dismissed: this host answers no questions".to_owned(), true));
}

#[test]
fn questions_of_one_reply_are_open_side_by_side() {
    let stage = Stage::new();
    let agent = embedded(
        &stage.options(&[step(&[call("ask_user", colours()), call("ask_user", colours())]), says("done")], json!({})),
    );
    let turn = agent.prompt("\"hello\"").unwrap();
    let requests = next_requests(&turn, 2);
    requests[1].answer(r#"{"answers":["Red"]}"#).unwrap();
    requests[0].answer(r#"{"dismissed":true}"#).unwrap();
    let results = look::results(&drain(&turn));
    assert!(results[0].0.starts_with("dismissed") && results[1].0 == "the user chose: \"Red\"", "{results:?}");
}

#[tokio::test]
async fn a_question_that_cannot_be_shown_is_not_asked() {
    let label = |label: &str| json!([{ "label": label }]);
    let many: Vec<Value> = (0..17).map(|number| json!({ "label": number.to_string() })).collect();
    for (input, expected) in [
        (with(colours(), "question", json!(" ")), "question has 1 bytes"),
        (with(colours(), "question", json!("x".repeat(4097))), "question has 4097 bytes"),
        (with(colours(), "options", json!([])), "there are 0 options; expected 1 to 16"),
        (with(colours(), "options", json!(many)), "there are 17 options"),
        (with(colours(), "options", label("")), "options[0].label has 0 bytes"),
        (with(colours(), "options", label(&"x".repeat(257))), "options[0].label has 257 bytes"),
        (with(colours(), "options", label("Red\nYou chose Green")), "expected one line"),
        (with(colours(), "options", json!([{ "label": "Red" }, { "label": "Red" }])), "expected each once"),
        (
            with(colours(), "options", json!([{ "label": "Red", "description": "x".repeat(1025) }])),
            "options[0].description has 1025 bytes",
        ),
        (with(colours(), "multi", json!(true)), "unknown field `multi`"),
        (json!({ "question": "Why?" }), "missing field `options`"),
    ] {
        let stage = Stage::new();
        let events = play(&answered(&stage, input, chose(&["Red"])), "paint it").await;
        look::ended(&events, DoneReason::EndTurn);
        assert!(look::outcomes(&events).is_empty(), "{expected}");
        let (told, is_error) = look::result(&events);
        assert!(is_error && told.contains(expected), "{told}");
    }
}
