//! A stream's pieces as the chunks of a body: batched, paced and damaged as told, made only when there is room.

use std::convert::Infallible;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bytes::{Bytes, BytesMut};

use crate::fault::WireFault;
use crate::pieces::{Piece, Pieces};
use crate::server::MockOptions;
use crate::stats::Shared;

/// How often a `wait` looks for its file.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// What was written must have left before the connection is broken.
const FLUSH: Duration = Duration::from_millis(20);

/// Writes one stream. Dropped before its end, it counts as aborted by the client.
pub(crate) struct Writer {
    pieces: Pieces,
    fault: Option<WireFault>,
    batch_bytes: usize,
    pace: Option<Duration>,
    /// Where relative `wait` files are.
    folder: Option<PathBuf>,
    stats: Shared,
    events: usize,
    bytes: usize,
    ahead: Option<Next>,
    ended: bool,
}

/// What is next, when it was found out too early.
enum Next {
    Piece(Piece),
    End,
}

impl Writer {
    pub(crate) fn new(pieces: Pieces, fault: Option<WireFault>, options: &MockOptions, stats: Shared) -> Self {
        Self {
            pieces,
            fault,
            batch_bytes: options.batch_bytes,
            pace: options.pace,
            folder: options.folder.clone(),
            stats,
            events: 0,
            bytes: 0,
            ahead: None,
            ended: false,
        }
    }

    /// The next chunk; `None` at the end; an error breaks the connection.
    pub(crate) async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.ended {
            return None;
        }
        let mut chunk = BytesMut::new();
        loop {
            let next = self.ahead.take().unwrap_or_else(|| self.pieces.next().map_or(Next::End, Next::Piece));
            match next {
                Next::Piece(Piece::Event(text)) => {
                    self.add(&mut chunk, text);
                    if chunk.len() >= self.batch_bytes || self.pace.is_some() {
                        break;
                    }
                }
                next if !chunk.is_empty() => {
                    self.ahead = Some(next);
                    break;
                }
                Next::Piece(Piece::Pause(time)) => tokio::time::sleep(time).await,
                Next::Piece(Piece::Wait(file)) => self.wait(&file).await,
                Next::Piece(Piece::Stall) => match std::future::pending::<Infallible>().await {},
                Next::Piece(Piece::Cut) => {
                    tokio::time::sleep(FLUSH).await;
                    self.finish();
                    return Some(Err(io::Error::other("cut as told")));
                }
                Next::End => {
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

    /// Adds an event, or as much of it as a fault leaves.
    fn add(&mut self, chunk: &mut BytesMut, mut text: String) {
        self.events += 1;
        if let Some(WireFault::Insert { after_events, text: more }) = &self.fault
            && *after_events == self.events
        {
            text.push_str(more);
        }
        let (limit, then) = match &self.fault {
            Some(WireFault::Cut { after_bytes }) => (*after_bytes, Next::Piece(Piece::Cut)),
            Some(WireFault::End { after_bytes }) => (*after_bytes, Next::End),
            Some(WireFault::Stall { after_bytes }) => (*after_bytes, Next::Piece(Piece::Stall)),
            _ => (usize::MAX, Next::End),
        };
        let bytes = text.as_bytes();
        let left = limit - self.bytes;
        if bytes.len() >= left {
            self.ahead = Some(then);
        }
        let taken = &bytes[..bytes.len().min(left)];
        self.bytes += taken.len();
        chunk.extend_from_slice(taken);
    }

    async fn wait(&self, file: &str) {
        let path = self.folder.as_deref().map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
        while !path.exists() {
            tokio::time::sleep(LOOK_AGAIN).await;
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
