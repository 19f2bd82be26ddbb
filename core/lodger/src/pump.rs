//! Carries the request lane of a turn to the host's handlers, whether or not anybody reads its events.

use std::any::Any;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use lodger_protocol::{Answer, RequestBody, RequestId, TurnResult};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::embed::{LaneItem, Mailbox, OpenRequest, TurnCore};
use crate::handlers::{Asked, HandlerSet};
use crate::tool::ToolCall;

/// Runs until the turn is over, and says what it came to.
pub(crate) async fn run(turn: Arc<TurnCore>, handlers: Arc<HandlerSet>, result: watch::Sender<Option<TurnResult>>) {
    let bell = Arc::new(Notify::new());
    let ring = Arc::clone(&bell);
    let mailbox = Mailbox::new(Box::new(move || ring.notify_one()));
    turn.attach(&mailbox, 0);
    let mut handled: HashMap<RequestId, (CancellationToken, JoinHandle<()>)> = HashMap::new();
    loop {
        for item in turn.take_lane() {
            match item {
                LaneItem::Opened(request) => {
                    handled.retain(|_, (_, handler)| !handler.is_finished());
                    let id = request.request().request_id.clone();
                    let withdrawn = CancellationToken::new();
                    let handler = handle(Arc::clone(&handlers), Arc::new(request), withdrawn.clone());
                    handled.insert(id, (withdrawn, tokio::spawn(handler)));
                }
                LaneItem::Withdrawn(id) => {
                    if let Some((withdrawn, _)) = handled.remove(&id) {
                        withdrawn.cancel();
                    }
                }
                LaneItem::Stalled | LaneItem::Moving => {}
                LaneItem::Ended(ended) => {
                    mailbox.close();
                    result.send_replace(Some(ended));
                    return;
                }
            }
        }
        bell.notified().await;
        // What is ready is asked of the turn itself.
        let _ = mailbox.take();
    }
}

/// Runs one handler. A handler that panics refuses.
async fn handle(handlers: Arc<HandlerSet>, request: Arc<OpenRequest>, withdrawn: CancellationToken) {
    let answered = AssertUnwindSafe(answer(&handlers, &request, withdrawn)).catch_unwind().await;
    // If the request was settled meanwhile, the first outcome stands.
    let _ = match answered {
        Ok(Some(answer)) => request.settle(answer),
        Ok(None) => request.fail("this host has no handler for the request"),
        Err(panic) => request.fail(&format!("the handler failed: {}", said(panic.as_ref()))),
    };
}

async fn answer(handlers: &HandlerSet, request: &Arc<OpenRequest>, withdrawn: CancellationToken) -> Option<Answer> {
    let asked = request.request();
    let (id, call, expires) = (asked.request_id.clone(), asked.tool_call_id.clone(), asked.expires_at);
    let about = (id, call, expires, withdrawn.clone());
    match &asked.body {
        RequestBody::Permission(body) => {
            let handler = handlers.permission.as_ref()?;
            Some(handler(about_of(about, (**body).clone())).await)
        }
        RequestBody::Question(body) => Some(handlers.question.as_ref()?(about_of(about, body.clone())).await),
        RequestBody::Plan(body) => Some(handlers.plan.as_ref()?(about_of(about, body.clone())).await),
        RequestBody::Check(body) => Some(handlers.check.as_ref()?(about_of(about, (**body).clone())).await),
        RequestBody::Tool(body) => {
            let handler = handlers.tools.get(&body.tool_name)?;
            let call = ToolCall { input: body.input.clone(), withdrawn, request: Arc::clone(request) };
            Some(Answer::Tool(handler(call).await))
        }
    }
}

type About = (RequestId, Option<lodger_protocol::ToolCallId>, Option<u64>, CancellationToken);

fn about_of<T>((request_id, tool_call_id, expires_at, withdrawn): About, body: T) -> Asked<T> {
    Asked { request_id, tool_call_id, expires_at, body, withdrawn }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
