//! Which answer a request gets.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use lodger_model::scripted::{Beats, Script};
use serde_json::Value;

use crate::errors::Failure;
use crate::fault::{FaultRule, WireFault};
use crate::models;
use crate::pieces::{Pieces, Topic, break_of};
use crate::protocol::{Platform, Protocol, Route};
use crate::quirk::Quirks;
use crate::request::{Asked, read};
use crate::server::MockOptions;
use crate::socket::Hangup;
use crate::stats::Shared;
use crate::whole::{Whole, play};
use crate::writer::Writer;

/// Largest request body, in bytes.
const MAX_BODY: usize = 64 * 1024 * 1024;

pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// An answer, or a connection that is closed without one.
pub(crate) type Answer = io::Result<Response<Body>>;

/// What every connection of a server knows.
pub(crate) struct Server {
    pub(crate) script: Arc<Script>,
    pub(crate) options: MockOptions,
    pub(crate) faults: Arc<Mutex<Vec<FaultRule>>>,
    pub(crate) stats: Shared,
}

impl Server {
    pub(crate) async fn answer(&self, request: Request<Incoming>, hangup: Hangup) -> Answer {
        let path = request.uri().path().to_owned();
        match *request.method() {
            Method::GET if path == "/__mock/stats" => {
                let stats = serde_json::to_string(&*self.stats.lock()).unwrap_or_default();
                Ok(whole(StatusCode::OK, &[], stats))
            }
            Method::GET => match models::protocol(&path, request.headers()) {
                Some(protocol) => Ok(self.models(protocol, &request)),
                None => Ok(nowhere(request.method(), &path)),
            },
            Method::POST => match Route::of(&path) {
                Some(route) => self.reply(route, request, hangup).await,
                None => Ok(nowhere(request.method(), &path)),
            },
            _ => Ok(nowhere(request.method(), &path)),
        }
    }

    fn models(&self, protocol: Protocol, request: &Request<Incoming>) -> Response<Body> {
        match self.unwelcome(protocol, Platform::Vendor, request.headers(), request.uri()) {
            Some(why) => refusal(protocol, Platform::Vendor, &Failure::of_status(protocol, 401, why.to_owned())),
            None => {
                let list = models::list(protocol, request.uri(), &self.options.models);
                whole(StatusCode::OK, &[], list.to_string())
            }
        }
    }

    async fn reply(&self, route: Route, request: Request<Incoming>, hangup: Hangup) -> Answer {
        let (protocol, platform) = (route.protocol, route.platform);
        let refuse = |status, why: String| Ok(refusal(protocol, platform, &Failure::of_status(protocol, status, why)));
        if let Some(why) = self.unwelcome(protocol, platform, request.headers(), request.uri()) {
            return refuse(401, why.to_owned());
        }
        if protocol == Protocol::Gemini && route.streams(&Value::Null) && !asks_for_events(request.uri()) {
            return refuse(400, "this server streams events only: add `alt=sse`".to_owned());
        }
        let head = head_of(&request);
        let body = Limited::new(request.into_body(), MAX_BODY).collect().await.map(|body| body.to_bytes());
        let body = match body.map(|bytes| serde_json::from_slice::<Value>(&bytes)) {
            Ok(Ok(body)) => body,
            Ok(Err(error)) => return refuse(400, format!("not JSON: {error}")),
            Err(error) => return refuse(400, format!("unreadable: {error}")),
        };
        let (model, streams, asked) = (route.model(&body), route.streams(&body), read(protocol, platform, &body));
        let number = self.stats.request(head, body, asked.as_ref().err());
        let fault = self.fault(number);
        match &fault {
            Some(WireFault::Silence) => match std::future::pending::<Infallible>().await {},
            Some(WireFault::Close) => return Err(io::Error::other("closed as told")),
            Some(WireFault::Status { status, headers, body }) => {
                let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
                let failure = Failure::of_status(protocol, *status, "the fault says so".to_owned());
                let body = body.clone().unwrap_or_else(|| failure.body_on(platform, protocol).to_string());
                return Ok(whole(StatusCode::from_u16(*status).unwrap_or_default(), &headers, body));
            }
            _ => {}
        }
        let asked = match asked {
            Ok(asked) => asked,
            Err(flaw) => return refuse(400, flaw),
        };
        let index = match self.step(&asked) {
            Ok(index) => index,
            Err(error) => return Ok(refusal(protocol, platform, &Failure::of(protocol, error.code, error.message))),
        };
        let step = &self.script.steps[index];
        let beats = Beats::new(self.script.clone(), index);
        let topic = Topic {
            protocol,
            model,
            number,
            stop_reason: step.stop_reason(),
            usage: step.usage,
            quirks: Quirks(self.options.quirks.clone()),
            wants_usage: asked.wants_usage,
            wants_encrypted: asked.wants_encrypted,
        };
        match step.fault.as_ref().filter(|fault| fault.after_parts == 0) {
            Some(broken) if break_of(broken).is_none() => {
                Ok(refusal(protocol, platform, &Failure::of_fault(protocol, broken)))
            }
            _ if streams => {
                let pieces = Pieces::new(beats, topic);
                Ok(stream_of(
                    Writer::new(pieces, platform, fault.clone(), &self.options, self.stats.clone(), hangup),
                    platform,
                    fault,
                    number,
                ))
            }
            _ => match play(beats, &topic, self.options.folder.as_deref()).await {
                Whole::Said(body) => Ok(whole(StatusCode::OK, &[], body.to_string())),
                Whole::Failed(failure) => Ok(refusal(protocol, platform, &failure)),
                Whole::Malformed => Ok(whole(StatusCode::OK, &[], "{not json".to_owned())),
                Whole::Cut => Err(io::Error::other("cut as told")),
            },
        }
    }

    fn step(&self, asked: &Asked) -> Result<usize, lodger_protocol::Error> {
        let index = self.script.step_for(asked.replies)?;
        match self.script.steps.get(index).and_then(|step| step.expect.as_ref()) {
            Some(expect) => expect.check(index, &asked.seen).map(|()| index),
            None => Ok(index),
        }
    }

    fn fault(&self, number: u64) -> Option<WireFault> {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let strikes = |rule: &&FaultRule| rule.request.is_none_or(|request| request == number);
        faults.iter().find(strikes).map(|rule| rule.fault.clone())
    }

    fn unwelcome(
        &self,
        protocol: Protocol,
        platform: Platform,
        headers: &HeaderMap,
        uri: &Uri,
    ) -> Option<&'static str> {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let is_vendor = platform == Platform::Vendor;
        if protocol == Protocol::Anthropic && is_vendor && header("anthropic-version").is_none() {
            return Some("anthropic-version: header is required");
        }
        let key = self.options.api_key.as_deref()?;
        let (given, words) = match protocol {
            Protocol::Anthropic if !is_vendor => (bearer, "The security token included in the request is invalid."),
            Protocol::Anthropic => (header("x-api-key").or(bearer), "invalid x-api-key"),
            Protocol::OpenaiChat | Protocol::OpenaiResponses => {
                (bearer.or_else(|| header("api-key")), "Incorrect API key provided.")
            }
            Protocol::Gemini => (
                header("x-goog-api-key").or(bearer).or_else(|| key_in(uri)),
                "API key not valid. Please pass a valid API key.",
            ),
        };
        (given != Some(key)).then_some(words)
    }
}

fn head_of(request: &Request<Incoming>) -> String {
    let mut head = format!("{} {}\n", request.method(), request.uri());
    for (name, value) in request.headers() {
        head.push_str(&format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes())));
    }
    head
}

fn key_in(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("key="))
}

fn asks_for_events(uri: &Uri) -> bool {
    uri.query().is_some_and(|query| query.split('&').any(|pair| pair == "alt=sse"))
}

fn stream_of(writer: Writer, platform: Platform, fault: Option<WireFault>, number: u64) -> Response<Body> {
    let chunks = stream::unfold(writer, |mut writer| async { Some((writer.next().await?, writer)) });
    let body = StreamBody::new(chunks.map_ok(Frame::data).boxed()).boxed_unsync();
    let mut response = Response::new(body);
    let (kind, names) = match platform {
        Platform::Bedrock => ("application/vnd.amazon.eventstream", &["x-amzn-requestid"][..]),
        Platform::Vendor | Platform::Vertex => {
            ("text/event-stream; charset=utf-8", &["request-id", "x-request-id"][..])
        }
    };
    insert(response.headers_mut(), "content-type", kind);
    for name in names {
        insert(response.headers_mut(), name, &format!("req_mock_{number}"));
    }
    if let Some(WireFault::Length { claims, .. }) = fault {
        insert(response.headers_mut(), "content-length", &claims.to_string());
    }
    response
}

fn nowhere(method: &Method, path: &str) -> Response<Body> {
    let failure = Failure::of_status(Protocol::Anthropic, 404, format!("there is no {method} {path}"));
    refusal(Protocol::Anthropic, Platform::Vendor, &failure)
}

fn refusal(protocol: Protocol, platform: Platform, failure: &Failure) -> Response<Body> {
    let status = StatusCode::from_u16(failure.status).unwrap_or_default();
    whole(status, &failure.headers(protocol), failure.body_on(platform, protocol).to_string())
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
