//! What comes next in a turn, from any cut of its transcript.

use lodger_protocol::{Mode, SystemClock, Usage};
use lodger_session::SessionLog;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn start() -> Entry {
    Entry::TurnStart { prompt_id: "p".into(), model: "a/b".to_owned(), mode: Mode::Ask }
}

fn reply(calls: &[&str], stop_reason: StopReason) -> Entry {
    let content = calls
        .iter()
        .map(|id| Content::ToolCall { tool_call_id: (*id).into(), tool_name: "t".to_owned(), input: json!({}) })
        .collect();
    Entry::AssistantMessage {
        message_id: "m".into(),
        content,
        stop_reason,
        usage: Usage::default(),
        model: "a/b".to_owned(),
        cost_usd: None,
    }
}

fn result(id: &str) -> Entry {
    Entry::ToolResult {
        tool_call_id: id.into(),
        tool_name: "t".to_owned(),
        content: vec![],
        is_error: false,
        duration_ms: 0,
        truncated: false,
        files: vec![],
    }
}

fn next(entries: Vec<Entry>, max_steps: u32) -> Step {
    let log = SessionLog::new("s".into(), Arc::new(SystemClock));
    for entry in entries {
        log.append(None, entry, drop);
    }
    next_step(&log.transcript(), &Limits { max_steps, ..Limits::default() })
}

fn ids(step: Step) -> Vec<String> {
    match step {
        Step::RunTools(calls) => calls.iter().map(|call| call.id.to_string()).collect(),
        other => panic!("expected calls to run, got {other:?}"),
    }
}

#[test]
fn a_new_turn_asks_the_model() {
    assert_eq!(next(vec![start()], 9), Step::CallModel);
}

#[test]
fn the_replies_of_earlier_turns_do_not_count() {
    assert_eq!(next(vec![start(), reply(&[], StopReason::EndTurn), start()], 1), Step::CallModel);
}

#[test]
fn calls_without_a_result_run_in_order() {
    let entries = vec![start(), reply(&["1", "2", "3"], StopReason::ToolUse), result("2")];
    assert_eq!(ids(next(entries, 9)), ["1", "3"]);
}

#[test]
fn the_model_is_asked_again_when_every_call_has_its_result() {
    assert_eq!(next(vec![start(), reply(&["1"], StopReason::ToolUse), result("1")], 9), Step::CallModel);
}

#[test]
fn the_step_limit_ends_the_turn_after_the_last_results() {
    let entries = vec![start(), reply(&["1"], StopReason::ToolUse), result("1")];
    assert_eq!(next(entries, 1), Step::Finish(DoneReason::MaxSteps));
}

#[test]
fn each_stop_reason_without_calls_ends_the_turn_in_its_way() {
    let ends = [
        (StopReason::EndTurn, DoneReason::EndTurn),
        (StopReason::ToolUse, DoneReason::EndTurn),
        (StopReason::MaxOutputTokens, DoneReason::MaxOutputTokens),
        (StopReason::Refused, DoneReason::Refused),
        (StopReason::MaxBudget, DoneReason::MaxBudget),
        (StopReason::Cancelled, DoneReason::Cancelled),
        (StopReason::Error, DoneReason::Error),
    ];
    for (stop, done) in ends {
        assert_eq!(next(vec![start(), reply(&[], stop)], 9), Step::Finish(done));
    }
}

#[test]
fn a_refused_or_cut_reply_runs_no_call() {
    for stop in [StopReason::Refused, StopReason::Cancelled, StopReason::MaxBudget, StopReason::Error] {
        assert!(matches!(next(vec![start(), reply(&["1"], stop)], 9), Step::Finish(_)));
    }
}

proptest! {
    /// Cut a turn's transcript after any entry: going on from there makes each missing call exactly once and
    /// ends in the same way.
    #[test]
    fn any_cut_of_a_transcript_goes_on_to_the_same_end(replies in prop::collection::vec(0_usize..4, 1..6), cut in 0_usize..40) {
        let mut whole = vec![start()];
        for (step, &calls) in replies.iter().enumerate() {
            let names: Vec<String> = (0..calls).map(|call| format!("{step}_{call}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            whole.push(reply(&names, if calls == 0 { StopReason::EndTurn } else { StopReason::ToolUse }));
            whole.extend(names.iter().map(|id| result(id)));
            if calls == 0 {
                break;
            }
        }
        let last_open = !replies.contains(&0);
        let mut log = whole.clone();
        log.truncate(1 + cut % whole.len());
        let mut at = log.iter().filter(|entry| matches!(entry, Entry::AssistantMessage { .. })).count();
        let end = loop {
            match next(log.clone(), 100) {
                Step::RunTools(open) => {
                    for call in open {
                        let already = log.iter().any(|entry| matches!(entry, Entry::ToolResult { tool_call_id, .. } if *tool_call_id == call.id));
                        prop_assert!(!already, "{} ran twice", call.id);
                        log.push(result(call.id.as_str()));
                    }
                }
                Step::CallModel if last_open && at == replies.len() => break None,
                Step::CallModel => {
                    let next_reply = whole.iter().filter(|entry| matches!(entry, Entry::AssistantMessage { .. })).nth(at);
                    at += 1;
                    log.push(next_reply.cloned().unwrap());
                }
                Step::Finish(reason) => break Some(reason),
            }
        };
        prop_assert_eq!(end, if last_open { None } else { Some(DoneReason::EndTurn) });
        prop_assert_eq!(log, whole);
    }
}
