//! The two versions of HTTP behind one set of calls.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper::rt::Executor as _;
use hyper_util::rt::TokioIo;
use probity_core::observe::{Failure, FailureKind};

use super::tap::Tapped;
use super::tasks::{Guard, Tasks};
use super::{MAX_HEAD_KIB, MAX_HEADERS};
use crate::net::failed;

/// Bytes of a body that a server may send before we have read what came, in HTTP/2.
const WINDOW: u32 = 1 << 20;

/// Sends requests over one connection.
pub(super) enum Sender {
    /// HTTP/1.1.
    One(http1::SendRequest<Full<Bytes>>),
    /// HTTP/2.
    Two(http2::SendRequest<Full<Bytes>>),
}

impl Sender {
    /// Speaks HTTP/1.1 on a stream. The connection lives as long as the guard.
    ///
    /// # Errors
    /// `target_unreachable`.
    pub(super) async fn one(stream: Tapped) -> Result<(Self, Guard), Failure> {
        let (sender, connection) = http1::Builder::new()
            .title_case_headers(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .max_headers(MAX_HEADERS)
            .max_header_size(MAX_HEAD_KIB << 10)
            .max_buf_size(MAX_HEAD_KIB << 10)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|e| broke(&e))?;
        let tasks = Tasks::default();
        // Its errors reach the request that they concern; one that concerns none only closes the connection.
        tasks.execute(async move { drop(connection.await) });
        Ok((Self::One(sender), tasks.guard()))
    }

    /// Speaks HTTP/2 on a stream, the same way.
    ///
    /// # Errors
    /// `target_unreachable`.
    pub(super) async fn two(stream: Tapped) -> Result<(Self, Guard), Failure> {
        let tasks = Tasks::default();
        let guard = tasks.guard();
        let (sender, connection) = http2::Builder::new(tasks.clone())
            .max_header_list_size(u32::try_from(MAX_HEAD_KIB << 10).unwrap_or(u32::MAX))
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|e| broke(&e))?;
        tasks.execute(async move { drop(connection.await) });
        Ok((Self::Two(sender), guard))
    }

    /// Whether it speaks HTTP/2.
    pub(super) const fn is_two(&self) -> bool {
        matches!(self, Self::Two(_))
    }

    pub(super) fn is_closed(&self) -> bool {
        match self {
            Self::One(sender) => sender.is_closed(),
            Self::Two(sender) => sender.is_closed(),
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        match self {
            Self::One(sender) => sender.is_ready(),
            Self::Two(sender) => sender.is_ready(),
        }
    }

    /// Waits until another request can go out.
    pub(super) async fn ready(&mut self) -> hyper::Result<()> {
        match self {
            Self::One(sender) => sender.ready().await,
            Self::Two(sender) => sender.ready().await,
        }
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Full<Bytes>>>> {
        match self {
            Self::One(sender) => sender.try_send_request(request).await,
            Self::Two(sender) => sender.try_send_request(request).await,
        }
    }
}

fn broke(error: &hyper::Error) -> Failure {
    failed(FailureKind::TargetUnreachable, format!("the connection broke at once: {error}"))
}
