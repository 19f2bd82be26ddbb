//! Open requests in the host's hands.

use std::ffi::c_void;
use std::sync::Arc;

use lodger_core::embed::OpenRequest;
use lodger_core::protocol::{
    Answer, CheckAnswer, Error, PermissionAnswer, PlanAnswer, QuestionAnswer, RequestKind, Result, ToolAnswer,
};

use crate::argument::{In, Out, Text, null};
use crate::callback::{Context, lodger_drop_fn, lodger_wake_fn};
use crate::contain::quietly;
use crate::desk::Desk;
use crate::document::Document;
use crate::error::lodger_error;
use crate::gate::Gate;
use crate::guard::guard;
use crate::handle::{Handle, opaque, take_back};
use crate::kind;
use crate::status::{LODGER_OK, lodger_status};
use crate::text::lodger_str;

/// Something that the agent asks: leave for a call, a call of one of your tools, a question, a plan to approve, a check. It is
/// settled once, by the first answer; freeing it unanswered refuses it. It is yours: lodger_request_free, also after
/// the answer.
pub struct lodger_request(Handle<RequestView>);
opaque!(lodger_request, RequestView);

/// Gets an open request. Called on the callback thread of the runtime, one at a time. The request is yours: answer it
/// here or later, from any thread, and free it.
pub type lodger_request_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, request: *mut lodger_request)>;

/// A request, its JSON, and the way back to its host: the gate of its agent, and the callback thread.
pub(crate) struct RequestView {
    request: OpenRequest,
    document: Document,
    gate: Arc<Gate>,
    desk: Arc<Desk>,
}

impl RequestView {
    pub(crate) fn new(request: OpenRequest, gate: Arc<Gate>, desk: Arc<Desk>) -> Self {
        Self { request, document: Document::default(), gate, desk }
    }

    fn kind(&self) -> RequestKind {
        self.request.request().kind
    }

    fn allow(&self) -> Result<()> {
        match self.kind() {
            RequestKind::Permission => self.request.settle(Answer::Permission(PermissionAnswer::AllowOnce {})),
            RequestKind::Plan => {
                self.request.settle(Answer::Plan(PlanAnswer { approved: true, mode: None, feedback: None }))
            }
            RequestKind::Check => {
                self.request.settle(Answer::Check(CheckAnswer { blocking: false, findings: Vec::new() }))
            }
            kind @ (RequestKind::Tool | RequestKind::Question) => Err(Error::invalid_input(format!(
                "a request of kind `{}` needs an answer of its own; use lodger_request_answer",
                kind.as_str()
            ))),
        }
    }

    fn deny(&self, message: &str) -> Result<()> {
        let feedback = (!message.is_empty()).then(|| message.to_owned());
        self.request.settle(match self.kind() {
            RequestKind::Permission => Answer::Permission(PermissionAnswer::Deny { feedback }),
            RequestKind::Tool => Answer::Tool(ToolAnswer::Failed {
                error: feedback.unwrap_or_else(|| "the host refused the call".to_owned()),
            }),
            RequestKind::Question => Answer::Question(QuestionAnswer::Dismissed { dismissed: true }),
            RequestKind::Plan => Answer::Plan(PlanAnswer { approved: false, mode: None, feedback }),
            RequestKind::Check => {
                Answer::Check(CheckAnswer { blocking: true, findings: feedback.into_iter().collect() })
            }
        })
    }
}

/// What is asked, as a number for `switch`.
///
/// Any thread.
///
/// @param request The request. NULL gives 0.
/// @return One of `LODGER_REQUEST_...`.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_kind(request: *const lodger_request) -> u32 {
    // SAFETY: the host keeps to the header.
    let request = unsafe { In::of(request) };
    request.peek().map_or(0, |view| kind::of_request(view.kind()))
}

/// The id of the request, which lodger_agent_answer takes too.
///
/// Any thread.
///
/// @param request The request; it keeps the text. NULL gives no text.
/// @return The id.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_id(request: *const lodger_request) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let request = unsafe { In::of(request) };
    lodger_str::of_optional(request.peek().map(|view| view.request.request().request_id.as_str()))
}

/// One value out of the request, by JSON Pointer: `/permission/summary`, `/permission/risk`, `/tool/toolName`,
/// `/tool/input/city`, `/question/question`.
///
/// Any thread.
///
/// @param request The request; it keeps the text. NULL gives no text.
/// @param pointer A JSON Pointer (RFC 6901).
/// @return A text as it is, a number or truth value as JSON writes it; no text for anything else, and for what is not
///         there.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_field(request: *const lodger_request, pointer: lodger_str) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let (request, pointer) = unsafe { (In::of(request), Text::of(pointer)) };
    let (Some(view), Ok(pointer)) = (request.peek(), pointer.get("pointer")) else { return lodger_str::ABSENT };
    lodger_str::of_optional(quietly(None, || {
        view.document.field(pointer, || serde_json::to_value(view.request.request()).unwrap_or_default())
    }))
}

/// The whole request as a JSON object: `requestId`, `kind`, `toolCallId`, `expiresAt`, and under the name of its kind
/// what is asked.
///
/// Any thread.
///
/// @param request The request; it keeps the text. NULL gives no text.
/// @return The JSON.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_json(request: *const lodger_request) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let request = unsafe { In::of(request) };
    lodger_str::of_optional(request.peek().map(|view| view.request.json()))
}

/// Whether the request is settled: answered, cancelled with its turn, or timed out.
///
/// Any thread.
///
/// @param request The request. NULL, and a request from before a fork, give true.
/// @return True when an answer would come too late.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_settled(request: *const lodger_request) -> bool {
    // SAFETY: the host keeps to the header.
    let request = unsafe { In::of(request) };
    quietly(true, || request.get("request").map_or(true, |view| view.request.is_settled()))
}

/// Has a function called when the request is settled, by whoever it is: to take down a dialog, to stop the work of a
/// tool. At once if that has happened already. Each call adds one function.
///
/// Any thread. The function runs on the callback thread, perhaps before this returned; not after the agent's close.
///
/// @param request  The request. It may be freed before the function runs.
/// @param settled  What to call.
/// @param ctx      Handed to `settled`. It belongs to the library from now on, also when the call fails.
/// @param drop     Frees `ctx`; may be NULL.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_on_settled(
    request: *const lodger_request,
    settled: lodger_wake_fn,
    ctx: *mut c_void,
    drop: lodger_drop_fn,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (request, err) = unsafe { (In::of(request), Out::of(err)) };
    guard(err, || {
        let context = Context::new(ctx, drop);
        let view = request.get("request")?;
        let Some(settled) = settled else { return Err(null("settled")) };
        let (gate, desk) = (Arc::clone(&view.gate), Arc::clone(&view.desk));
        view.request.on_settled(Box::new(move || {
            desk.post(Box::new(move || {
                // SAFETY: the host's function with the host's pointer, which `context` keeps until after the call.
                gate.pass(|| context.call(|ctx| unsafe { settled(ctx) }));
            }));
        }));
        Ok(LODGER_OK)
    })
}

/// Shows how far a call of your tool has come: a `tool_progress` event of the stream `progress`.
///
/// Any thread.
///
/// @param request  A request of kind LODGER_REQUEST_TOOL.
/// @param text     What to show.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_REQUEST_SETTLED, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_progress(
    request: *const lodger_request,
    text: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (request, text, err) = unsafe { (In::of(request), Text::of(text), Out::of(err)) };
    guard(err, || {
        request.get("request")?.request.progress(text.get("text")?)?;
        Ok(LODGER_OK)
    })
}

/// Answers the request. The first answer counts. One that does not fit the request settles it as a refusal, and is
/// LODGER_OK.
///
/// Any thread.
///
/// @param request     The request.
/// @param answer_json The answer, a JSON object; its form depends on the request's kind (see "Requests", on top).
/// @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_answer(
    request: *const lodger_request,
    answer_json: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (request, answer, err) = unsafe { (In::of(request), Text::of(answer_json), Out::of(err)) };
    guard(err, || {
        request.get("request")?.request.answer(answer.get("answer_json")?)?;
        Ok(LODGER_OK)
    })
}

/// Allows a call this once, approves a plan, or finds nothing against a call.
///
/// Any thread.
///
/// @param request  A request of kind LODGER_REQUEST_PERMISSION, LODGER_REQUEST_PLAN or LODGER_REQUEST_CHECK.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT for the other kinds, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_allow(
    request: *const lodger_request,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (request, err) = unsafe { (In::of(request), Out::of(err)) };
    guard(err, || {
        request.get("request")?.allow()?;
        Ok(LODGER_OK)
    })
}

/// Refuses a request of any kind: denies the call, fails the tool, dismisses the question, rejects the plan, blocks the
/// call that is checked.
///
/// Any thread.
///
/// @param request  The request.
/// @param message  Told to the model, but for a question; empty text for nothing.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_deny(
    request: *const lodger_request,
    message: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (request, message, err) = unsafe { (In::of(request), Text::of(message), Out::of(err)) };
    guard(err, || {
        request.get("request")?.deny(message.get("message")?)?;
        Ok(LODGER_OK)
    })
}

/// Refuses a request of any kind because your handler failed: like lodger_request_deny, but the outcome is `failed`.
///
/// Any thread.
///
/// @param request  The request.
/// @param reason   Told to the model, such as `the handler failed: no disk space`.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_fail(
    request: *const lodger_request,
    reason: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (request, reason, err) = unsafe { (In::of(request), Text::of(reason), Out::of(err)) };
    guard(err, || {
        request.get("request")?.request.fail(reason.get("reason")?)?;
        Ok(LODGER_OK)
    })
}

/// Frees a request. An unanswered one is refused.
///
/// Any thread.
///
/// @param request The request. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_request_free(request: *mut lodger_request) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(request) }
}
