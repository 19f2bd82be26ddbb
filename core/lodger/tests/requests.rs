//! A request to the host is opened once and settled once: by its handle or its id, from any thread, by whoever comes
//! first. Whatever is not a clear answer is a refusal.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lodger::embed::{self, Drained, Handlers, LaneItem};
use lodger::protocol::{DeniedBy, DoneReason, Entry, Event, EventBody, Outcome, PermissionAnswer, RequestKind};
use lodger::{Error, ErrorCode};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use serde_json::{Value, json};

use crate::support::script::{call, calls, says, step, write};
use crate::support::*;

const ALLOW: &str = r#"{"kind":"allow_once"}"#;
const DENY: &str = r#"{"kind":"deny","feedback":"not now"}"#;
const TOOL: &str = r#"{"content":[{"type":"text","text":"from the host"}]}"#;

/// An agent whose first step writes the file `f`, which the host is asked about.
fn writer(stage: &Stage, more: Value) -> embed::Agent {
    embedded(&stage.options(&[write("f", "x"), says("done")], more))
}

/// An agent whose first step calls the host's tool `mine`.
fn caller(stage: &Stage, more: Value) -> embed::Agent {
    let mut options = stage.options(&[calls("mine", json!({ "a": 1 })), says("done")], more);
    options["tools"] = json!([{ "name": "mine", "description": "", "inputSchema": { "type": "object" } }]);
    embedded(&options)
}

/// An agent whose first step makes so many calls, side by side, each of which may take so long.
fn caller_with(stage: &Stage, count: usize, timeout_ms: u64) -> embed::Agent {
    let calls: Vec<Value> = (0..count).map(|number| call("mine", json!({ "n": number }))).collect();
    let schema = json!({ "type": "object" });
    let tool = json!({
        "name": "mine", "description": "", "inputSchema": schema, "readOnly": true, "timeoutMs": timeout_ms,
    });
    embedded(&stage.options(&[step(&calls), says("done")], json!({ "tools": [tool] })))
}

fn start(agent: &embed::Agent) -> embed::Turn {
    agent.prompt("\"hello\"").unwrap()
}

/// The turn ended well, and its one request with that outcome. Returns what the model was told.
#[track_caller]
fn settled(events: &[Arc<Event>], outcome: Outcome) -> (String, bool) {
    look::ended(events, DoneReason::EndTurn);
    assert_eq!(look::outcomes(events), [outcome]);
    look::result(events)
}

fn denied_by(events: &[Arc<Event>]) -> Vec<DeniedBy> {
    look::entries(events)
        .filter_map(|entry| match entry {
            Entry::ToolDenied { by, .. } => Some(*by),
            _ => None,
        })
        .collect()
}

#[test]
fn is_answered_by_its_handle() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({}));
    let turn = start(&agent);
    next_request(&turn).answer(ALLOW).unwrap();
    settled(&drain(&turn), Outcome::AllowedOnce);
    assert!(stage.work("f").exists());
}

#[test]
fn is_answered_by_its_id() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({}));
    let turn = start(&agent);
    let request = next_request(&turn);
    agent.answer(request.request().request_id.as_str(), ALLOW).unwrap();
    assert!(request.is_settled());
    settled(&drain(&turn), Outcome::AllowedOnce);
}

#[test]
fn is_answered_by_the_method_of_that_name() {
    let stage = Stage::new();
    let agent = caller(&stage, json!({}));
    let turn = start(&agent);
    let request = next_request(&turn);
    let answer: Value = serde_json::from_str(TOOL).unwrap();
    let params = json!({ "requestId": request.request().request_id, "answer": answer });
    embed::call(&agent, "session/answer", &params.to_string()).unwrap();
    assert_eq!(settled(&drain(&turn), Outcome::Answered), ("from the host".to_owned(), false));
}

#[test]
fn is_answered_late_and_from_another_thread() {
    let stage = Stage::new();
    let agent = caller(&stage, json!({}));
    let turn = start(&agent);
    let request = next_request(&turn);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(150));
        request.answer(TOOL).unwrap();
    });
    assert_eq!(settled(&drain(&turn), Outcome::Answered).0, "from the host");
}

#[test]
fn the_second_answer_is_refused_and_changes_nothing() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({}));
    let turn = start(&agent);
    let request = next_request(&turn);
    request.answer(DENY).unwrap();
    assert_code(request.answer(ALLOW), ErrorCode::RequestSettled);
    let id = request.request().request_id.clone();
    assert_code(agent.answer(id.as_str(), ALLOW), ErrorCode::RequestSettled);
    settled(&drain(&turn), Outcome::Denied);
    assert_code(agent.answer(id.as_str(), ALLOW), ErrorCode::RequestSettled);
    assert!(!stage.work("f").exists());
}

#[test]
fn an_id_that_was_never_given_is_not_found() {
    let agent = writer(&Stage::new(), json!({}));
    let error = assert_code(agent.answer("req_none", ALLOW), ErrorCode::RequestNotFound);
    assert!(error.message.contains("req_none"), "{error}");
    assert_code(agent.fail_request("req_none", "why"), ErrorCode::RequestNotFound);
    assert_code(agent.progress("req_none", "text"), ErrorCode::RequestNotFound);
}

#[test]
fn of_another_agent_is_not_found() {
    let stage = Stage::new();
    let (agent, other) = (writer(&stage, json!({})), writer(&stage, json!({})));
    let turn = start(&agent);
    let request = next_request(&turn);
    assert_code(other.answer(request.request().request_id.as_str(), ALLOW), ErrorCode::RequestNotFound);
    assert!(!request.is_settled());
}

#[test]
fn a_dropped_handle_is_a_refusal() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({}));
    let turn = start(&agent);
    drop(next_request(&turn));
    let events = drain(&turn);
    let (told, is_error) = settled(&events, Outcome::Failed);
    assert!(is_error && told.contains("permission denied"), "{told}");
    assert_eq!(denied_by(&events), [DeniedBy::Host]);
    assert!(!stage.work("f").exists());
}

#[test]
fn a_handler_that_fails_is_a_refusal_with_its_reason() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({}));
    let turn = start(&agent);
    let request = next_request(&turn);
    agent.fail_request(request.request().request_id.as_str(), "the dialog crashed").unwrap();
    let events = drain(&turn);
    assert!(settled(&events, Outcome::Failed).0.contains("the dialog crashed"));
    assert_eq!(denied_by(&events), [DeniedBy::Host]);
}

#[test]
fn nonsense_in_place_of_a_permission_is_a_refusal() {
    let nonsense = [
        "",
        "null",
        "true",
        "allow_once",
        "\"allow_once\"",
        "{}",
        r#"{"kind":"allow"}"#,
        r#"{"kind":"ALLOW_ONCE"}"#,
        r#"{"kind":"allow_once","extra":1}"#,
        r#"{"kind":"allow_once"} {}"#,
        r#"{"kind":"deny","feedback":7}"#,
        r#"[{"kind":"allow_once"}]"#,
        TOOL,
        r#"{"approved":true}"#,
    ];
    for answer in nonsense {
        let stage = Stage::new();
        let agent = writer(&stage, json!({}));
        let turn = start(&agent);
        next_request(&turn).answer(answer).unwrap();
        let told = settled(&drain(&turn), Outcome::Failed).0;
        assert!(told.contains("not understood; expected {kind: 'allow_once'}"), "{answer}: {told}");
        assert!(!stage.work("f").exists(), "{answer}");
    }
}

#[test]
fn nonsense_in_place_of_a_tools_result_fails_the_call() {
    for answer in ["", "null", "\"text\"", "{}", r#"{"content":"text"}"#, r#"{"content":[{"type":"video"}]}"#, ALLOW] {
        let stage = Stage::new();
        let agent = caller(&stage, json!({}));
        let turn = start(&agent);
        next_request(&turn).answer(answer).unwrap();
        let (told, is_error) = settled(&drain(&turn), Outcome::Failed);
        assert!(is_error && told.contains("not understood"), "{answer}: {told}");
    }
}

#[tokio::test]
async fn a_handler_that_panics_refuses() {
    let stage = Stage::new();
    let broken = |_| async { panic!("no dialog here") };
    let agent = stage
        .agent(&[write("f", "x"), says("done")])
        .on_permission(move |asked| async move {
            broken(asked).await;
            PermissionAnswer::AllowOnce {}
        })
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    assert!(settled(&events, Outcome::Failed).0.contains("no dialog here"));
    assert!(!stage.work("f").exists());
}

#[test]
fn its_time_counts_from_when_the_host_has_it() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({ "permissionTimeoutMs": 800 }));
    let turn = start(&agent);
    let (_, mut events) = read_to_request(&turn);
    std::thread::sleep(Duration::from_millis(1200));
    next_request(&turn).answer(ALLOW).unwrap();
    events.extend(drain(&turn));
    settled(&events, Outcome::AllowedOnce);
}

#[test]
fn that_nobody_answers_expires_is_withdrawn_and_refused() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({ "permissionTimeoutMs": 100 }));
    let turn = start(&agent);
    let request = next_request(&turn);
    let id = request.request().request_id.clone();
    assert!(request.request().expires_at.is_some());
    let events = drain(&turn);
    assert!(settled(&events, Outcome::Expired).0.contains("100 ms"));
    assert_eq!(denied_by(&events), [DeniedBy::Timeout]);
    let items = lane_to_end(&turn);
    assert!(matches!(&items[0], LaneItem::Withdrawn(withdrawn) if *withdrawn == id), "{items:?}");
    assert_code(request.answer(ALLOW), ErrorCode::RequestSettled);
    assert!(!stage.work("f").exists());
}

#[test]
fn without_a_limit_it_says_no_time() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({ "permissionTimeoutMs": 0 }));
    let turn = start(&agent);
    assert_eq!(next_request(&turn).request().expires_at, None);
}

#[test]
fn a_handle_that_is_dropped_after_the_answer_changes_nothing() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({}));
    let turn = start(&agent);
    let request = next_request(&turn);
    request.answer(ALLOW).unwrap();
    drop(request);
    settled(&drain(&turn), Outcome::AllowedOnce);
}

#[test]
fn a_kind_without_a_handler_is_refused_at_once() {
    let stage = Stage::new();
    let mut options = stage.options(&[write("f", "x"), calls("mine", json!({})), says("done")], json!({}));
    options["tools"] = json!([{ "name": "mine", "description": "", "inputSchema": { "type": "object" } }]);
    let agent = embed::Agent::create(None, &options.to_string(), environment(), Handlers::default()).unwrap();
    let events = drain(&start(&agent));
    look::ended(&events, DoneReason::EndTurn);
    assert!(!look::kinds(&events).contains(&"request_opened".to_owned()), "nobody could answer it");
    let told = look::results(&events);
    assert!(told.iter().all(|(_, is_error)| *is_error), "{told:?}");
    assert!(told[0].0.contains("answers no permission requests"), "{told:?}");
    assert_eq!(denied_by(&events), [DeniedBy::Host]);
}

#[test]
fn asked_for_as_events_it_is_answered_by_its_id() {
    let stage = Stage::new();
    let options = stage.options(&[write("f", "x"), says("done")], json!({ "requests": "events" }));
    let agent = embed::Agent::create(None, &options.to_string(), environment(), Handlers::default()).unwrap();
    let turn = start(&agent);
    let (request, mut events) = read_to_request(&turn);
    assert_eq!(request.kind, RequestKind::Permission);
    assert_eq!(turn.take_lane_json(), None, "it stands in the events alone");
    agent.answer(request.request_id.as_str(), ALLOW).unwrap();
    events.extend(drain(&turn));
    settled(&events, Outcome::AllowedOnce);
}

#[test]
fn as_an_event_its_time_counts_from_when_the_event_is_taken() {
    let stage = Stage::new();
    let more = json!({ "requests": "events", "permissionTimeoutMs": 800 });
    let options = stage.options(&[write("f", "x"), says("done")], more);
    let agent = embed::Agent::create(None, &options.to_string(), environment(), Handlers::default()).unwrap();
    let turn = start(&agent);
    std::thread::sleep(Duration::from_millis(1200));
    let (request, mut events) = read_to_request(&turn);
    agent.answer(request.request_id.as_str(), ALLOW).unwrap();
    events.extend(drain(&turn));
    settled(&events, Outcome::AllowedOnce);
}

#[test]
fn settled_before_the_host_took_it_never_reaches_the_host() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({}));
    let turn = start(&agent);
    read_to_request(&turn);
    turn.cancel();
    turn.wait(Some(LONG)).unwrap();
    let items = lane_to_end(&turn);
    assert!(matches!(items.as_slice(), [LaneItem::Ended(_)]), "{items:?}");
}

#[test]
fn answered_by_id_alone_it_does_not_pile_up_in_the_lane() {
    let stage = Stage::new();
    let mut steps: Vec<Value> = (0..100).map(|_| calls("mine", json!({}))).collect();
    steps.push(says("done"));
    let mut options = stage.options(&steps, json!({}));
    options["tools"] = json!([{ "name": "mine", "description": "", "inputSchema": { "type": "object" } }]);
    let agent = embedded(&options);
    let turn = start(&agent);
    let mut events = Vec::new();
    loop {
        match turn.read(64, Some(LONG)).unwrap() {
            Drained::Events(some) => {
                for event in &some {
                    if let EventBody::Entry(Entry::RequestOpened { request }) = &event.body {
                        agent.answer(request.request_id.as_str(), TOOL).unwrap();
                    }
                }
                events.extend(some);
            }
            Drained::Empty => panic!("waited too long"),
            Drained::End => break,
        }
    }
    assert_eq!(look::outcomes(&events), [Outcome::Answered; 100]);
    assert!(lane_to_end(&turn).len() <= 3, "the lane holds what is open");
}

#[test]
fn its_hook_runs_once_when_it_is_settled_and_at_once_when_it_is() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({}));
    let turn = start(&agent);
    let request = next_request(&turn);
    let runs = Arc::new(AtomicUsize::new(0));
    let hook = || {
        let runs = Arc::clone(&runs);
        Box::new(move || {
            runs.fetch_add(1, Ordering::SeqCst);
        })
    };
    request.on_settled(hook());
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    request.answer(DENY).unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    request.on_settled(hook());
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    drain(&turn);
}

#[test]
fn stands_in_the_stream_from_its_opening_to_its_outcome() {
    let stage = Stage::new();
    let agent = writer(&stage, json!({}));
    let turn = start(&agent);
    let request = next_request(&turn);
    request.answer(DENY).unwrap();
    let events = drain(&turn);
    assert_eq!(
        look::kinds(&events)[..],
        [
            "user_message",
            "turn_start",
            "tool_input_delta",
            "assistant_message",
            "usage",
            "tool_call",
            "request_opened",
            "request_resolved",
            "tool_denied",
            "tool_result",
            "text_delta",
            "assistant_message",
            "usage",
            "done"
        ]
    );
    let opened = events.iter().find(|event| look::kind(event) == "request_opened").unwrap();
    let opened = serde_json::to_value(opened).unwrap();
    let handed: Value = serde_json::from_str(request.json()).unwrap();
    for key in ["requestId", "kind", "toolCallId", "expiresAt", "permission"] {
        assert_eq!(opened[key], handed[key], "{key}");
    }
}

/// Who comes to a request, and when.
#[derive(Clone, Copy, Debug)]
enum Comer {
    Handle,
    Id,
    Fail,
    Drop,
    Cancel,
    Close,
}

fn comers() -> impl Strategy<Value = Vec<(Comer, u64)>> {
    use Comer::{Cancel, Close, Drop, Fail, Handle, Id};
    let comer = prop_oneof![Just(Handle), Just(Id), Just(Fail), Just(Drop), Just(Cancel), Just(Close)];
    prop::collection::vec((comer, 0_u64..1500), 2..6)
}

/// Lets all come at once, each on a thread of its own; returns how many were told that they settled it.
fn let_come(comers: Vec<(Comer, u64)>, agent: &embed::Agent, turn: &embed::Turn, request: embed::OpenRequest) -> usize {
    let id = request.request().request_id.clone();
    let request = Arc::new(Mutex::new(Some(request)));
    let won = AtomicUsize::new(0);
    let count = |outcome: Result<(), Error>| match outcome {
        Ok(()) => {
            won.fetch_add(1, Ordering::SeqCst);
        }
        Err(error) => assert_eq!(error.code, ErrorCode::RequestSettled, "{error}"),
    };
    std::thread::scope(|scope| {
        for (comer, after) in comers {
            let (request, id, count) = (Arc::clone(&request), id.as_str(), &count);
            scope.spawn(move || {
                std::thread::sleep(Duration::from_micros(after));
                match comer {
                    Comer::Handle => {
                        if let Some(request) = &*request.lock().unwrap() {
                            count(request.answer(TOOL));
                        }
                    }
                    Comer::Id => count(agent.answer(id, TOOL)),
                    Comer::Fail => count(agent.fail_request(id, "failed")),
                    Comer::Drop => drop(request.lock().unwrap().take()),
                    Comer::Cancel => turn.cancel(),
                    Comer::Close => agent.close(LONG).unwrap(),
                }
            });
        }
    });
    won.into_inner()
}

fn one_outcome(comers: Vec<(Comer, u64)>, timeout_ms: u64) -> TestCaseResult {
    let stage = Stage::new();
    let agent = caller_with(&stage, 1, timeout_ms);
    let turn = start(&agent);
    let request = next_request(&turn);
    let answers = comers.iter().any(|(comer, _)| matches!(comer, Comer::Handle | Comer::Id));
    let ends = comers.iter().any(|(comer, _)| matches!(comer, Comer::Cancel | Comer::Close));
    let won = let_come(comers, &agent, &turn, request);
    let events = drain(&turn);
    let (reason, error) = look::whole(&events);
    prop_assert_eq!(error, None);
    prop_assert!(ends || reason == DoneReason::EndTurn);
    let outcomes = look::outcomes(&events);
    prop_assert_eq!(outcomes.len(), 1);
    prop_assert!(won <= 1, "{} were told that they settled it", won);
    match outcomes[0] {
        Outcome::Answered => prop_assert!(answers && won == 1),
        Outcome::Cancelled => prop_assert!(ends && won == 0),
        Outcome::Expired => prop_assert!(timeout_ms > 0 && won == 0),
        Outcome::Failed => {}
        other => prop_assert!(false, "unexpected {other:?}"),
    }
    let result = look::result(&events);
    prop_assert_eq!(outcomes[0] == Outcome::Answered, result == ("from the host".to_owned(), false));
    Ok(())
}

/// Answers some of several open requests from as many threads while the turn is cancelled.
fn each_one_outcome(answer_after: Vec<u64>, cancel_after: u64) -> TestCaseResult {
    let stage = Stage::new();
    let agent = caller_with(&stage, answer_after.len(), 0);
    let turn = start(&agent);
    let open = next_requests(&turn, answer_after.len());
    let told: Vec<(String, bool)> = std::thread::scope(|scope| {
        let answers: Vec<_> = open
            .iter()
            .zip(answer_after)
            .map(|(request, after)| {
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_micros(after));
                    (request.request().request_id.to_string(), request.answer(TOOL).is_ok())
                })
            })
            .collect();
        std::thread::sleep(Duration::from_micros(cancel_after));
        turn.cancel();
        answers.into_iter().map(|answer| answer.join().unwrap()).collect()
    });
    let events = drain(&turn);
    look::whole(&events);
    for (id, was_settled) in told {
        let outcome = look::entries(&events).find_map(|entry| match entry {
            Entry::RequestResolved { request_id, outcome, .. } if request_id.as_str() == id => Some(*outcome),
            _ => None,
        });
        prop_assert_eq!(outcome, Some(if was_settled { Outcome::Answered } else { Outcome::Cancelled }));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whoever comes, in whatever order: one outcome, and one of them at most is told that it was theirs.
    #[test]
    fn whoever_comes_there_is_one_outcome(comers in comers(), timeout_ms in prop_oneof![Just(0_u64), 1_u64..4]) {
        one_outcome(comers, timeout_ms)?;
    }

    /// A turn that is cancelled while answers come: each request has the outcome that its answerer was told.
    #[test]
    fn of_many_each_has_the_outcome_that_its_answerer_was_told(
        answer_after in prop::collection::vec(0_u64..800, 1..8),
        cancel_after in 0_u64..800,
    ) {
        each_one_outcome(answer_after, cancel_after)?;
    }
}

#[test]
fn an_answer_that_races_with_its_timeout_has_one_outcome() {
    let stage = Stage::new();
    for round in 0..40_u64 {
        let agent = caller_with(&stage, 1, 3);
        let turn = start(&agent);
        let request = next_request(&turn);
        std::thread::sleep(Duration::from_micros(2500 + 50 * round));
        let outcome = if request.answer(TOOL).is_ok() { Outcome::Answered } else { Outcome::Expired };
        settled(&drain(&turn), outcome);
    }
}

#[test]
fn of_one_reply_each_is_answered_on_its_own() {
    let stage = Stage::new();
    let agent = caller_with(&stage, 3, 0);
    let turn = start(&agent);
    let mut open = next_requests(&turn, 3);
    open.sort_by_key(|request| request.request().tool_call_id.clone().map(|id| id.to_string()));
    open[2].answer(TOOL).unwrap();
    open[0].fail("the first failed").unwrap();
    open[1].answer(r#"{"error":"the second failed"}"#).unwrap();
    let events = drain(&turn);
    look::ended(&events, DoneReason::EndTurn);
    let told: Vec<_> = look::results(&events).into_iter().map(|(text, _)| text).collect();
    assert_eq!(told, ["the first failed", "the second failed", "from the host"]);
}
