//! A stream that remembers the head of the answer as it came over the wire. hyper sorts header lines by name and
//! lowers their case; evidence keeps the order and the spelling of the server.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::MAX_INTERIM;
use super::head::Recorder;
use crate::net::handshake;
use crate::net::stream::Stream;

/// What is said of a flood of interim heads.
pub(super) const TOO_MANY: &str = "more than 100 interim heads (1xx) came, and no answer";

/// The record of one connection, shared with whoever reads the answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Record(Arc<Mutex<Recorder>>);

impl Record {
    /// For HTTP/2, where the first bytes tell what the other side speaks and the rest is framed.
    pub(super) fn glance() -> Self {
        Self(Arc::new(Mutex::new(Recorder::glance())))
    }

    /// Access to the recorder.
    pub(super) fn lock(&self) -> MutexGuard<'_, Recorder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stream with its record.
pub(super) struct Tapped {
    wire: Stream,
    record: Record,
}

impl Tapped {
    /// Begins to record.
    pub(super) fn new(wire: Stream, record: Record) -> Self {
        Self { wire, record }
    }
}

impl AsyncRead for Tapped {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.wire).poll_read(cx, buf);
        if let Poll::Ready(Err(e)) = &polled
            && let Some(alert) = handshake::refusal(e)
        {
            self.record.lock().refuse(alert);
        }
        if let Some(new) = buf.filled().get(before..).filter(|new| !new.is_empty()) {
            let mut recorder = self.record.lock();
            recorder.feed(new);
            if recorder.interim() > MAX_INTERIM {
                return Poll::Ready(Err(io::Error::other(TOO_MANY)));
            }
        }
        polled
    }
}

impl AsyncWrite for Tapped {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.wire).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.wire).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.wire.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_shutdown(cx)
    }
}
