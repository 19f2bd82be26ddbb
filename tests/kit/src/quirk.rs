//! Shapes that real servers send although the protocol's own text has another: no faults, since a client must cope.

use serde::{Deserialize, Serialize};

/// A shape that was seen in the wild. Where a protocol has no such thing it changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quirk {
    /// Each piece of a call repeats its id and name. Chat Completions.
    IdInEveryPiece,
    /// Pieces of calls say no index. Chat Completions, Responses.
    NoIndex,
    /// All calls of a reply have index 0. All but Gemini.
    SharedIndex,
    /// Calls have no id. Chat Completions, Gemini.
    NoCallIds,
    /// The input of a call comes in one piece, with the start of the call. Gemini does so anyway.
    WholeInput,
    /// Text of nothing, or of white space, comes before each call.
    BlankText,
    /// Nothing is said about usage.
    NoUsage,
    /// Every frame says the usage so far. Gemini does so anyway. Chat Completions, Anthropic Messages.
    UsageEverywhere,
    /// No reason is given why the reply ends. All but Responses.
    NoFinish,
    /// The reason is that of a plain end although there are calls. Gemini does so anyway.
    PlainFinish,
    /// The frame that ends the protocol's stream does not come.
    NoTerminator,
    /// `[DONE]` ends the stream, as only Chat Completions has it.
    DoneMarker,
    /// A refusal is a text of its own kind, not a reason to end. Chat Completions, Responses.
    RefusalText,
    /// Thought comes as `reasoning` in place of `reasoning_content`. Chat Completions.
    ReasoningWord,
    /// What the reply does not hold is said to be null. Chat Completions.
    Nulls,
    /// Comments come between the frames.
    KeepAlive,
    /// Lines end in CR.
    Cr,
    /// Lines end in CR LF.
    Crlf,
    /// The stream begins with a byte order mark.
    ByteOrderMark,
    /// No space follows the colon of a line.
    NoSpace,
    /// Data stands in several lines of a frame.
    SplitData,
    /// Frames have no name. Anthropic Messages, Responses.
    NoNames,
}

/// The quirks of one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quirks(pub(crate) Vec<Quirk>);

impl Quirks {
    pub(crate) fn has(&self, quirk: Quirk) -> bool {
        self.0.contains(&quirk)
    }
}
