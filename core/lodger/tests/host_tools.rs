//! Tools that the host runs: what they return, when they run side by side, and how they are bounded.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lodger::protocol::{
    Content, DoneReason, Effect, Entry, EventBody, Mode, Outcome, Passing, PermissionAnswer, ToolAnswer, ToolApproval,
    ToolOptions,
};
use lodger::{Agent, IntoToolAnswer, ToolCall};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::support::script::{call, calls, says, step};
use crate::support::*;

fn tool(name: &str) -> ToolOptions {
    ToolOptions {
        name: name.to_owned(),
        description: "for tests".to_owned(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: false,
        approval: Default::default(),
    }
}

fn looking(name: &str) -> ToolOptions {
    ToolOptions { read_only: true, ..tool(name) }
}

/// What the model is told when a tool returns something.
async fn told<A: IntoToolAnswer + Send + 'static>(answer: impl Fn() -> A + Send + Sync + 'static) -> (String, bool) {
    let stage = Stage::new();
    let agent = stage
        .agent(&[calls("mine", json!({})), says("done")])
        .tool(tool("mine"), move |_| {
            let answer = answer();
            async move { answer }
        })
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    look::result(&events)
}

fn blocks(content: Vec<Content>) -> impl Fn() -> ToolAnswer + Send + Sync + 'static {
    move || ToolAnswer::Ran { content: content.clone(), is_error: false }
}

fn image(mime_type: &str) -> Content {
    Content::Image { mime_type: mime_type.to_owned(), data: "AAAA".to_owned() }
}

#[tokio::test]
async fn a_text_is_told_as_it_is() {
    assert_eq!(told(|| "a text").await, ("a text".to_owned(), false));
}

#[tokio::test]
async fn a_value_is_told_as_json() {
    assert_eq!(told(|| json!({ "type": "image", "n": [1, null] })).await.0, r#"{"n":[1,null],"type":"image"}"#);
}

#[tokio::test]
async fn an_error_is_told_as_a_failure() {
    assert_eq!(told(|| Err::<String, _>("no such user")).await, ("no such user".to_owned(), true));
}

#[tokio::test]
async fn a_panic_is_told_as_a_failure_of_the_host() {
    let (message, is_error) = told(|| -> String { panic!("no such city") }).await;
    assert_eq!((message.as_str(), is_error), ("the handler failed: no such city", true));
}

#[tokio::test]
async fn a_result_that_says_it_is_an_error_is_told_as_one() {
    let answer = || ToolAnswer::Ran { content: vec![Content::text("half done")], is_error: true };
    assert_eq!(told(answer).await, ("half done".to_owned(), true));
}

#[tokio::test]
async fn images_reach_the_provider() {
    let server = server(&[calls("mine", json!({})), says("done")]);
    let agent = client(&server)
        .tool(tool("mine"), |_| async { vec![Content::text("see"), image("image/png")] })
        .create()
        .unwrap();
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    let result = &server.stats().bodies[1]["messages"][2]["content"][0];
    assert_eq!((&result["content"][0]["text"], &result["content"][1]["type"]), (&json!("see"), &json!("image")));
}

#[tokio::test]
async fn what_a_provider_would_refuse_fails_the_call_alone() {
    let (message, is_error) = told(blocks(vec![image("image/png"); 9])).await;
    assert!(is_error && message.contains("9 images"), "{message}");
    let (message, is_error) = told(blocks(vec![image("image/tiff")])).await;
    assert!(is_error && message.contains("image/tiff"), "{message}");
    let bad = Content::Image { mime_type: "image/png".to_owned(), data: "not base64".to_owned() };
    let (message, is_error) = told(blocks(vec![bad])).await;
    assert!(is_error && message.contains("base64"), "{message}");
    let thought = Content::Thinking { text: "hm".to_owned(), signature: None };
    let (message, is_error) = told(blocks(vec![Content::text("a"), thought])).await;
    assert!(is_error && message.contains("block 1 of the tool's result is a thought"), "{message}");
}

#[tokio::test]
async fn a_result_of_8_mib_is_taken_and_one_byte_more_is_not() {
    const MOST: usize = 8 * 1024 * 1024;
    assert!(!told(|| "x".repeat(MOST)).await.1);
    let (message, is_error) = told(|| "x".repeat(MOST + 1)).await;
    assert!(is_error && message.contains("8388609 bytes"), "{message}");
    // Bytes count, not characters.
    assert!(told(|| "\u{20ac}".repeat(MOST / 3 + 1)).await.1);
}

#[tokio::test]
async fn an_empty_result_is_a_result() {
    let server = server(&[calls("mine", json!({})), says("done")]);
    let agent = client(&server).tool(tool("mine"), |_| async { Vec::<Content>::new() }).create().unwrap();
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    look::valid(&server.stats().bodies[1]);
}

#[tokio::test]
async fn input_arrives_as_the_model_wrote_it() {
    let stage = Stage::new();
    let input = json!({ "b": [1, 2.5, null], "a": { "deep": "\u{1f600}" } });
    let seen: Arc<Mutex<Option<Value>>> = Arc::default();
    let note = Arc::clone(&seen);
    let agent = stage
        .agent(&[calls("mine", input.clone()), says("done")])
        .tool(tool("mine"), move |call| {
            *note.lock().unwrap() = Some(call.input);
            async { "ok" }
        })
        .create()
        .unwrap();
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    assert_eq!(seen.lock().unwrap().take(), Some(input));
}

#[tokio::test]
async fn a_call_without_any_input_has_an_empty_object() {
    let stage = Stage::new();
    let bare = json!({ "type": "tool_call", "toolName": "mine" });
    let agent = stage
        .agent(&[step(&[bare]), says("done")])
        .tool(tool("mine"), |call| async move { call.input })
        .create()
        .unwrap();
    assert_eq!(look::result(&play(&agent, "hello").await), ("{}".to_owned(), false));
}

#[tokio::test]
async fn progress_is_shown_while_it_runs() {
    let stage = Stage::new();
    let agent = stage
        .agent(&[calls("mine", json!({})), says("done")])
        .tool(tool("mine"), |call| async move {
            call.progress("half");
            "ok"
        })
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    let shown: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Passing(Passing::ToolProgress { stream, chunk, .. }) => Some((stream.as_str(), chunk.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(shown, [("progress", "half")]);
}

#[tokio::test]
async fn one_that_takes_longer_than_it_may_fails_and_is_told() {
    let stage = Stage::new();
    let agent = stage
        .agent(&[calls("slow", json!({})), says("done")])
        .tool(ToolOptions { timeout_ms: Some(50), ..tool("slow") }, |call| async move {
            call.withdrawn.cancelled().await;
            "too late"
        })
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(look::outcomes(&events), [Outcome::Expired]);
    let (message, is_error) = look::result(&events);
    assert!(is_error && message.contains("50 ms"), "{message}");
}

#[tokio::test]
async fn the_time_for_permissions_is_not_its_time() {
    let stage = Stage::new();
    let mut options = stage.options(&[calls("slow", json!({})), says("done")], json!({ "permissionTimeoutMs": 30 }));
    options["tools"] = json!([]);
    let agent = Agent::builder()
        .options(serde_json::from_value(options).unwrap())
        .tool(tool("slow"), |_| async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            "in its own time"
        })
        .create()
        .unwrap();
    assert_eq!(look::result(&play(&agent, "hello").await), ("in its own time".to_owned(), false));
}

#[tokio::test]
async fn one_named_like_a_built_in_tool_takes_its_place() {
    let stage = Stage::new();
    let agent = stage
        .agent(&[calls("read_file", json!({ "path": "none" })), says("done")])
        .tool(tool("read_file"), |_| async { "from the host" })
        .create()
        .unwrap();
    assert_eq!(look::result(&play(&agent, "hello").await), ("from the host".to_owned(), false));
}

#[tokio::test]
async fn one_that_wants_to_be_asked_for_is_and_what_is_allowed_from_now_on_is_not_asked_again() {
    for mode in [Mode::Ask, Mode::FullAuto] {
        let stage = Stage::new();
        let asked = Arc::new(AtomicUsize::new(0));
        let note = Arc::clone(&asked);
        let agent = stage
            .agent(&[calls("pay", json!({ "n": 1 })), calls("pay", json!({ "n": 1 })), says("done")])
            .mode(mode)
            .tool(ToolOptions { approval: ToolApproval::Ask, ..tool("pay") }, |_| async { "paid" })
            .on_permission(move |request| {
                assert_eq!((request.body.tool_name.as_str(), &request.body.input), ("pay", &json!({ "n": 1 })));
                note.fetch_add(1, Ordering::SeqCst);
                async { PermissionAnswer::AllowAlways { rule: None, persist: None } }
            })
            .create()
            .unwrap();
        let told: Vec<_> = look::results(&play(&agent, "hello").await).into_iter().map(|(text, _)| text).collect();
        assert_eq!((told, asked.load(Ordering::SeqCst)), (vec!["paid".to_owned(); 2], 1), "{mode:?}");
    }
}

fn nothing() -> &'static str {
    panic!("it ran")
}

#[tokio::test]
async fn one_that_wants_to_be_asked_for_does_not_run_when_it_is_refused() {
    let stage = Stage::new();
    let steps = [calls("pay", json!({})), says("done")];
    let agent = stage
        .agent(&steps)
        .tool(ToolOptions { approval: ToolApproval::Ask, ..looking("pay") }, |_| async { nothing() })
        .create()
        .unwrap();
    let (message, is_error) = look::result(&play(&agent, "hello").await);
    assert!(is_error && message.starts_with("permission denied"), "{message}");
}

/// An agent whose one step makes several calls.
fn several(stage: &Stage, parts: &[Value]) -> lodger::AgentBuilder {
    stage.agent(&[step(parts), says("done")])
}

#[tokio::test]
async fn those_that_only_look_run_side_by_side() {
    let stage = Stage::new();
    let meet = Arc::new(Barrier::new(2));
    let other = Arc::clone(&meet);
    let wait = |barrier: Arc<Barrier>| {
        move |_| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                "met"
            }
        }
    };
    let agent = several(&stage, &[call("one", json!({})), call("two", json!({}))])
        .tool(looking("one"), wait(meet))
        .tool(looking("two"), wait(other))
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(look::results(&events).len(), 2);
}

#[tokio::test]
async fn of_those_that_look_no_more_than_eight_run_at_once() {
    let stage = Stage::new();
    let parts: Vec<_> = (0..72).map(|number| call("look", json!({ "n": number }))).collect();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (running, peak, eight) = (Arc::clone(&now), Arc::clone(&most), Arc::new(Barrier::new(8)));
    let agent = several(&stage, &parts)
        .tool(looking("look"), move |call: ToolCall| {
            let (running, peak, eight) = (Arc::clone(&running), Arc::clone(&peak), Arc::clone(&eight));
            async move {
                peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                eight.wait().await;
                running.fetch_sub(1, Ordering::SeqCst);
                call.input
            }
        })
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(most.load(Ordering::SeqCst), 8);
    let told: Vec<_> = look::results(&events).into_iter().map(|(text, _)| text).collect();
    assert_eq!(told, (0..72).map(|number| format!("{{\"n\":{number}}}")).collect::<Vec<_>>(), "in call order");
}

#[tokio::test]
async fn results_stand_in_call_order_whoever_is_first() {
    let stage = Stage::new();
    let parts: Vec<_> = (0..4_u64).map(|number| call("look", json!({ "n": number }))).collect();
    let agent = several(&stage, &parts)
        .tool(looking("look"), |call| async move {
            let number = call.input["n"].as_u64().unwrap();
            tokio::time::sleep(Duration::from_millis(20 * (4 - number))).await;
            number.to_string()
        })
        .create()
        .unwrap();
    let told: Vec<_> = look::results(&play(&agent, "hello").await).into_iter().map(|(text, _)| text).collect();
    assert_eq!(told, ["0", "1", "2", "3"]);
}

#[tokio::test]
async fn those_that_change_something_run_one_after_the_other_in_order() {
    let stage = Stage::new();
    let order: Arc<Mutex<Vec<String>>> = Arc::default();
    let note = Arc::clone(&order);
    let kinds = ["change", "look", "look", "change", "look"];
    let parts: Vec<_> = kinds.iter().enumerate().map(|(number, kind)| call(kind, json!({ "n": number }))).collect();
    let run = move |call: ToolCall| {
        let note = Arc::clone(&note);
        async move {
            let number = call.input["n"].clone();
            note.lock().unwrap().push(format!("+{number}"));
            tokio::time::sleep(Duration::from_millis(20)).await;
            note.lock().unwrap().push(format!("-{number}"));
            "ok"
        }
    };
    let agent = several(&stage, &parts).tool(tool("change"), run.clone()).tool(looking("look"), run).create().unwrap();
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    let order = order.lock().unwrap().clone();
    let place = |what: &str| order.iter().position(|noted| noted == what).unwrap();
    assert!(place("-0") < place("+1") && place("-0") < place("+2"), "{order:?}");
    assert!(place("-1") < place("+3") && place("-2") < place("+3"), "{order:?}");
    assert!(place("-3") < place("+4"), "{order:?}");
}

#[tokio::test]
async fn a_call_is_told_with_what_it_does() {
    let stage = Stage::new();
    let agent = several(&stage, &[call("change", json!({})), call("look", json!({}))])
        .tool(tool("change"), |_| async { "ok" })
        .tool(looking("look"), |_| async { "ok" })
        .create()
        .unwrap();
    let effects: Vec<_> = look::entries(&play(&agent, "hello").await)
        .filter_map(|entry| match entry {
            Entry::ToolCall { target, .. } => Some(target.effect),
            _ => None,
        })
        .collect();
    assert_eq!(effects, [Effect::Execute, Effect::Read]);
}

#[tokio::test]
async fn may_interrupt_the_very_turn_that_calls_it() {
    let stage = Stage::new();
    let holder: Arc<Mutex<Option<Agent>>> = Arc::default();
    let inside = Arc::clone(&holder);
    let agent = stage
        .agent(&[calls("stop", json!({})), says("never")])
        .tool(tool("stop"), move |_| {
            let agent = inside.lock().unwrap().clone().unwrap();
            async move { agent.interrupt().to_string() }
        })
        .create()
        .unwrap();
    *holder.lock().unwrap() = Some(agent.clone());
    let events = play(&agent, "hello").await;
    holder.lock().unwrap().take();
    look::ended(&events, DoneReason::Cancelled);
}

#[tokio::test]
async fn may_close_the_very_agent_that_calls_it() {
    let stage = Stage::new();
    let holder: Arc<Mutex<Option<Agent>>> = Arc::default();
    let inside = Arc::clone(&holder);
    let agent = stage
        .agent(&[calls("close", json!({})), says("never")])
        .mode(Mode::FullAuto)
        .tool(tool("close"), move |_| {
            let agent = inside.lock().unwrap().clone().unwrap();
            async move {
                agent.close().await;
                "closed"
            }
        })
        .create()
        .unwrap();
    *holder.lock().unwrap() = Some(agent.clone());
    let events = play(&agent, "hello").await;
    holder.lock().unwrap().take();
    look::ended(&events, DoneReason::Cancelled);
    assert!(agent.embedded().is_closed());
}
