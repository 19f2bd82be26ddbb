//! What comes next in a turn, from any cut of its transcript.

use lodger_protocol::{ErrorCode, Mode, SystemClock, Usage};
use lodger_session::SessionLog;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn start() -> Entry {
    Entry::TurnStart { prompt_id: "p".into(), model: "a/b".to_owned(), mode: Mode::Ask, sandbox: None }
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
    next_step(&log.transcript(), &Limits { max_steps, ..Limits::default() }, None)
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
                other => prop_assert!(false, "no answer was asked for, and {other:?} came"),
            }
        };
        prop_assert_eq!(end, if last_open { None } else { Some(DoneReason::EndTurn) });
        prop_assert_eq!(log, whole);
    }
}

/// The schema of the answers below.
fn schema() -> OutputSchema {
    OutputSchema::new(json!({ "type": "object", "required": ["n"] })).unwrap()
}

fn answering(entries: &[Entry], max_steps: u32) -> Step {
    let log = SessionLog::new("s".into(), Arc::new(SystemClock));
    for entry in entries {
        log.append(None, entry.clone(), drop);
    }
    next_step(&log.transcript(), &Limits { max_steps, ..Limits::default() }, Some(&schema()))
}

fn says(content: Vec<Content>, stop_reason: StopReason) -> Entry {
    let Entry::AssistantMessage { message_id, usage, model, .. } = reply(&[], stop_reason) else { unreachable!() };
    Entry::AssistantMessage { message_id, content, stop_reason, usage, model, cost_usd: None }
}

fn text(text: &str) -> Entry {
    says(vec![Content::text(text)], StopReason::EndTurn)
}

fn answer(id: &str, input: Value) -> Content {
    Content::ToolCall { tool_call_id: id.into(), tool_name: OUTPUT_TOOL.to_owned(), input }
}

/// What the shell does with a step that ends no turn and asks no model.
fn done(step: &Step) -> Vec<Entry> {
    match step {
        Step::RunTools(open) => open.iter().map(|call| result(call.id.as_str())).collect(),
        Step::CloseAnswer(open, told) => open
            .iter()
            .map(|call| match result(call.id.as_str()) {
                Entry::ToolResult { tool_call_id, tool_name, content, duration_ms, truncated, files, .. } => {
                    let is_error = told.is_error;
                    Entry::ToolResult { tool_call_id, tool_name, content, is_error, duration_ms, truncated, files }
                }
                other => other,
            })
            .collect(),
        Step::RejectAnswer(Rejection { feedback, attempt, tool_call_id }) => vec![Entry::OutputRejected {
            message_id: "m".into(),
            feedback: feedback.clone(),
            attempt: *attempt,
            max_attempts: MAX_ATTEMPTS,
            tool_call_id: tool_call_id.clone(),
        }],
        other => panic!("{other:?} is no work"),
    }
}

/// Plays replies to the end, and says which steps there were beside the calls of the model. The transcript is cut after
/// every entry and read anew.
fn played(replies: &[Entry], max_steps: u32) -> (Vec<Step>, Step) {
    let (mut entries, mut steps, mut replies) = (vec![start()], Vec::new(), replies.iter());
    loop {
        match answering(&entries, max_steps) {
            Step::CallModel => entries.push(replies.next().expect("a reply is left").clone()),
            end @ (Step::Finish(_) | Step::Deliver(_) | Step::GiveUp(_)) => return (steps, end),
            step => {
                // One at a time: what is left of the step is done in the next round.
                entries.extend(done(&step).into_iter().take(1));
                steps.push(step);
            }
        }
    }
}

#[test]
fn an_answer_that_fits_ends_the_turn_as_text_and_as_a_call() {
    let value = json!({ "n": 1 });
    assert_eq!(played(&[text("{\"n\": 1}")], 9), (vec![], Step::Deliver(value.clone())));
    let (steps, end) = played(&[says(vec![answer("1", value.clone())], StopReason::ToolUse)], 1);
    assert!(
        matches!(&steps[..], [Step::CloseAnswer(open, Told { is_error: false, .. })] if open.len() == 1),
        "{steps:?}"
    );
    assert_eq!(end, Step::Deliver(value));
}

#[test]
fn other_calls_run_before_the_answer_is_taken() {
    let other = Content::ToolCall { tool_call_id: "2".into(), tool_name: "t".to_owned(), input: json!({}) };
    let (steps, end) = played(&[says(vec![answer("1", json!({ "n": 1 })), other], StopReason::ToolUse)], 9);
    assert!(
        matches!(&steps[..], [Step::RunTools(ran), Step::CloseAnswer(..)] if ran[0].id.as_str() == "2"),
        "{steps:?}"
    );
    assert_eq!(end, Step::Deliver(json!({ "n": 1 })));
}

#[test]
fn an_answer_is_given_three_times_at_most() {
    let wrong = || says(vec![answer("1", json!({}))], StopReason::ToolUse);
    let (steps, end) = played(&[text("no"), wrong(), text("{}")], 9);
    let rejected: Vec<_> = steps
        .iter()
        .filter_map(|step| match step {
            Step::RejectAnswer(rejection) => Some((rejection.attempt, rejection.tool_call_id.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(rejected, [(1, false), (2, true)]);
    let Step::GiveUp(error) = end else { panic!("{end:?}") };
    assert_eq!((error.code, error.data.unwrap()["attempts"].clone()), (ErrorCode::OutputInvalid, json!(3)));
}

#[test]
fn the_step_limit_binds_answers_that_do_not_fit() {
    let (steps, end) = played(&[text("no"), text("no")], 2);
    assert_eq!((steps.len(), end), (1, Step::Finish(DoneReason::MaxSteps)));
}

#[test]
fn a_reply_without_an_answer_ends_the_turn_in_its_own_way() {
    for (stop, end) in [
        (StopReason::MaxOutputTokens, DoneReason::MaxOutputTokens),
        (StopReason::Refused, DoneReason::Refused),
        (StopReason::MaxBudget, DoneReason::MaxBudget),
        (StopReason::Cancelled, DoneReason::Cancelled),
    ] {
        assert_eq!(played(&[says(vec![Content::text("{\"n\": 1}")], stop)], 9), (vec![], Step::Finish(end)));
    }
}
