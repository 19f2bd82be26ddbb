//! Every fault of the wire, in every protocol and on every platform, before any output, in mid text and in mid call: the turn ends once, with
//! the code that says what it was; no tool runs on an input that was cut; and the next prompt is a conversation that
//! the provider takes.

use std::collections::BTreeMap;

use futures_util::{StreamExt, stream};
use lodger::ErrorCode;
use lodger::protocol::{DoneReason, Limits};
use lodger_kit::{FaultRule, MockOptions, MockServer, Protocol, WireFault, bedrock_frames, frames};
use lodger_model::scripted::Script;
use serde_json::{Value, json};

use crate::support::*;
use crate::wire::speaker_to;

/// How many agents are at work at once.
const AT_ONCE: usize = 16;
/// How long silence may be where silence is the fault.
const SHORT_MS: u64 = 4000;

const TEXT: [&str; 4] = ["alpha ", "beta ", "gamma ", "delta"];

/// In four pieces of the same length, each with a word of its own.
fn input() -> Value {
    json!({ "a": "ONE", "b": "TWO", "c": "TRI", "d": "FOR" })
}

fn script() -> Script {
    let call = json!({ "type": "tool_call", "toolName": "look", "input": input(), "chunks": 4 });
    let steps = json!([
        { "reply": [{ "type": "text", "text": TEXT }, call], "usage": { "inputTokens": 9, "outputTokens": 9 } },
        { "reply": [{ "type": "text", "text": "done" }] },
    ]);
    serde_json::from_value(json!({ "steps": steps, "after": "last" })).unwrap()
}

/// By whom a protocol is spoken.
#[derive(Clone, Copy, Debug)]
struct Way {
    provider: &'static str,
    protocol: Protocol,
}

const ANTHROPIC: Way = Way { provider: "any", protocol: Protocol::Anthropic };
const CHAT: Way = Way { provider: "any", protocol: Protocol::OpenaiChat };
const RESPONSES: Way = Way { provider: "any", protocol: Protocol::OpenaiResponses };
const GEMINI: Way = Way { provider: "any", protocol: Protocol::Gemini };
const BEDROCK: Way = Way { provider: "bedrock", protocol: Protocol::Anthropic };
const VERTEX: Way = Way { provider: "vertex", protocol: Protocol::Anthropic };
const CODEX: Way = Way { provider: "codex", protocol: Protocol::OpenaiResponses };

const WAYS: [Way; 7] = [ANTHROPIC, CHAT, RESPONSES, GEMINI, BEDROCK, VERTEX, CODEX];

impl Way {
    /// Its frames are binary.
    fn is_binary(self) -> bool {
        self.provider == "bedrock"
    }
}

/// A place in the stream of the first reply.
#[derive(Clone, Copy, Debug)]
struct Place {
    name: &'static str,
    /// So many frames are whole.
    events: usize,
    /// So many bytes are in the frames before it, and a piece of the next.
    bytes: usize,
    /// The bytes of the whole frames alone.
    border: usize,
}

/// Before any output, in mid text, in mid call.
fn places(way: Way) -> [Place; 3] {
    let frames = frames(&script(), 0, way.protocol, "mock");
    let binary = bedrock_frames(&script(), 0, "mock");
    [("before output", "alpha", 0), ("mid text", "gamma", 2), ("mid call", "TRI", 2)].map(|(name, word, inside)| {
        let events = frames.iter().position(|frame| frame.contains(word)).unwrap();
        let border = match way.is_binary() {
            true => binary[..events].iter().map(Vec::len).sum::<usize>(),
            false => frames[..events].iter().map(String::len).sum(),
        };
        let bytes = match way.is_binary() {
            _ if inside == 0 => border,
            true => border + binary[events].len() / 2,
            false => border + frames[events].find(word).unwrap() + inside,
        };
        Place { name, events, bytes, border }
    })
}

/// How the turn must end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// With this error, and no tool was run.
    Fails(ErrorCode),
    /// As if nothing had been.
    Survives,
    /// In due form, since the provider said so; the call that it cut was not run.
    Believes,
}

use End::{Believes, Fails, Survives};

/// A fault, struck at a place.
struct Row {
    name: &'static str,
    fault: Box<dyn Fn(Place) -> WireFault + Send + Sync>,
    end: End,
}

fn row(name: &'static str, end: End, fault: impl Fn(Place) -> WireFault + Send + Sync + 'static) -> Row {
    Row { name, fault: Box::new(fault), end }
}

/// A row that puts bytes between the frames.
fn inserted(name: &'static str, text: impl Into<String>, end: End) -> Row {
    let text = text.into();
    row(name, end, move |at| WireFault::Insert { after_events: at.events, text: text.clone() })
}

/// A row that puts a frame between the frames.
fn frame(name: &'static str, data: impl ToString, end: End) -> Row {
    inserted(name, format!("data: {}\n\n", data.to_string()), end)
}

/// A row in which the provider reports an error.
fn reported(name: &'static str, code: ErrorCode) -> Row {
    row(name, Fails(code), move |at| WireFault::Error { after_events: at.events, code, message: None })
}

fn table(way: Way) -> Vec<Row> {
    let protocol = way.protocol;
    use ErrorCode::{
        ContextOverflow, ProviderAuth, ProviderMalformed, ProviderOverloaded, ProviderRateLimited, ProviderRejected,
        ProviderStreamCut, ProviderUnavailable, Timeout,
    };
    let cut = Fails(ProviderStreamCut);
    let malformed = Fails(ProviderMalformed);
    let mut rows = vec![
        row("the connection breaks", cut, |at| WireFault::Cut { after_bytes: at.bytes }),
        row("the connection breaks between frames", cut, |at| WireFault::Cut { after_bytes: at.border }),
        row("the connection is reset", cut, |at| WireFault::Reset { after_bytes: at.bytes }),
        row("the body ends", cut, |at| WireFault::End { after_bytes: at.bytes }),
        row("the body ends between frames", cut, |at| WireFault::End { after_bytes: at.border }),
        row("the body is longer than it claims", cut, |at| WireFault::Length { claims: at.bytes, after_bytes: None }),
        row("the body is shorter than it claims", cut, |at| WireFault::Length {
            claims: at.bytes + 5000,
            after_bytes: Some(at.bytes),
        }),
        row("silence", Fails(Timeout), |at| WireFault::Stall { after_bytes: at.bytes }),
        row("silence between frames", Fails(Timeout), |at| WireFault::Stall { after_bytes: at.border }),
        reported("overload", ProviderOverloaded),
        reported("a rate limit", ProviderRateLimited),
        reported("credentials that are no longer good", ProviderAuth),
        reported("a conversation that is too long", ContextOverflow),
        reported("a fault of the provider", ProviderUnavailable),
        reported("a request that is not taken", ProviderRejected),
        frame("an error of no known kind", strange_error(protocol), Fails(ProviderUnavailable)),
        frame(
            "an error of a gateway",
            json!({ "error": { "type": "overloaded_error", "message": "busy" } }),
            Fails(ProviderOverloaded),
        ),
        row("half a frame", malformed, |at| WireFault::Malformed { after_events: at.events }),
        frame("a frame of no JSON", "hello", malformed),
        frame("a frame that is a number", 7, malformed),
        frame("a frame that is a text", "\"hello\"", malformed),
        frame("a frame that is true", true, malformed),
        frame("a field of another type", wrong_field(protocol), malformed),
        inserted(
            "an end that comes too early",
            early_end(protocol),
            if protocol == Protocol::Gemini { Survives } else { Believes },
        ),
        row("a frame of a kind that is not known", Survives, |at| WireFault::Unknown { after_events: at.events }),
        frame("a frame without data", "", Survives),
        inserted("comments", ": keep-alive\n\n: \n:\n\n", Survives),
        inserted("blank lines", "\n\n\r\n\r\n", Survives),
        inserted("lines that mean nothing here", "retry: 9\nid: 7\nfoo: bar\nbaz\n\n", Survives),
        inserted("a page of a proxy", "<html><body>\nHello\n</body></html>\n\n", Survives),
        row("a trickle, byte by byte", Survives, |_| WireFault::Trickle { bytes: 1, pause_ms: 0 }),
        row("a trickle of three bytes", Survives, |_| WireFault::Trickle { bytes: 3, pause_ms: 0 }),
    ];
    if way.is_binary() {
        // What is put between its messages belongs to none of them.
        for row in &mut rows {
            if matches!((row.fault)(places(way)[0]), WireFault::Insert { .. }) {
                row.end = malformed;
            }
        }
        let bit = |name, inside| row(name, malformed, move |at| WireFault::Corrupt { at_byte: at.border + inside });
        rows.extend([
            bit("a length that lies", 3),
            bit("a checksum that is wrong", 9),
            bit("a header that is damaged", 20),
        ]);
        rows.push(row("a payload that is damaged", malformed, |at| WireFault::Corrupt { at_byte: at.border + 120 }));
    }
    rows
}

/// An error by a name that nobody knows, in the protocol's form.
fn strange_error(protocol: Protocol) -> Value {
    let error = json!({ "type": "strange", "message": "what" });
    match protocol {
        Protocol::Anthropic => json!({ "type": "error", "error": error }),
        Protocol::OpenaiChat => json!({ "error": error }),
        Protocol::OpenaiResponses => json!({ "type": "response.failed", "response": { "error": error } }),
        Protocol::Gemini => json!({ "error": { "code": 599, "status": "STRANGE", "message": "what" } }),
    }
}

/// A frame of a known kind whose most important field is not what it must be.
fn wrong_field(protocol: Protocol) -> Value {
    match protocol {
        Protocol::Anthropic => json!({ "type": "content_block_delta", "index": "none", "delta": [] }),
        Protocol::OpenaiChat => json!({ "choices": "none" }),
        Protocol::OpenaiResponses => json!({ "type": "response.output_text.delta", "delta": { "text": 7 } }),
        Protocol::Gemini => json!({ "candidates": "none" }),
    }
}

/// What ends a reply, before it is all said. Gemini has nothing that does: after a reason to end more may come.
fn early_end(protocol: Protocol) -> String {
    match protocol {
        Protocol::Anthropic => "data: {\"type\":\"message_stop\"}\n\n",
        Protocol::OpenaiChat => {
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n"
        }
        Protocol::OpenaiResponses => {
            "data: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}\n\n"
        }
        Protocol::Gemini => "data: {\"candidates\":[{\"finishReason\":\"MAX_TOKENS\"}]}\n\n",
    }
    .to_owned()
}

/// One prompt that meets the fault, and one that does not. Returns what was not as it must be.
async fn meet(way: Way, fault: WireFault, end: End) -> Result<(), String> {
    let silent = matches!(fault, WireFault::Stall { .. });
    let faults = vec![FaultRule::on(1, fault)];
    let server = MockServer::start_with(script(), MockOptions { faults, ..MockOptions::default() }).unwrap();
    let mut limits = Limits { max_retries: 0, ..Limits::default() };
    if silent {
        limits.gap_timeout_ms = SHORT_MS;
    }
    let (agent, runs) = speaker_to(&server, way.provider, way.protocol, limits, || "seen".into());
    let events = play(&agent, "hello").await;
    let (reason, error) = look::whole(&events);
    let runs = runs.lock().unwrap().clone();
    let said = look::text(&events);
    let fits = match end {
        Fails(code) => {
            reason == DoneReason::Error
                && error.as_ref().is_some_and(|error| error.code == code)
                && runs.is_empty()
                && TEXT.concat().starts_with(&said)
        }
        Survives => reason == DoneReason::EndTurn && runs == [input()] && said == format!("{}done", TEXT.concat()),
        Believes => error.is_none() && runs.is_empty(),
    };
    server.set_faults(Vec::new());
    let (after, later) = look::whole(&play(&agent, "go on").await);
    let flaws = server.stats().flaws;
    match fits && after == DoneReason::EndTurn && flaws.is_empty() {
        true => Ok(()),
        false => Err(format!("{reason:?} {error:?} said {said:?} ran {runs:?}; then {after:?} {later:?} {flaws:?}")),
    }
}

/// Every row at every place; all that went wrong is told at once.
async fn hold(way: Way) {
    let table = table(way);
    assert!(table.len() >= 25, "{}", table.len());
    let cases = table.iter().flat_map(|row| places(way).map(|place| (row, place)));
    let failures: Vec<String> = stream::iter(cases)
        .map(|(row, place)| async move {
            let outcome = meet(way, (row.fault)(place), row.end).await;
            outcome.err().map(|found| format!("{} {}: expected {:?}, found {found}", row.name, place.name, row.end))
        })
        .buffer_unordered(AT_ONCE)
        .filter_map(std::future::ready)
        .collect()
        .await;
    assert!(failures.is_empty(), "{way:?}:\n{}", failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_at_every_place_in_anthropic_messages() {
    hold(ANTHROPIC).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_at_every_place_in_openai_chat_completions() {
    hold(CHAT).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_at_every_place_in_openai_responses() {
    hold(RESPONSES).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_at_every_place_in_gemini() {
    hold(GEMINI).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_at_every_place_in_the_messages_of_bedrock() {
    hold(BEDROCK).await;
}

/// The answers that are no reply, and what they mean.
fn refusals() -> Vec<(WireFault, ErrorCode)> {
    use ErrorCode::{
        ModelNotFound, ProviderAuth, ProviderMalformed, ProviderOverloaded, ProviderRateLimited, ProviderRejected,
        ProviderUnavailable, Timeout,
    };
    let status = |status, body: Option<&str>| WireFault::Status {
        status,
        headers: BTreeMap::new(),
        body: body.map(str::to_owned),
    };
    let page = Some("<html><title>Bad Gateway</title></html>");
    vec![
        (status(400, None), ProviderRejected),
        (status(401, None), ProviderAuth),
        (status(403, None), ProviderAuth),
        (status(404, None), ModelNotFound),
        (status(408, None), ProviderUnavailable),
        (status(413, None), ProviderRejected),
        (status(429, None), ProviderRateLimited),
        (status(500, None), ProviderUnavailable),
        (status(502, page), ProviderUnavailable),
        (status(504, Some("")), ProviderUnavailable),
        (status(529, None), ProviderOverloaded),
        (status(302, None), ProviderRejected),
        (status(400, Some("not JSON")), ProviderRejected),
        (status(200, Some("{}")), ProviderMalformed),
        (WireFault::Close, ProviderUnavailable),
        (WireFault::Silence, Timeout),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_has_its_code_in_every_protocol_at_the_first_request_and_after_a_call() {
    let cases = WAYS.iter().flat_map(|way| {
        refusals().into_iter().flat_map(move |(fault, code)| [1, 2].map(|number| (*way, fault.clone(), code, number)))
    });
    let failures: Vec<String> = stream::iter(cases)
        .map(|(way, fault, code, number)| async move {
            let faults = vec![FaultRule::on(number, fault.clone())];
            let server = MockServer::start_with(script(), MockOptions { faults, ..MockOptions::default() }).unwrap();
            let mut limits = Limits { max_retries: 0, ..Limits::default() };
            if fault == WireFault::Silence {
                limits.first_byte_timeout_ms = SHORT_MS;
            }
            let (agent, runs) = speaker_to(&server, way.provider, way.protocol, limits, || "seen".into());
            let (reason, error) = look::whole(&play(&agent, "hello").await);
            let runs = runs.lock().unwrap().len() as u64;
            let (after, _) = look::whole(&play(&agent, "go on").await);
            let flaws = server.stats().flaws;
            let fits = reason == DoneReason::Error
                && error.as_ref().is_some_and(|error| error.code == code)
                && runs == number - 1
                && after == DoneReason::EndTurn
                && flaws.is_empty();
            (!fits).then(|| format!("{way:?} {fault:?} at {number}: {reason:?} {error:?} {after:?} {flaws:?}"))
        })
        .buffer_unordered(AT_ONCE)
        .filter_map(std::future::ready)
        .collect()
        .await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_pass_is_tried_again_before_output_and_never_after() {
    let faults = |place: Place| {
        let code = ErrorCode::ProviderOverloaded;
        [
            WireFault::Cut { after_bytes: place.border },
            WireFault::Error { after_events: place.events, code, message: None },
        ]
    };
    let cases = WAYS.iter().flat_map(|way| {
        let [before, mid_text, mid_call] = places(*way);
        let again = faults(before).map(|fault| (*way, fault, true));
        let never = [mid_text, mid_call].into_iter().flat_map(faults).map(|fault| (*way, fault, false));
        again.into_iter().chain(never).collect::<Vec<_>>()
    });
    let failures: Vec<String> = stream::iter(cases)
        .map(|(way, fault, again)| async move {
            let faults = vec![FaultRule::on(1, fault.clone())];
            let server = MockServer::start_with(script(), MockOptions { faults, ..MockOptions::default() }).unwrap();
            let limits = Limits { max_retries: 1, ..Limits::default() };
            let (agent, runs) = speaker_to(&server, way.provider, way.protocol, limits, || "seen".into());
            let (reason, _) = look::whole(&play(&agent, "hello").await);
            let (requests, runs) = (server.stats().requests, runs.lock().unwrap().len());
            let expected = if again { (DoneReason::EndTurn, 3, 1) } else { (DoneReason::Error, 1, 0) };
            let found = (reason, requests, runs);
            (found != expected).then(|| format!("{way:?} {fault:?}: {found:?}"))
        })
        .buffer_unordered(AT_ONCE)
        .filter_map(std::future::ready)
        .collect()
        .await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
