//! An agent that works where nobody is (`requests: 'none'`): whatever would wait for a person is refused at once, though
//! there are handlers and no time limit, and the model is told why.

use std::sync::Arc;

use lodger::protocol::{DeniedBy, DoneReason, Entry, Event};
use serde_json::{Value, json};

use crate::support::script::{calls, says, shell, write};
use crate::support::*;

/// Every handler is there and none of them ever answers.
fn played(stage: &Stage, steps: &[Value], more: Value) -> Vec<Arc<Event>> {
    let mut options = stage.options(steps, json!({ "requests": "none", "permissionTimeoutMs": 0 }));
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let events = drain(&embedded(&options).prompt("\"go on alone\"").unwrap());
    look::ended(&events, DoneReason::EndTurn);
    assert!(!look::kinds(&events).contains(&"request_opened".to_owned()), "nobody could answer it");
    events
}

#[test]
fn what_needs_permission_is_refused_and_the_model_goes_on() {
    let stage = Stage::new();
    let events = played(&stage, &[write("f", "x"), shell("true"), says("done")], json!({}));
    let told = look::results(&events);
    assert_eq!(told.len(), 2, "{told:?}");
    for (message, is_error) in told {
        assert!(is_error && message.starts_with("permission denied: "), "{message}");
        assert!(message.contains("answers no permission requests"), "{message}");
    }
    let denied = look::entries(&events).filter(|entry| matches!(entry, Entry::ToolDenied { by: DeniedBy::Host, .. }));
    assert_eq!(denied.count(), 2);
    assert!(!stage.work("f").exists());
}

#[test]
fn what_needs_none_runs() {
    let stage = Stage::new();
    let events = played(&stage, &[write("f", "x"), says("done")], json!({ "mode": "auto-edit" }));
    assert!(!look::result(&events).1);
    assert!(stage.work("f").exists());
}

#[test]
fn a_question_is_refused() {
    let stage = Stage::new();
    let question = json!({ "question": "Which?", "options": [{ "label": "a" }, { "label": "b" }] });
    let events = played(&stage, &[calls("ask_user", question), says("done")], json!({}));
    assert_eq!(look::result(&events), ("dismissed: this host answers no questions".to_owned(), true));
}

#[test]
fn a_plan_is_refused_and_plan_mode_stays() {
    let stage = Stage::new();
    let steps = [calls("present_plan", json!({ "plan": "write f" })), write("f", "x"), says("done")];
    let events = played(&stage, &steps, json!({ "mode": "plan" }));
    assert_eq!(look::results(&events)[0], ("rejected: this host answers no plans".to_owned(), true));
    assert!(!stage.work("f").exists());
}

#[test]
fn the_tools_that_ask_a_person_are_not_offered() {
    for mode in ["ask", "plan"] {
        let server = server(&[says("done")]);
        let options = json!({
            "model": "anthropic/mock",
            "auth": { "apiKey": "key" },
            "endpoint": { "kind": "anthropic", "baseUrl": server.base_url() },
            "requests": "none",
            "mode": mode,
        });
        look::ended(&drain(&embedded(&options).prompt("\"hello\"").unwrap()), DoneReason::EndTurn);
        assert_eq!(look::offered(&server.stats().bodies[0]), Vec::<String>::new());
    }
}

#[test]
fn tools_of_the_host_run() {
    let stage = Stage::new();
    let options = stage.options(
        &[calls("mine", json!({})), says("done")],
        json!({
            "requests": "none",
            "tools": [{ "name": "mine", "description": "", "inputSchema": { "type": "object" } }],
        }),
    );
    let turn = embedded(&options).prompt("\"hello\"").unwrap();
    next_request(&turn).answer(r#"{"content":[{"type":"text","text":"ran"}]}"#).unwrap();
    assert_eq!(look::result(&drain(&turn)), ("ran".to_owned(), false));
}
