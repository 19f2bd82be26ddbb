//! One frame of a stream, and the ways in which servers write one.

use crate::event_stream;
use crate::protocol::Platform;
use crate::quirk::{Quirk, Quirks};

/// A frame before it is written.
#[derive(Clone, Debug)]
pub(crate) enum Frame {
    /// Data under a name, or under none.
    Named(Option<&'static str>, String),
    /// Bytes that are no frame.
    Raw(String),
}

impl Frame {
    pub(crate) fn named(name: &'static str, data: impl ToString) -> Self {
        Self::Named(Some(name), data.to_string())
    }

    pub(crate) fn plain(data: impl ToString) -> Self {
        Self::Named(None, data.to_string())
    }

    pub(crate) fn is_raw(&self) -> bool {
        matches!(self, Self::Raw(_))
    }

    /// The bytes of the frame, as that platform writes it. `first`: nothing came before it.
    pub(crate) fn write(self, platform: Platform, quirks: &Quirks, first: bool) -> Vec<u8> {
        match (platform, self) {
            (Platform::Bedrock, Self::Named(name, data)) => event_stream::written(name, &data),
            (_, frame) => frame.sent(quirks, first).into_bytes(),
        }
    }

    /// The frame as a server-sent event.
    fn sent(self, quirks: &Quirks, first: bool) -> String {
        let (name, data) = match self {
            Self::Named(name, data) => (name, data),
            Self::Raw(text) => return text,
        };
        let end = match () {
            () if quirks.has(Quirk::Cr) => "\r",
            () if quirks.has(Quirk::Crlf) => "\r\n",
            () => "\n",
        };
        let colon = if quirks.has(Quirk::NoSpace) { ":" } else { ": " };
        let mut out = String::with_capacity(data.len() + 64);
        if first && quirks.has(Quirk::ByteOrderMark) {
            out.push('\u{feff}');
        }
        if quirks.has(Quirk::KeepAlive) {
            out.extend([": keep-alive", end, end]);
        }
        if let Some(name) = name.filter(|_| !quirks.has(Quirk::NoNames)) {
            out.extend(["event", colon, name, end]);
        }
        // A line break may stand where white space may: behind the brace that opens an object.
        match data.strip_prefix('{').filter(|_| quirks.has(Quirk::SplitData)) {
            Some(rest) => out.extend(["data", colon, "{", end, "data", colon, rest, end]),
            None => out.extend(["data", colon, &data, end]),
        }
        out.push_str(end);
        out
    }
}
