//! Any turn, whatever the model says, whatever breaks and whenever it is cancelled, is whole: one `done` and that
//! last, one result for each call, one outcome for each request; and the next request is one that a provider accepts.

use std::time::Duration;

use futures_util::StreamExt;
use lodger::ErrorCode;
use lodger::protocol::{Limits, Mode, PermissionAnswer, ToolOptions};
use lodger_kit::{FaultRule, MockOptions, WireFault};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::script::{call, repeat, said};
use crate::support::*;

fn part() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(said("some words")),
        Just(said(" ")),
        Just(repeat("word ", 400)),
        Just(json!({ "type": "thinking", "text": "hm", "signature": "sig" })),
        Just(json!({ "type": "delay", "ms": 2 })),
        Just(call("read_file", json!({ "path": "f" }))),
        Just(call("read_file", json!({ "path": "/etc/hostname" }))),
        Just(call("write_file", json!({ "path": "f", "content": "x" }))),
        Just(call("run_shell", json!({ "command": "echo hi; sleep 0.01" }))),
        Just(call("run_shell", json!({ "command": "yes | head -c 300000" }))),
        Just(call("look", json!({}))),
        Just(call("broken", json!({}))),
        Just(call("none", json!({}))),
        Just(json!({ "type": "tool_call", "toolName": "run_shell", "rawInput": "{\"command\": \"echo" })),
    ]
}

fn script() -> impl Strategy<Value = Value> {
    let stop = prop_oneof![4 => Just(None), 1 => Just(Some("max_output_tokens")), 1 => Just(Some("refused"))];
    let step = (prop::collection::vec(part(), 0..4), stop).prop_map(|(parts, stop)| match stop {
        None => json!({ "reply": parts }),
        Some(stop) => json!({ "reply": parts, "stopReason": stop }),
    });
    prop::collection::vec(step, 1..4).prop_map(|steps| json!({ "steps": steps, "after": "last" }))
}

fn fault() -> impl Strategy<Value = Option<FaultRule>> {
    let fault = prop_oneof![
        (0_usize..3000).prop_map(|after_bytes| WireFault::Cut { after_bytes }),
        (0_usize..3000).prop_map(|after_bytes| WireFault::End { after_bytes }),
        (0_usize..3000).prop_map(|after_bytes| WireFault::Stall { after_bytes }),
        (1_usize..8).prop_map(|after_events| WireFault::Insert { after_events, text: "data: {]\n\n".to_owned() }),
        Just(WireFault::Silence),
        (400_u16..530).prop_map(|status| WireFault::Status { status, headers: Default::default(), body: None }),
    ];
    prop::option::of((1_u64..4, fault).prop_map(|(request, fault)| FaultRule::on(request, fault)))
}

async fn play_any(script: Value, fault: Option<FaultRule>, cancel_after: Option<u64>, answer: u8, pause: bool) {
    let stage = Stage::new();
    let server = server_of(&script, MockOptions { faults: fault.into_iter().collect(), ..MockOptions::default() });
    let tool = |name: &str| ToolOptions {
        name: name.to_owned(),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: true,
        approval: Default::default(),
    };
    let limits =
        Limits { max_steps: 5, first_byte_timeout_ms: 60, gap_timeout_ms: 60, max_retries: 0, ..Limits::default() };
    let agent = client(&server)
        .cwd(stage.work("").display().to_string())
        .environment(environment())
        .mode(if answer == 0 { Mode::FullAuto } else { Mode::Ask })
        .limits(limits)
        .tool(tool("look"), |_| async { "seen" })
        .tool(tool("broken"), |_| async { Err::<String, _>("broken") })
        .on_permission(move |_| async move {
            assert_ne!(answer, 1, "this handler fails");
            match answer {
                2 => PermissionAnswer::AllowOnce {},
                _ => PermissionAnswer::Deny { feedback: None },
            }
        })
        .create()
        .unwrap();
    let mut turn = agent.prompt("hello").unwrap();
    let events = within(async {
        let mut events = Vec::new();
        let cancel = tokio::time::sleep(Duration::from_micros(cancel_after.unwrap_or_default()));
        tokio::pin!(cancel);
        let mut cancelled = cancel_after.is_none();
        loop {
            tokio::select! {
                () = &mut cancel, if !cancelled => {
                    cancelled = true;
                    turn.cancel();
                }
                event = turn.next() => match event {
                    Some(event) => events.push(event),
                    None => break events,
                },
            }
            if pause && events.len() % 100 == 99 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
    })
    .await;
    look::whole(&events);
    for body in &server.stats().bodies {
        look::valid(body);
    }
    let sent = server.stats().requests;
    let mut next = agent.prompt("go on").unwrap();
    let (reason, error) = look::whole(&read(&mut next).await);
    let stats = server.stats();
    // On a busy machine the server may be too slow for the short timeouts of this test.
    let too_slow = error.as_ref().is_some_and(|error| error.code == ErrorCode::Timeout);
    assert!(stats.requests > sent || too_slow, "the next prompt ended as {reason:?}: {error:?}");
    for body in &stats.bodies {
        look::valid(body);
    }
    within(agent.close()).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn is_whole_and_leaves_a_conversation_that_goes_on(
        script in script(),
        fault in fault(),
        cancel_after in prop::option::of(0_u64..30_000),
        answer in 0_u8..4,
        pause in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(play_any(script, fault, cancel_after, answer, pause));
    }
}
