//! Which answer a request gets.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use lodger_model::scripted::{Beats, FaultKind, Script};
use lodger_protocol::{Error, ErrorCode};
use serde_json::{Value, json};

use crate::fault::{FaultRule, WireFault};
use crate::pieces::{Pieces, message_of, words_of};
use crate::request::{assistant_messages, seen};
use crate::server::MockOptions;
use crate::stats::Shared;
use crate::writer::Writer;

/// Largest request body, in bytes.
const MAX_BODY: usize = 64 * 1024 * 1024;

pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// What every connection of a server knows.
pub(crate) struct Server {
    pub(crate) script: Arc<Script>,
    pub(crate) options: MockOptions,
    pub(crate) stats: Shared,
}

impl Server {
    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        match (request.method().clone(), request.uri().path()) {
            (Method::GET, "/__mock/stats") => {
                let stats = serde_json::to_string(&*self.stats.lock()).unwrap_or_default();
                whole(StatusCode::OK, &[], stats)
            }
            (Method::POST, "/v1/messages") => self.reply(request).await,
            (method, path) => refusal(404, "not_found_error", &format!("there is no {method} {path}"), &[]),
        }
    }

    async fn reply(&self, request: Request<Incoming>) -> Response<Body> {
        if let Some(why) = self.unwelcome(request.headers()) {
            return refusal(401, "authentication_error", why, &[]);
        }
        let body = Limited::new(request.into_body(), MAX_BODY).collect().await.map(|body| body.to_bytes());
        let body = match body.map(|bytes| serde_json::from_slice::<Value>(&bytes)) {
            Ok(Ok(body)) => body,
            Ok(Err(error)) => return refusal(400, "invalid_request_error", &format!("not JSON: {error}"), &[]),
            Err(error) => return refusal(400, "invalid_request_error", &format!("unreadable: {error}"), &[]),
        };
        let model = body["model"].as_str().unwrap_or_default().to_owned();
        let step = self.step(&body);
        let number = self.stats.request(body);
        let fault = self.fault(number).cloned();
        match &fault {
            Some(WireFault::Silence) => match std::future::pending::<Infallible>().await {},
            Some(WireFault::Status { status, headers, body }) => {
                let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
                return match body {
                    Some(body) => whole(StatusCode::from_u16(*status).unwrap_or_default(), &headers, body.clone()),
                    None => refusal(*status, kind_of(*status), "the fault says so", &headers),
                };
            }
            _ => {}
        }
        match step {
            Ok(index) => self.play(index, model, number, fault),
            Err(error) => {
                let (kind, status) = words_of(error.code);
                refusal(status, kind, &error.message, &[])
            }
        }
    }

    fn play(&self, index: usize, model: String, number: u64, fault: Option<WireFault>) -> Response<Body> {
        let step = &self.script.steps[index];
        if let Some(broken) = step.fault.as_ref().filter(|fault| fault.after_parts == 0)
            && broken.kind == FaultKind::Error
            && let Some(code) = broken.code
            && !matches!(code, ErrorCode::ProviderStreamCut | ErrorCode::ProviderMalformed | ErrorCode::Timeout)
        {
            let (kind, status) = words_of(code);
            let wait: Vec<_> = broken.retry_after_ms.map(|ms| ("retry-after-ms", ms.to_string())).into_iter().collect();
            return refusal(status, kind, &message_of(broken), &wait);
        }
        let pieces = Pieces::new(Beats::new(self.script.clone(), index), step, model, number);
        let writer = Writer::new(pieces, fault, &self.options, self.stats.clone());
        let chunks = stream::unfold(writer, |mut writer| async { Some((writer.next().await?, writer)) });
        let body = StreamBody::new(chunks.map_ok(Frame::data).boxed()).boxed_unsync();
        let mut response = Response::new(body);
        insert(response.headers_mut(), "content-type", "text/event-stream; charset=utf-8");
        insert(response.headers_mut(), "request-id", &format!("req_mock_{number}"));
        response
    }

    fn step(&self, body: &Value) -> Result<usize, Error> {
        let index = self.script.step_for(assistant_messages(body))?;
        match self.script.steps.get(index).and_then(|step| step.expect.as_ref()) {
            Some(expect) => expect.check(index, &seen(body)).map(|()| index),
            None => Ok(index),
        }
    }

    fn fault(&self, number: u64) -> Option<&WireFault> {
        let strikes = |rule: &&FaultRule| rule.request.is_none_or(|request| request == number);
        self.options.faults.iter().find(strikes).map(|rule| &rule.fault)
    }

    fn unwelcome(&self, headers: &HeaderMap) -> Option<&'static str> {
        if headers.get("anthropic-version").is_none() {
            return Some("anthropic-version: header is required");
        }
        let key = self.options.api_key.as_ref()?;
        let given = headers.get("x-api-key").and_then(|value| value.to_str().ok());
        (given != Some(key.as_str())).then_some("invalid x-api-key")
    }
}

fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

fn refusal(status: u16, kind: &str, message: &str, headers: &[(&str, String)]) -> Response<Body> {
    let body = json!({ "type": "error", "error": { "type": kind, "message": message } });
    whole(StatusCode::from_u16(status).unwrap_or_default(), headers, body.to_string())
}

fn whole(status: StatusCode, headers: &[(&str, String)], body: String) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(body)).map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = status;
    insert(response.headers_mut(), "content-type", "application/json");
    for (name, value) in headers {
        insert(response.headers_mut(), name, value);
    }
    response
}

fn insert(headers: &mut HeaderMap, name: &str, value: &str) {
    if let (Ok(name), Ok(value)) = (name.parse::<hyper::header::HeaderName>(), value.parse()) {
        headers.insert(name, value);
    }
}
