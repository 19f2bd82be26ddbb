//! What an agent is told while it lives: prompts, answers, changes of course.

use lodger_core::embed;

use crate::agent::lodger_agent;
use crate::argument::{In, Out, Text};
use crate::blob::lodger_blob;
use crate::error::lodger_error;
use crate::guard::guard;
use crate::handle::give;
use crate::reading::OwnedTurn;
use crate::status::{LODGER_OK, lodger_status};
use crate::text::lodger_str;
use crate::turn::lodger_turn;

/// Sends a prompt. The turn starts at once and goes on until its `done` event, whether or not you read it; it stops
/// at a full queue until you do. An agent has one turn at a time.
///
/// Any thread.
///
/// @param agent       The agent.
/// @param prompt_json A JSON string, or a JSON array of content blocks.
/// @param[out] out    The turn. Yours: lodger_turn_free.
/// @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_CLOSED, LODGER_E_SESSION_BUSY, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_prompt(
    agent: *const lodger_agent,
    prompt_json: lodger_str,
    out: *mut *mut lodger_turn,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, prompt, out, err) = unsafe { (In::of(agent), Text::of(prompt_json), Out::of(out), Out::of(err)) };
    guard(err, || {
        let (agent, out) = (agent.get("agent")?, out.get("out")?);
        *out = give(OwnedTurn::start(agent, prompt.get("prompt_json")?)?);
        Ok(LODGER_OK)
    })
}

/// Answers an open request by its id: for agents with `"requests": "events"`, and for any place that knows the id.
/// An answer that does not fit its request settles it as a refusal, and is LODGER_OK.
///
/// Any thread.
///
/// @param agent       The agent.
/// @param request_id  `requestId` of the `request_opened` event.
/// @param answer_json The answer, a JSON object; its form depends on the request's kind (see "Requests", on top).
/// @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_REQUEST_NOT_FOUND, LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_answer(
    agent: *const lodger_agent,
    request_id: lodger_str,
    answer_json: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, id, answer, err) =
        unsafe { (In::of(agent), Text::of(request_id), Text::of(answer_json), Out::of(err)) };
    guard(err, || {
        agent.get("agent")?.agent.answer(id.get("request_id")?, answer.get("answer_json")?)?;
        Ok(LODGER_OK)
    })
}

/// Refuses an open request by its id because your handler failed: the outcome is `failed`.
///
/// Any thread.
///
/// @param agent      The agent.
/// @param request_id `requestId` of the `request_opened` event.
/// @param reason     Told to the model, such as `the handler failed: no disk space`.
/// @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_REQUEST_NOT_FOUND, LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_fail_request(
    agent: *const lodger_agent,
    request_id: lodger_str,
    reason: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, id, reason, err) = unsafe { (In::of(agent), Text::of(request_id), Text::of(reason), Out::of(err)) };
    guard(err, || {
        agent.get("agent")?.agent.fail_request(id.get("request_id")?, reason.get("reason")?)?;
        Ok(LODGER_OK)
    })
}

/// Shows by its request's id how far a call of your tool has come: a `tool_progress` event of the stream `progress`.
///
/// Any thread.
///
/// @param agent      The agent.
/// @param request_id `requestId` of the `request_opened` event.
/// @param text       What to show.
/// @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_REQUEST_NOT_FOUND, LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_progress(
    agent: *const lodger_agent,
    request_id: lodger_str,
    text: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, id, text, err) = unsafe { (In::of(agent), Text::of(request_id), Text::of(text), Out::of(err)) };
    guard(err, || {
        agent.get("agent")?.agent.progress(id.get("request_id")?, text.get("text")?)?;
        Ok(LODGER_OK)
    })
}

/// Cancels the turn that is running, if there is one. It does not wait: the turn ends with its `done` event.
///
/// Any thread.
///
/// @param agent            The agent.
/// @param[out] was_running Whether there was one; NULL if you do not want to know.
/// @param[out] err         The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_interrupt(
    agent: *const lodger_agent,
    was_running: *mut bool,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, was_running, err) = unsafe { (In::of(agent), Out::of(was_running), Out::of(err)) };
    guard(err, || {
        let running = agent.get("agent")?.agent.interrupt();
        if let Some(place) = was_running.get_optional() {
            *place = running;
        }
        Ok(LODGER_OK)
    })
}

/// Sets how much the agent may do without asking. A stricter mode binds at once, a looser one from the next step on.
///
/// Any thread.
///
/// @param agent    The agent.
/// @param mode     `ask`, `auto-edit`, `full-auto` or `plan`.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_CLOSED, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_set_mode(
    agent: *const lodger_agent,
    mode: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, mode, err) = unsafe { (In::of(agent), Text::of(mode), Out::of(err)) };
    guard(err, || {
        agent.get("agent")?.agent.set_mode(mode.get("mode")?)?;
        Ok(LODGER_OK)
    })
}

/// Sets the model, from the next reply on.
///
/// Any thread.
///
/// @param agent    The agent.
/// @param model    `provider/model`.
/// @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_INVALID_OPTIONS, LODGER_E_PROVIDER_AUTH when there is no key, LODGER_E_INVALID_INPUT,
///         LODGER_E_CLOSED, LODGER_E_FORKED.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_set_model(
    agent: *const lodger_agent,
    model: lodger_str,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, model, err) = unsafe { (In::of(agent), Text::of(model), Out::of(err)) };
    guard(err, || {
        agent.get("agent")?.agent.set_model(model.get("model")?)?;
        Ok(LODGER_OK)
    })
}

/// Everything that is asked for seldom, by the names of the host protocol: `session/messages`, `session/usage`,
/// `session/set_mode`, `session/set_model`, `session/cancel`, `session/answer`, `health`.
///
/// Any thread.
///
/// @param agent       The agent.
/// @param method      The name.
/// @param params_json A JSON object; empty text for none.
/// @param[out] out    The result as JSON. Yours: lodger_blob_free.
/// @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
/// @return LODGER_OK; LODGER_E_UNSUPPORTED for a name that this build does not have, LODGER_E_INVALID_INPUT,
///         LODGER_E_FORKED, and what the named verb answers.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_agent_call(
    agent: *const lodger_agent,
    method: lodger_str,
    params_json: lodger_str,
    out: *mut *mut lodger_blob,
    err: *mut *mut lodger_error,
) -> lodger_status {
    // SAFETY: the host keeps to the header.
    let (agent, method, params, out, err) =
        unsafe { (In::of(agent), Text::of(method), Text::of(params_json), Out::of(out), Out::of(err)) };
    guard(err, || {
        let (agent, out) = (agent.get("agent")?, out.get("out")?);
        let params = match params.get("params_json")? {
            "" => "{}",
            given => given,
        };
        *out = give(embed::call(&agent.agent, method.get("method")?, params)?.into_bytes());
        Ok(LODGER_OK)
    })
}
