//! Cold verbs by name: what C, and every wire later, calls without a function of its own.

use lodger_protocol::{Error, ErrorCode, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::agent::Agent;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SetMode {
    mode: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SetModel {
    model: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AnswerRequest {
    request_id: String,
    answer: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// Calls a method by its name: `session/messages`, `session/usage`, `session/set_mode`, `session/set_model`,
/// `session/cancel`, `session/answer`, `health`. Returns its result as JSON.
///
/// # Errors
/// `unsupported` for an unknown method; `invalid_input` for parameters that do not fit; `forked`; the method's own.
pub fn call(agent: &Agent, method: &str, params_json: &str) -> Result<String> {
    agent.check_fork()?;
    let result = match method {
        "session/messages" => {
            let Nothing {} = params(method, params_json)?;
            json!({ "messages": agent.engine().messages() })
        }
        "session/usage" => {
            let Nothing {} = params(method, params_json)?;
            json!(agent.engine().usage())
        }
        "session/set_mode" => {
            let SetMode { mode } = params(method, params_json)?;
            agent.set_mode(&mode)?;
            json!({ "mode": agent.engine().mode() })
        }
        "session/set_model" => {
            let SetModel { model } = params(method, params_json)?;
            agent.set_model(&model)?;
            json!({ "model": agent.engine().model() })
        }
        "session/cancel" => {
            let Nothing {} = params(method, params_json)?;
            json!({ "cancelled": agent.interrupt() })
        }
        "session/answer" => {
            let AnswerRequest { request_id, answer } = params(method, params_json)?;
            agent.answer(&request_id, &answer.to_string())?;
            json!({})
        }
        "health" => {
            let Nothing {} = params(method, params_json)?;
            json!({ "status": if agent.is_closed() { "closed" } else { "ok" }, "version": super::version() })
        }
        _ => {
            return Err(Error::new(
                ErrorCode::Unsupported,
                format!(
                    "there is no method {method:?}; there are session/messages, session/usage, session/set_mode, \
                     session/set_model, session/cancel, session/answer and health"
                ),
            ));
        }
    };
    Ok(result.to_string())
}

fn params<T: DeserializeOwned>(method: &str, json: &str) -> Result<T> {
    let json = if json.trim().is_empty() { "{}" } else { json };
    let wrong = |what: String| Error::invalid_input(format!("the parameters of {method}: {what}"));
    let params: Value = serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
    if !params.is_object() {
        return Err(wrong("expected a JSON object".to_owned()));
    }
    serde_json::from_value(params).map_err(|error| wrong(error.to_string()))
}
