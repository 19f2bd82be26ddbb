//! A step, taken apart beat by beat, as it is asked for: a long stream is never held in memory.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use lodger_protocol::ToolCallId;

use super::script::{Fault, Part, Pieces, Script};

/// What happens next in a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Beat {
    /// A block begins.
    Start(BlockStart),
    /// More text for the open text block.
    Text(String),
    /// More thought for the open thinking block.
    Thinking(String),
    /// The signature of the open thinking block.
    Signature(String),
    /// More raw input for the open tool call.
    Input(String),
    /// The open block is complete.
    Stop,
    /// Silence for a while.
    Delay(Duration),
    /// Silence until this file exists.
    Wait(String),
    /// Something goes wrong; the last beat.
    Fault(Fault),
    /// The reply is complete; the last beat.
    End,
}

/// What a block is.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockStart {
    /// Text.
    Text,
    /// Thought.
    Thinking,
    /// Thought that the provider encrypted; whole.
    RedactedThinking(String),
    /// A call.
    ToolCall {
        /// Its id.
        id: ToolCallId,
        /// Name of the tool.
        name: String,
    },
}

/// The block that is open, as far as it matters for going on with it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Open {
    Text,
    Thinking,
    Other,
}

/// The beats of one step. Always ends in [`Beat::End`] or [`Beat::Fault`].
#[derive(Debug)]
pub struct Beats {
    script: Arc<Script>,
    step: usize,
    part: usize,
    piece: u64,
    calls: usize,
    open: Option<Open>,
    /// The raw input of the call that is being played.
    input: String,
    /// At most three: the end of a block and the start of the next come before a delta.
    ready: VecDeque<Beat>,
    ended: bool,
}

impl Beats {
    /// Plays a step of a script, which must have that step.
    #[must_use]
    pub fn new(script: Arc<Script>, step: usize) -> Self {
        Self {
            script,
            step,
            part: 0,
            piece: 0,
            calls: 0,
            open: None,
            input: String::new(),
            ready: VecDeque::new(),
            ended: false,
        }
    }

    /// Fills `ready`, or moves on to the next part. Nothing is left when `ended`.
    fn advance(&mut self) {
        let script = self.script.clone();
        let Some(step) = script.steps.get(self.step) else {
            self.ended = true;
            return;
        };
        if self.piece == 0
            && let Some(fault) = step.fault.as_ref().filter(|fault| fault.after_parts == self.part)
        {
            self.ready.push_back(Beat::Fault(fault.clone()));
            self.ended = true;
            return;
        }
        let Some(part) = step.reply.get(self.part) else {
            self.close();
            self.ready.push_back(Beat::End);
            self.ended = true;
            return;
        };
        let more = match part {
            Part::Text { text, chunks } => {
                self.enter(Open::Text, BlockStart::Text);
                self.play(piece_of(text, *chunks, self.piece), Beat::Text)
            }
            Part::Repeat { text, count } => {
                self.enter(Open::Text, BlockStart::Text);
                self.play((self.piece < *count).then_some(text.as_str()), Beat::Text)
            }
            Part::Thinking { text, chunks, signature } => {
                self.enter(Open::Thinking, BlockStart::Thinking);
                let more = self.play(piece_of(text, *chunks, self.piece), Beat::Thinking);
                if !more && let Some(signature) = signature {
                    self.ready.push_back(Beat::Signature(signature.clone()));
                    self.close();
                }
                more
            }
            Part::RedactedThinking { data } => {
                self.start(Open::Other, BlockStart::RedactedThinking(data.clone()));
                self.close();
                false
            }
            Part::ToolCall { tool_call_id, tool_name, input, raw_input, chunks } => {
                if self.piece == 0 {
                    let id =
                        tool_call_id.clone().unwrap_or_else(|| format!("call_{}_{}", self.step, self.calls).into());
                    self.calls += 1;
                    self.input = match (raw_input, input) {
                        (Some(raw), _) => raw.clone(),
                        (None, Some(input)) => input.to_string(),
                        // As providers do it: a tool without arguments has no input text at all.
                        (None, None) => String::new(),
                    };
                    self.start(Open::Other, BlockStart::ToolCall { id, name: tool_name.clone() });
                }
                let input = std::mem::take(&mut self.input);
                let more = self.play(split(&input, *chunks, self.piece), Beat::Input);
                self.input = input;
                if !more {
                    self.close();
                }
                more
            }
            Part::Delay { ms } => {
                self.ready.push_back(Beat::Delay(Duration::from_millis(*ms)));
                false
            }
            Part::Wait { file } => {
                self.ready.push_back(Beat::Wait(file.clone()));
                false
            }
        };
        if more {
            self.piece += 1;
        } else {
            self.piece = 0;
            self.part += 1;
        }
    }

    /// Goes on with an open block of the same kind, else starts one.
    fn enter(&mut self, kind: Open, block: BlockStart) {
        if self.open != Some(kind) {
            self.start(kind, block);
        }
    }

    fn start(&mut self, kind: Open, block: BlockStart) {
        self.close();
        self.open = Some(kind);
        self.ready.push_back(Beat::Start(block));
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.ready.push_back(Beat::Stop);
        }
    }

    /// Whether there was a piece. Empty ones make no beat.
    fn play(&mut self, piece: Option<&str>, beat: fn(String) -> Beat) -> bool {
        if let Some(text) = piece.filter(|text| !text.is_empty()) {
            self.ready.push_back(beat(text.to_owned()));
        }
        piece.is_some()
    }
}

impl Iterator for Beats {
    type Item = Beat;

    fn next(&mut self) -> Option<Beat> {
        loop {
            if let Some(beat) = self.ready.pop_front() {
                return Some(beat);
            }
            if self.ended {
                return None;
            }
            self.advance();
        }
    }
}

fn piece_of(pieces: &Pieces, chunks: Option<u32>, index: u64) -> Option<&str> {
    match pieces {
        Pieces::Text(text) => split(text, chunks, index),
        Pieces::Deltas(deltas) => deltas.get(usize::try_from(index).ok()?).map(String::as_str),
    }
}

/// The piece of that index when the text is cut into pieces of about the same length, never inside a character.
fn split(text: &str, chunks: Option<u32>, index: u64) -> Option<&str> {
    let chunks = u64::from(chunks.unwrap_or(1).max(1));
    let at = |n: u64| {
        let byte = u128::from(n) * text.len() as u128 / u128::from(chunks);
        text.floor_char_boundary(usize::try_from(byte).unwrap_or(text.len()))
    };
    (index < chunks).then(|| &text[at(index)..at(index + 1)])
}
