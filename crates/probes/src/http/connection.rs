//! Open connections and how they are made.

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;
use probity_core::environment::Origin;
use probity_core::ids::Digest;
use probity_core::observe::{Failure, FailureKind, HttpCall, Peer, Phases};
use tokio::task::{JoinHandle, yield_now};
use tokio::time::{Duration, Instant, timeout};

use super::progress::{Phase, Progress};
use super::tap::{Record, Tapped, Wire};
use crate::net::handshake::{Tls, TrustKey};
use crate::net::{dial, failed};

/// Header lines of one answer.
pub(super) const MAX_HEADERS: usize = 200;

/// Bytes of one head, in KiB.
pub(super) const MAX_HEAD_KIB: usize = 256;

/// How long a kept connection may take to be ready for the next request.
const SETTLE: Duration = Duration::from_millis(50);

/// A request that follows its predecessor within this time follows at once.
const AT_ONCE: Duration = Duration::from_millis(1);

/// What two requests must have in common to share a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) origin: Origin,
    trust: Option<TrustKey>,
}

impl Key {
    /// The key of a call towards an origin.
    pub(super) fn of(call: &HttpCall, origin: Origin) -> Self {
        let trust = (origin.scheme == "https").then(|| TrustKey {
            unchecked: call.insecure,
            file: call.ca.as_deref().filter(|_| !call.insecure).map(Digest::of),
        });
        Self { origin, trust }
    }
}

/// An open connection that carries one request at a time.
pub(super) struct Connection {
    pub(super) key: Key,
    pub(super) sender: SendRequest<Full<Bytes>>,
    pub(super) record: Record,
    pub(super) peer: Peer,
    /// Since when it has been idle.
    pub(super) since: Instant,
    driver: JoinHandle<()>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Connection {
    /// Whether a kept connection can carry another request. The runtime first gets the chance to notice that the
    /// other side has closed it in the meantime; a read that follows at once goes without, for it may be sent again.
    pub(super) async fn usable(&mut self, repeatable: bool) -> bool {
        if !repeatable || self.since.elapsed() > AT_ONCE {
            // Twice: the first lets the runtime look at its sockets, the second lets the connection's task act on it.
            yield_now().await;
            yield_now().await;
        }
        if self.sender.is_closed() {
            return false;
        }
        self.sender.is_ready() || matches!(timeout(SETTLE, self.sender.ready()).await, Ok(Ok(())))
    }

    /// Opens a connection, each phase timed.
    ///
    /// # Errors
    /// `target_unreachable`, `network_denied`, `tls_failed`.
    pub(super) async fn open(
        key: Key,
        call: &HttpCall,
        tls: &Tls,
        progress: &mut Progress,
    ) -> Result<(Self, Phases), Failure> {
        let mut phases = Phases::default();
        let Origin { host, port, .. } = &key.origin;
        let mut clock = Instant::now();
        progress.enter(Phase::Lookup, &key.origin);
        let addresses = dial::resolve(host, *port).await?;
        if dial::literal(host).is_none() {
            phases.dns_us = lap(&mut clock);
        }
        progress.enter(Phase::Connect, &key.origin);
        clock = Instant::now();
        let stream = dial::connect(&addresses, progress.until).await?;
        phases.connect_us = lap(&mut clock);
        let address = stream.peer_addr().map(|a| a.to_string()).unwrap_or_default();
        let mut peer = Peer { address, ..Peer::default() };
        let wire = match key.trust {
            None => Wire::Plain(stream),
            Some(trust) => {
                progress.enter(Phase::Handshake, &key.origin);
                let prepared = tls.prepare(trust, call.ca.as_deref())?;
                clock = Instant::now();
                let (stream, facts) = prepared.handshake(stream, host).await?;
                phases.tls_us = lap(&mut clock);
                peer.tls = Some(facts);
                Wire::Tls(Box::new(stream))
            }
        };
        Ok((Self::speak(key, wire, peer).await?, phases))
    }

    async fn speak(key: Key, wire: Wire, peer: Peer) -> Result<Self, Failure> {
        let record = Record::default();
        let io = TokioIo::new(Tapped::new(wire, record.clone()));
        let (sender, connection) = Builder::new()
            .title_case_headers(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .max_headers(MAX_HEADERS)
            .max_header_size(MAX_HEAD_KIB << 10)
            .max_buf_size(MAX_HEAD_KIB << 10)
            .handshake(io)
            .await
            .map_err(|e| failed(FailureKind::TargetUnreachable, format!("the connection broke at once: {e}")))?;
        // Its errors reach the request that they concern; one that concerns none only closes the connection.
        let driver = tokio::spawn(async move { drop(connection.await) });
        Ok(Self { key, sender, record, peer, since: Instant::now(), driver })
    }
}

/// Microseconds since the clock's mark, at least one, and a new mark.
pub(super) fn lap(clock: &mut Instant) -> u64 {
    let now = Instant::now();
    let passed = now.duration_since(*clock);
    *clock = now;
    u64::try_from(passed.as_micros()).unwrap_or(u64::MAX).max(1)
}
