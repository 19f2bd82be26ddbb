//! A stream's pieces as the chunks of a body: batched, paced and damaged as told, made only when there is room.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::{Bytes, BytesMut};

use crate::fault::{Break, WireFault};
use crate::frame::Frame;
use crate::pieces::{Piece, Pieces};
use crate::protocol::Platform;
use crate::quirk::Quirks;
use crate::server::MockOptions;
use crate::socket::Hangup;
use crate::stats::Shared;

/// How often a `wait` looks for its file.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// What was written must have left before the connection is broken.
const FLUSH: Duration = Duration::from_millis(20);

/// Writes one stream. Dropped before its end, it counts as aborted by the client.
pub(crate) struct Writer {
    pieces: Pieces,
    fault: Option<WireFault>,
    quirks: Quirks,
    platform: Platform,
    batch_bytes: usize,
    pace: Option<Duration>,
    /// Where relative `wait` files are.
    folder: Option<PathBuf>,
    stats: Shared,
    hangup: Hangup,
    events: usize,
    bytes: usize,
    ahead: VecDeque<Next>,
    /// What is still to be sent in small pieces.
    held: Bytes,
    ended: bool,
}

/// What is next, when it was found out too early.
enum Next {
    Piece(Piece),
    Break(Break),
}

impl Next {
    /// Whether it may be written together with what came before. What is no frame comes alone, as from those who send it.
    fn joins(&self) -> bool {
        matches!(self, Self::Piece(Piece::Frame(frame)) if !frame.is_raw())
    }
}

impl Writer {
    pub(crate) fn new(
        pieces: Pieces,
        platform: Platform,
        fault: Option<WireFault>,
        options: &MockOptions,
        stats: Shared,
        hangup: Hangup,
    ) -> Self {
        Self {
            pieces,
            fault,
            quirks: Quirks(options.quirks.clone()),
            platform,
            batch_bytes: options.batch_bytes,
            pace: options.pace,
            folder: options.folder.clone(),
            stats,
            hangup,
            events: 0,
            bytes: 0,
            ahead: VecDeque::new(),
            held: Bytes::new(),
            ended: false,
        }
    }

    /// The next chunk; `None` at the end; an error breaks the connection.
    pub(crate) async fn next(&mut self) -> Option<io::Result<Bytes>> {
        let Some(WireFault::Trickle { bytes, pause_ms }) = self.fault else { return self.chunk().await };
        if self.held.is_empty() {
            match self.chunk().await? {
                Ok(chunk) => self.held = chunk,
                broken => return Some(broken),
            }
        }
        // A pause of nothing still lets the connection flush.
        match pause_ms {
            0 => tokio::task::yield_now().await,
            ms => tokio::time::sleep(Duration::from_millis(ms)).await,
        }
        let size = bytes.clamp(1, self.held.len());
        Some(Ok(self.held.split_to(size)))
    }

    async fn chunk(&mut self) -> Option<io::Result<Bytes>> {
        if self.ended {
            return None;
        }
        let mut chunk = BytesMut::new();
        loop {
            let next = self.next_thing();
            if !chunk.is_empty() && !next.joins() {
                self.ahead.push_front(next);
                break;
            }
            match next {
                Next::Piece(Piece::Frame(frame)) => {
                    self.add(&mut chunk, frame);
                    if chunk.len() >= self.batch_bytes || self.pace.is_some() {
                        break;
                    }
                }
                Next::Piece(Piece::Pause(time)) => tokio::time::sleep(time).await,
                Next::Piece(Piece::Wait(file)) => wait(self.folder.as_deref(), &file).await,
                Next::Piece(Piece::Stall) | Next::Break(Break::Stall) => {
                    match std::future::pending::<Infallible>().await {}
                }
                Next::Piece(Piece::Cut) | Next::Break(Break::Cut | Break::Reset) => {
                    tokio::time::sleep(FLUSH).await;
                    self.finish();
                    if matches!(next, Next::Break(Break::Reset)) {
                        self.hangup.reset();
                    }
                    return Some(Err(io::Error::other("broken as told")));
                }
                // A body that is shorter than was claimed can only end with the connection.
                Next::Break(Break::End) if self.claims_more() => self.ahead.push_front(Next::Break(Break::Cut)),
                Next::Break(Break::End) => {
                    self.finish();
                    return None;
                }
            }
        }
        if let Some(pace) = self.pace {
            tokio::time::sleep(pace).await;
        }
        Some(Ok(chunk.freeze()))
    }

    fn next_thing(&mut self) -> Next {
        self.ahead.pop_front().unwrap_or_else(|| self.pieces.next().map_or(Next::Break(Break::End), Next::Piece))
    }

    /// Adds a frame and what a fault puts beside it, or as much of that as a fault leaves.
    fn add(&mut self, chunk: &mut BytesMut, frame: Frame) {
        let (platform, mut bytes) = (self.platform, Vec::new());
        let write = |frame: Frame, quirks: &Quirks, first| frame.write(platform, quirks, first);
        if self.events == 0 && self.strikes_at(0) {
            match self.strike() {
                Some(frames) => {
                    bytes.extend(frames.into_iter().flat_map(|frame| write(frame, &self.quirks, self.bytes == 0)));
                }
                None => return,
            }
        }
        bytes.extend(write(frame, &self.quirks, self.bytes == 0 && bytes.is_empty()));
        self.events += 1;
        if self.strikes_at(self.events) {
            let frames = self.strike().unwrap_or_default();
            bytes.extend(frames.into_iter().flat_map(|frame| write(frame, &self.quirks, false)));
        }
        self.corrupt(&mut bytes);
        let taken = match self.fault.as_ref().and_then(WireFault::limit) {
            Some((limit, how)) if bytes.len() >= limit - self.bytes => {
                self.ahead.push_front(Next::Break(how));
                limit - self.bytes
            }
            _ => bytes.len(),
        };
        self.bytes += taken;
        chunk.extend_from_slice(&bytes[..taken]);
    }

    /// Turns one bit over, where a fault says so.
    fn corrupt(&self, next: &mut [u8]) {
        if let Some(WireFault::Corrupt { at_byte }) = self.fault
            && let Some(byte) = at_byte.checked_sub(self.bytes).and_then(|place| next.get_mut(place))
        {
            *byte ^= 1;
        }
    }

    fn claims_more(&self) -> bool {
        matches!(self.fault, Some(WireFault::Length { claims, .. }) if claims > self.bytes)
    }

    fn strikes_at(&self, events: usize) -> bool {
        self.fault.as_ref().and_then(WireFault::after_events) == Some(events)
    }

    /// What a fault puts here; `None`: the provider's error, and no more.
    fn strike(&mut self) -> Option<Vec<Frame>> {
        match self.fault.clone()? {
            WireFault::Insert { text, .. } => Some(vec![Frame::Raw(text)]),
            WireFault::Malformed { .. } => Some(vec![Frame::plain(r#"{"type":"half","of":"#)]),
            WireFault::Unknown { .. } => Some(vec![self.pieces.unknown()]),
            WireFault::Error { code, message, .. } => {
                self.fault = None;
                let frames = self.pieces.failure(code, message.as_deref());
                self.ahead.extend(frames.into_iter().map(|frame| Next::Piece(Piece::Frame(frame))));
                self.ahead.push_back(Next::Break(Break::End));
                None
            }
            _ => Some(Vec::new()),
        }
    }

    fn finish(&mut self) {
        self.ended = true;
        self.stats.lock().finished += 1;
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.ended {
            self.stats.lock().aborted += 1;
        }
    }
}

/// Waits until a file exists.
pub(crate) async fn wait(folder: Option<&Path>, file: &str) {
    let path = folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
    while !path.exists() {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
