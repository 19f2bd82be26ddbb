//! Puts a call to the checks before it runs, and before anybody is asked for leave.

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join_all;
use lodger_protocol::{
    Answer, CheckAnswer, CheckRequest, Checks, GuardKind, GuardReport, GuardVerdict, Passing, RequestBody, Risk,
    SessionId, ToolCallId,
};
use lodger_tools::Patience;
use serde::Serialize;

use super::{Asked, ask, on_one_line};
use crate::OpenCall;
use crate::context::StepContext;
use crate::guards::{Check, Judge, ask_command};
use crate::turn::Turn;

/// At most so many findings about one call; of further ones only the number is told.
const MAX_FINDINGS: usize = 64;
/// At most so many bytes of one finding.
const MAX_FINDING_BYTES: usize = 1024;

/// The call as a command gets it on its standard input.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    session_id: &'a SessionId,
    tool_call_id: &'a ToolCallId,
    #[serde(flatten)]
    request: &'a CheckRequest,
}

/// Whether any check looks at the call.
pub(super) fn is_checked(turn: &Turn, call: &OpenCall, asked: &Asked) -> bool {
    checks_of(turn, call, asked).next().is_some()
}

fn checks_of<'a>(turn: &'a Turn, call: &'a OpenCall, asked: &'a Asked) -> impl Iterator<Item = &'a Check> {
    let checks = turn.shared.guards.checks().iter();
    checks.filter(|check| check.looks_at(&call.tool_name, asked.target.effect))
}

/// What all checks of the call found, side by side. Absent: none looks at it.
pub(super) async fn check(
    turn: &Arc<Turn>,
    context: &StepContext,
    call: &OpenCall,
    asked: &Asked,
    risk: Risk,
    diff: Option<&String>,
) -> Option<Checks> {
    let request = CheckRequest {
        tool_name: call.tool_name.clone(),
        input: call.input.clone(),
        targets: super::targets_of(asked),
        target: asked.target.clone(),
        diff: diff.cloned(),
        risk,
    };
    let judged = checks_of(turn, call, asked).map(|check| judge(turn, context, call, check, &request));
    let reports = join_all(judged).await;
    if reports.is_empty() {
        return None;
    }
    let blocking = reports.iter().any(|report| report.verdict != GuardVerdict::Passed);
    let mut findings: Vec<String> = reports.iter().flat_map(|report| report.findings.iter().cloned()).collect();
    for report in reports {
        turn.shared.auditor.verdict(&turn.id, &report);
        turn.pass(Passing::GuardVerdict { report });
    }
    bound(&mut findings);
    Some(Checks { blocking, findings })
}

/// What the model is told of findings that block.
pub(super) fn feedback(checks: &Checks) -> String {
    match checks.findings.as_slice() {
        [] => "a check refuses this call, and says no more".to_owned(),
        findings => format!("a check refuses this call: {}", findings.join("; ")),
    }
}

/// One check's verdict. None at all is one against the call.
async fn judge(
    turn: &Arc<Turn>,
    context: &StepContext,
    call: &OpenCall,
    check: &Check,
    request: &CheckRequest,
) -> GuardReport {
    let began = Instant::now();
    let (command, answer) = match &check.judge {
        Judge::Host(time) => {
            let patience = time.map_or(Patience::AsConfigured, Patience::For);
            let body = RequestBody::Check(Box::new(request.clone()));
            (None, host_said(ask::ask(turn, call.id.clone(), body, patience).await))
        }
        Judge::Command(line, time) => {
            let told = Told { session_id: turn.shared.log.session_id(), tool_call_id: &call.id, request };
            let answer = match (&context.workspace, serde_json::to_vec(&told)) {
                (Some(workspace), Ok(told)) => {
                    ask_command(workspace.as_ref(), &turn.cancelled, line, *time, call.id.clone(), told).await
                }
                (None, _) => Err("there is no folder to run it in".to_owned()),
                (_, Err(error)) => Err(error.to_string()),
            };
            (Some(line.clone()), answer)
        }
    };
    let (verdict, mut findings) = match answer {
        Ok(CheckAnswer { blocking: false, findings }) => (GuardVerdict::Passed, findings),
        Ok(CheckAnswer { blocking: true, findings }) => (GuardVerdict::Blocked, findings),
        Err(why) => {
            let who =
                command.as_ref().map_or_else(|| "the host's check".to_owned(), |line| format!("the check `{line}`"));
            (GuardVerdict::Failed, vec![format!("{who} gave no verdict: {why}")])
        }
    };
    bound(&mut findings);
    GuardReport {
        tool_call_id: Some(call.id.clone()),
        guard: GuardKind::Check,
        command,
        verdict,
        findings,
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

fn host_said(answer: Answer) -> Result<CheckAnswer, String> {
    match answer {
        Answer::Check(answer) => Ok(answer),
        Answer::Refused { reason, .. } => Err(reason),
        Answer::Permission(_) | Answer::Tool(_) | Answer::Question(_) | Answer::Plan(_) => {
            Err("the host answered something else than was asked".to_owned())
        }
    }
}

/// Findings as people are shown them: few, short, each on one line.
fn bound(findings: &mut Vec<String>) {
    if findings.len() > MAX_FINDINGS {
        let left_out = findings.len() - (MAX_FINDINGS - 1);
        findings.truncate(MAX_FINDINGS - 1);
        findings.push(format!("{left_out} more findings are left out"));
    }
    for finding in findings {
        let mut line = on_one_line(finding);
        if line.len() > MAX_FINDING_BYTES {
            line.truncate(line.floor_char_boundary(MAX_FINDING_BYTES));
        }
        *finding = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_few_and_short_and_stand_on_one_line_each() {
        let mut findings = vec!["é".repeat(2000); 70];
        findings[0] = "two\nlines".to_owned();
        bound(&mut findings);
        assert_eq!(findings.len(), MAX_FINDINGS);
        assert_eq!(findings[0], "two\\nlines");
        assert_eq!(findings[1], "é".repeat(512));
        assert_eq!(findings[63], "7 more findings are left out");
    }
}
