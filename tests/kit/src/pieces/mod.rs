//! A step of a script as the pieces of a stream, each made when it is asked for.
//!
//! The protocols differ in how they say it: each has a voice of its own.

mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;
mod told;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use lodger_model::scripted::{Beat, Beats, BlockStart, Fault, FaultKind, Script};
use lodger_protocol::{ErrorCode, StopReason, Usage};
use serde_json::Value;

use crate::errors::Failure;
use crate::frame::Frame;
use crate::protocol::{Platform, Protocol};
use crate::quirk::{Quirk, Quirks};

pub(crate) use told::Told;

/// What is to be done next.
pub(crate) enum Piece {
    /// Write one frame.
    Frame(Frame),
    /// Write nothing for a while.
    Pause(Duration),
    /// Write nothing until this file exists.
    Wait(String),
    /// Break the connection.
    Cut,
    /// Write nothing more.
    Stall,
}

/// What a reply is about, whatever it says.
#[derive(Clone, Debug)]
pub(crate) struct Topic {
    pub(crate) protocol: Protocol,
    pub(crate) model: String,
    /// The number of the request; makes ids.
    pub(crate) number: u64,
    pub(crate) stop_reason: StopReason,
    pub(crate) usage: Option<Usage>,
    pub(crate) quirks: Quirks,
    /// The request asks for usage, where a protocol says it only when asked.
    pub(crate) wants_usage: bool,
    /// The request asks for encrypted reasoning, where a protocol says it only when asked.
    pub(crate) wants_encrypted: bool,
}

impl Topic {
    /// The model itself refuses: its text is a refusal, and ends as any text does. Otherwise a filter stopped it.
    pub(crate) fn refuses_in_words(&self) -> bool {
        self.stop_reason == StopReason::Refused && self.quirks.has(Quirk::RefusalText)
    }
}

/// How a protocol says a reply.
pub(crate) trait Voice: Send {
    /// Before anything is said.
    fn begin(&mut self, out: &mut Vec<Frame>);
    /// A block begins.
    fn start(&mut self, block: BlockStart, out: &mut Vec<Frame>);
    /// More of the open block.
    fn more(&mut self, more: More, out: &mut Vec<Frame>);
    /// The open block is complete.
    fn stop(&mut self, out: &mut Vec<Frame>);
    /// The reply is complete.
    fn end(&mut self, out: &mut Vec<Frame>);
    /// The reply fails.
    fn fail(&mut self, failure: &Failure, out: &mut Vec<Frame>);
    /// A frame of a kind that no client knows yet.
    fn unknown(&mut self) -> Frame;
}

/// More of a block.
#[derive(Clone, Debug)]
pub(crate) enum More {
    Text(String),
    Thinking(String),
    Signature(String),
    Input(String),
}

fn voice(topic: Topic) -> Box<dyn Voice> {
    match topic.protocol {
        Protocol::Anthropic => Box::new(anthropic::Anthropic::new(topic)),
        Protocol::OpenaiChat => Box::new(openai_chat::OpenaiChat::new(topic)),
        Protocol::OpenaiResponses => Box::new(openai_responses::OpenaiResponses::new(topic)),
        Protocol::Gemini => Box::new(gemini::Gemini::new(topic)),
    }
}

/// A reply that is no stream.
pub(crate) fn whole(topic: &Topic, told: &Told) -> Value {
    match topic.protocol {
        Protocol::Anthropic => anthropic::whole(topic, told),
        Protocol::OpenaiChat => openai_chat::whole(topic, told),
        Protocol::OpenaiResponses => openai_responses::whole(topic, told),
        Protocol::Gemini => gemini::whole(topic, told),
    }
}

/// The pieces of one stream.
pub(crate) struct Pieces {
    beats: Beats,
    protocol: Protocol,
    voice: Box<dyn Voice>,
    begun: bool,
    ready: VecDeque<Piece>,
}

impl Pieces {
    pub(crate) fn new(beats: Beats, topic: Topic) -> Self {
        Self { beats, protocol: topic.protocol, voice: voice(topic), begun: false, ready: VecDeque::new() }
    }

    /// A failure as the stream would say it now.
    pub(crate) fn failure(&mut self, code: ErrorCode, message: Option<&str>) -> Vec<Frame> {
        let mut frames = Vec::new();
        self.voice.fail(&Failure::saying(self.protocol, code, message), &mut frames);
        frames
    }

    /// A frame of a kind that no client knows yet.
    pub(crate) fn unknown(&mut self) -> Frame {
        self.voice.unknown()
    }

    fn play(&mut self, beat: Beat) {
        let mut frames = Vec::new();
        let out = &mut frames;
        match beat {
            Beat::Start(block) => self.voice.start(block, out),
            Beat::Text(text) => self.voice.more(More::Text(text), out),
            Beat::Thinking(text) => self.voice.more(More::Thinking(text), out),
            Beat::Signature(text) => self.voice.more(More::Signature(text), out),
            Beat::Input(text) => self.voice.more(More::Input(text), out),
            Beat::Stop => self.voice.stop(out),
            Beat::End => self.voice.end(out),
            Beat::Delay(time) => self.ready.push_back(Piece::Pause(time)),
            Beat::Wait(file) => self.ready.push_back(Piece::Wait(file)),
            Beat::Fault(fault) => match break_of(&fault) {
                Some(piece) => self.ready.push_back(piece),
                None => self.voice.fail(&Failure::of_fault(self.protocol, &fault), out),
            },
        }
        self.ready.extend(frames.into_iter().map(Piece::Frame));
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            if !self.begun {
                self.begun = true;
                let mut frames = Vec::new();
                self.voice.begin(&mut frames);
                self.ready.extend(frames.into_iter().map(Piece::Frame));
                continue;
            }
            let beat = self.beats.next()?;
            self.play(beat);
        }
    }
}

/// What a script's fault does to the wire; `None`: the provider says it in its own words.
pub(crate) fn break_of(fault: &Fault) -> Option<Piece> {
    match (fault.kind, fault.code) {
        // A server whose code panics is a server that breaks the connection.
        (FaultKind::Cut | FaultKind::Panic, _) | (FaultKind::Error, Some(ErrorCode::ProviderStreamCut)) => {
            Some(Piece::Cut)
        }
        (FaultKind::Stall, _) | (FaultKind::Error, Some(ErrorCode::Timeout)) => Some(Piece::Stall),
        (FaultKind::Error, Some(ErrorCode::ProviderMalformed)) => Some(Piece::Frame(Frame::plain("{not json"))),
        (FaultKind::Error, _) => None,
    }
}

/// A text as JSON.
fn quoted(text: impl Into<String>) -> Value {
    Value::String(text.into())
}

/// The frames of a step as the first request of a server gets them, each as the bytes that are written: to find the
/// place where something is to go wrong.
///
/// # Panics
/// When the script has no such step.
#[must_use]
pub fn frames(script: &Script, step: usize, protocol: Protocol, model: &str) -> Vec<String> {
    let frames = written(script, step, protocol, Platform::Vendor, model);
    frames.map(|frame| String::from_utf8_lossy(&frame).into_owned()).collect()
}

/// The same in Anthropic Messages as Bedrock frames them.
///
/// # Panics
/// When the script has no such step.
#[must_use]
pub fn bedrock_frames(script: &Script, step: usize, model: &str) -> Vec<Vec<u8>> {
    written(script, step, Protocol::Anthropic, Platform::Bedrock, model).collect()
}

fn written(
    script: &Script,
    step: usize,
    protocol: Protocol,
    platform: Platform,
    model: &str,
) -> impl Iterator<Item = Vec<u8>> {
    let topic = Topic {
        protocol,
        model: model.to_owned(),
        number: 1,
        stop_reason: script.steps[step].stop_reason(),
        usage: script.steps[step].usage,
        quirks: Quirks::default(),
        wants_usage: true,
        wants_encrypted: true,
    };
    let quirks = Quirks::default();
    Pieces::new(Beats::new(Arc::new(script.clone()), step), topic).filter_map(move |piece| match piece {
        Piece::Frame(frame) => Some(frame.write(platform, &quirks, false)),
        _ => None,
    })
}
