//! A socket that counts what it takes, and ends as told.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::stats::Shared;

/// How a connection ends: in due form, unless it is told to be reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hangup(Arc<AtomicBool>);

impl Hangup {
    /// The connection is to end in a reset.
    pub(crate) fn reset(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A connection of the server. Says in the numbers when it is gone.
pub(crate) struct Socket {
    stream: TcpStream,
    stats: Shared,
    pub(crate) place: usize,
    pub(crate) hangup: Hangup,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, stats: Shared) -> Self {
        let place = stats.connect();
        Self { stream, stats, place, hangup: Hangup::default() }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.hangup.0.load(Ordering::Acquire) {
            // Without it the connection ends in due form, which the client must survive as well.
            let _ = self.stream.set_zero_linger();
        }
        self.stats.connection(self.place, |connection| connection.open = false);
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, data);
        if let Poll::Ready(Ok(count)) = &written {
            self.stats.connection(self.place, |connection| connection.bytes_written += *count as u64);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
