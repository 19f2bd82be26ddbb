//! The model's task list: an event for people, and a call like any other in the conversation.

use std::sync::Arc;

use lodger::protocol::{DoneReason, Event, EventBody, Mode, Passing, Task, TaskStatus};
use serde_json::{Value, json};

use crate::support::script::{call, calls, says, step};
use crate::support::*;

fn update(tasks: Value) -> Value {
    calls("task_update", json!({ "tasks": tasks }))
}

fn task(subject: &str, status: &str) -> Value {
    json!({ "subject": subject, "status": status })
}

/// Every list that was shown.
fn lists(events: &[Arc<Event>]) -> Vec<Vec<Task>> {
    let list = |event: &Arc<Event>| match &event.body {
        EventBody::Passing(Passing::TaskUpdate { tasks }) => Some(tasks.clone()),
        _ => None,
    };
    events.iter().filter_map(list).collect()
}

async fn played(steps: &[Value], mode: Mode) -> Vec<Arc<Event>> {
    let stage = Stage::new();
    let agent = stage.agent(steps).mode(mode).create().unwrap();
    let events = play(&agent, "go").await;
    look::ended(&events, DoneReason::EndTurn);
    events
}

async fn refused(tasks: Value) -> String {
    let events = played(&[update(tasks), says("done")], Mode::Ask).await;
    assert_eq!(lists(&events), Vec::<Vec<Task>>::new());
    let (told, is_error) = look::result(&events);
    assert!(is_error, "{told}");
    told
}

#[tokio::test]
async fn the_list_is_shown_before_the_result_in_every_mode() {
    for mode in [Mode::Ask, Mode::AutoEdit, Mode::FullAuto, Mode::Plan] {
        let list = json!([task("Look", "completed"), task("Mend", "in_progress"), task("Test", "pending")]);
        let events = played(&[update(list), says("done")], mode).await;
        assert_eq!(
            lists(&events),
            [[
                ("1", "Look", TaskStatus::Completed),
                ("2", "Mend", TaskStatus::InProgress),
                ("3", "Test", TaskStatus::Pending)
            ]
            .map(|(id, subject, status)| Task { id: id.to_owned(), subject: subject.to_owned(), status })]
        );
        let told = "the user sees the list: 1 completed, 1 in progress, 1 pending";
        assert_eq!(look::result(&events), (told.to_owned(), false));
        let kinds = look::kinds(&events);
        let place = |kind: &str| kinds.iter().position(|other| other == kind).unwrap();
        assert!(place("task_update") < place("tool_result"), "{kinds:?}");
    }
}

#[tokio::test]
async fn lists_of_one_reply_are_shown_in_call_order() {
    let list = |subject: &str| call("task_update", json!({ "tasks": [task(subject, "pending")] }));
    let events = played(&[step(&[list("one"), list("two"), list("three")]), says("done")], Mode::Ask).await;
    let subjects: Vec<_> = lists(&events).into_iter().map(|tasks| tasks[0].subject.clone()).collect();
    assert_eq!(subjects, ["one", "two", "three"]);
}

#[tokio::test]
async fn ids_of_the_model_stay_and_an_empty_list_is_one() {
    let named = json!([{ "id": "a", "subject": "x", "status": "pending" }]);
    let events = played(&[update(named), update(json!([])), says("done")], Mode::Ask).await;
    let ids: Vec<Vec<_>> =
        lists(&events).into_iter().map(|tasks| tasks.into_iter().map(|task| task.id).collect()).collect();
    assert_eq!(ids, [vec!["a".to_owned()], Vec::new()]);
}

#[tokio::test]
async fn the_call_is_kept_in_a_checkpoint() {
    let stage = Stage::new();
    let agent = stage.agent(&[update(json!([task("kept", "pending")])), says("done")]).create().unwrap();
    look::ended(&play(&agent, "go").await, DoneReason::EndTurn);
    let bytes = agent.checkpoint().unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("kept"));
}

#[tokio::test]
async fn what_is_over_a_bound_is_told_with_its_place() {
    let many = |count: usize| json!(vec![task("x", "pending"); count]);
    assert!(refused(many(101)).await.contains("101 tasks"));
    assert_eq!(lists(&played(&[update(many(100)), says("done")], Mode::Ask).await)[0].len(), 100);
    for (tasks, complaint) in [
        (json!([task("", "pending")]), "tasks[0].subject has 0 bytes"),
        (json!([task(&"x".repeat(513), "pending")]), "tasks[0].subject has 513 bytes"),
        (json!([task("two\nlines", "pending")]), "tasks[0].subject"),
        (json!([task("x", "done")]), "tasks[0].status"),
        (json!([{ "id": "x".repeat(65), "subject": "x", "status": "pending" }]), "tasks[0].id has 65 bytes"),
        (json!([task("x", "pending"), { "id": "1", "subject": "y", "status": "pending" }]), "tasks[1].id is \"1\""),
        (json!("x"), "tasks"),
    ] {
        let told = refused(tasks).await;
        assert!(told.contains(complaint), "{told}");
    }
}
