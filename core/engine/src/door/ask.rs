//! Opening a request and waiting for its one outcome.

use std::sync::Arc;
use std::time::Duration;

use lodger_protocol::{
    Answer, DiagnosticBody, Entry, Mode, Outcome, Passing, PermissionAnswer, Persist, PlanAnswer, Request, RequestBody,
    RequestId, RequestKind, ToolCallId,
};
use lodger_tools::Patience;

use crate::outlet::Delivery;
use crate::requests::Pending;
use crate::turn::Turn;

/// Opens a request, hands it over, and waits: for the host, for its time to run out, for the turn to end.
pub(super) async fn ask(turn: &Arc<Turn>, call_id: ToolCallId, body: RequestBody, patience: Patience) -> Answer {
    let kind = body.kind();
    let delivery = turn.outlet.delivery(kind);
    if delivery == Delivery::Refused {
        return Answer::Refused { outcome: Outcome::Denied, reason: nobody(kind).to_owned() };
    }
    let shared = &turn.shared;
    // A turn that stands on a full queue opens nothing new; neither does one that was cancelled.
    let slot = tokio::select! {
        biased;
        () = turn.cancelled.cancelled() => return cancelled(),
        slot = async {
            turn.until_room().await;
            Arc::clone(&shared.requests.slots).acquire_owned().await
        } => slot,
    };
    if turn.cancelled.is_cancelled() {
        return cancelled();
    }

    let timeout = match patience {
        Patience::AsConfigured => shared.request_timeout,
        Patience::For(time) => Some(time),
        Patience::Endless => None,
    };
    let request = Request {
        request_id: RequestId::fresh(),
        kind,
        tool_call_id: Some(call_id.clone()),
        expires_at: timeout.map(|time| shared.clock.now_ms().saturating_add(millis(time))),
        body,
    };
    report(turn, &request, None);
    let pending = shared.requests.insert(request.clone(), progress_of(turn, call_id));
    let open = Open { turn, pending: Arc::clone(&pending), outcome: None };
    turn.append(Entry::RequestOpened { request });
    if delivery == Delivery::Lane {
        turn.outlet.open(Arc::clone(&pending));
    }

    let answer = tokio::select! {
        biased;
        answer = pending.until_settled() => answer,
        () = turn.cancelled.cancelled() => settle_without_host(turn, &pending, cancelled()).await,
        () = expiry(&pending, timeout) => settle_without_host(turn, &pending, expired(kind, timeout)).await,
    };
    let answer = possible(answer.fitting(&pending.request.body));
    open.resolve(answer.outcome());
    if let Answer::Plan(plan) = &answer {
        leave_plan_mode(turn, plan);
    }
    drop(slot);
    answer
}

/// An open request. Its one outcome is told in any case, also when the waiting call is dropped.
struct Open<'a> {
    turn: &'a Turn,
    pending: Arc<Pending>,
    outcome: Option<Outcome>,
}

impl Open<'_> {
    fn resolve(mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }

    /// The outcome of a request that nobody waits for any more.
    fn given_up(&self) -> Outcome {
        if self.pending.settle(cancelled()).is_ok() {
            self.turn.outlet.withdraw(&self.pending.request.request_id);
        }
        self.pending.take().map_or(Outcome::Cancelled, |answer| answer.outcome())
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let outcome = self.outcome.unwrap_or_else(|| self.given_up());
        let (request_id, kind) = (self.pending.request.request_id.clone(), self.pending.request.kind);
        report(self.turn, &self.pending.request, Some(outcome));
        self.turn.append(Entry::RequestResolved { request_id: request_id.clone(), kind, outcome });
        self.turn.shared.requests.remove(&request_id);
    }
}

/// Tells those who watch of a request for permission, or how it was decided.
fn report(turn: &Turn, request: &Request, decided: Option<Outcome>) {
    if let RequestBody::Permission(body) = &request.body {
        turn.shared.diagnostics.report(|| {
            let (tool_name, kind) = (body.tool_name.clone(), body.target.kind);
            match decided {
                None => DiagnosticBody::PermissionRequest { tool_name, kind },
                Some(outcome) => DiagnosticBody::PermissionDecision { tool_name, kind, outcome },
            }
        });
    }
}

/// An answer that asks for what there is not is a refusal, and is told as one.
fn possible(answer: Answer) -> Answer {
    match answer {
        Answer::Permission(PermissionAnswer::AllowAlways {
            persist: Some(Persist::Project | Persist::User), ..
        }) => Answer::Refused {
            outcome: Outcome::Failed,
            reason: "the host allowed this for longer than the session, and this agent keeps no settings".to_owned(),
        },
        answer => answer,
    }
}

/// An approved plan ends plan mode. Without a mode of its choice, the session asks before every change; one that left
/// plan mode meanwhile stays as it is.
fn leave_plan_mode(turn: &Turn, plan: &PlanAnswer) {
    if !plan.approved {
        return;
    }
    let next = plan.mode;
    let mode = turn.shared.set_mode(|now| next.unwrap_or(if now == Mode::Plan { Mode::Ask } else { now }));
    if let Some(mode) = mode {
        turn.append(Entry::ModeChanged { mode });
    }
}

/// Settles a request that the host did not; if the host was faster after all, its answer counts.
async fn settle_without_host(turn: &Turn, pending: &Pending, answer: Answer) -> Answer {
    if pending.settle(answer).is_ok() {
        turn.outlet.withdraw(&pending.request.request_id);
    }
    pending.until_settled().await
}

/// Comes when the host has had the request for too long.
async fn expiry(pending: &Pending, timeout: Option<Duration>) {
    match timeout {
        Some(time) => {
            pending.until_handed_over().await;
            tokio::time::sleep(time).await;
        }
        None => std::future::pending().await,
    }
}

/// How the host shows progress of the call: as far as the reader has room.
fn progress_of(turn: &Arc<Turn>, call_id: ToolCallId) -> Box<dyn Fn(String) + Send + Sync> {
    let turn = Arc::downgrade(turn);
    Box::new(move |text| {
        if let Some(turn) = turn.upgrade().filter(|turn| turn.outlet.has_room()) {
            turn.pass(Passing::ToolProgress {
                tool_call_id: call_id.clone(),
                stream: "progress".to_owned(),
                chunk: text,
            });
        }
    })
}

fn cancelled() -> Answer {
    Answer::Refused { outcome: Outcome::Cancelled, reason: "cancelled: the call did not run".to_owned() }
}

fn expired(kind: RequestKind, timeout: Option<Duration>) -> Answer {
    let ms = timeout.map_or(0, millis);
    let reason = match kind {
        RequestKind::Tool => format!("the tool did not answer within {ms} ms"),
        RequestKind::Permission | RequestKind::Question | RequestKind::Plan | RequestKind::Check => {
            format!("nobody answered within {ms} ms")
        }
    };
    Answer::Refused { outcome: Outcome::Expired, reason }
}

const fn nobody(kind: RequestKind) -> &'static str {
    match kind {
        RequestKind::Permission => "approval is needed and this host answers no permission requests",
        RequestKind::Tool => "this host declared the tool and does not run it",
        RequestKind::Question => "this host answers no questions",
        RequestKind::Plan => "this host answers no plans",
        RequestKind::Check => "this host gives no verdict on checks",
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
