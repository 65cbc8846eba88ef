//! Open connections and how they are made.

use std::path::Path;

use http::HeaderValue;
use probity_core::environment::Origin;
use probity_core::ids::Digest;
use probity_core::observe::{Failure, FailureKind, HttpCall, Peer, Phases};
use probity_core::plan::HttpVersion;
use tokio::net::TcpStream;
use tokio::task::yield_now;
use tokio::time::{Duration, Instant, timeout};

use super::progress::{Phase, Progress};
use super::sender::Sender;
use super::tap::{Record, Tapped};
use super::tasks::Guard;
use crate::net::handshake::{Material, Tls, TrustKey};
use crate::net::stream::{self, Stream};
use crate::net::{dial, failed, tunnel};

/// How long a kept connection may take to be ready for the next request.
const SETTLE: Duration = Duration::from_millis(50);

/// A request that follows its predecessor within this time follows at once.
const AT_ONCE: Duration = Duration::from_millis(1);

/// What two requests must have in common to share a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) origin: Origin,
    trust: Option<TrustKey>,
    version: HttpVersion,
    proxy: Option<Origin>,
    unix_socket: Option<String>,
}

/// What a connection is made with, beside the call.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    pub(super) tls: &'a Tls,
    /// The project, for sockets in it.
    pub(super) root: &'a Path,
    /// Credentials for the proxy, ready to be sent.
    pub(super) authorization: Option<&'a HeaderValue>,
    /// The key of the client's certificate.
    pub(super) key: Option<&'a str>,
}

impl Key {
    /// The key of a call towards an origin.
    pub(super) fn of(call: &HttpCall, origin: Origin) -> Self {
        let trust = (origin.scheme == "https").then(|| TrustKey {
            unchecked: call.insecure,
            file: call.ca.as_deref().filter(|_| !call.insecure).map(Digest::of),
            client: call.client.as_ref().map(|client| (Digest::of(&client.cert), client.key.credential())),
            version: call.version,
        });
        Self {
            origin,
            trust,
            version: call.version,
            proxy: call.proxy.as_ref().map(|proxy| proxy.origin.clone()),
            unix_socket: call.unix_socket.clone(),
        }
    }

    /// Whether a proxy is asked for the target by its whole URL; else, if there is one, it gives a tunnel.
    pub(super) fn asks_proxy(&self) -> bool {
        self.proxy.is_some() && self.trust.is_none() && self.version != HttpVersion::Two
    }

    /// The other side, for messages.
    pub(super) fn shown(&self) -> String {
        let Origin { host, port, .. } = &self.origin;
        match (&self.proxy, &self.unix_socket) {
            (Some(proxy), _) => format!("{host}:{port} through the proxy {proxy}"),
            (None, Some(socket)) => format!("the Unix socket {socket}"),
            (None, None) => format!("{host}:{port}"),
        }
    }
}

/// An open connection that carries one request at a time.
pub(super) struct Connection {
    pub(super) key: Key,
    pub(super) sender: Sender,
    pub(super) record: Record,
    pub(super) peer: Peer,
    /// Since when it has been idle.
    pub(super) since: Instant,
    _tasks: Guard,
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
    /// `target_unreachable`, `network_denied`, `tls_failed`, `target_refused` for a socket outside the project,
    /// `credential_missing` for the key of a certificate.
    pub(super) async fn open(
        key: Key,
        call: &HttpCall,
        making: Making<'_>,
        progress: &mut Progress,
    ) -> Result<(Self, Phases), Failure> {
        let mut phases = Phases::default();
        let mut peer = Peer { proxy: key.proxy.as_ref().map(ToString::to_string), ..Peer::default() };
        let mut wire: Stream = match &key.unix_socket {
            Some(name) => {
                progress.enter(Phase::Connect, &key.origin);
                let mut clock = Instant::now();
                let connected = stream::connect_unix(making.root, name).await?;
                phases.connect_us = lap(&mut clock);
                peer.address = format!("unix:{name}");
                Box::new(connected)
            }
            None => Box::new(dialled(&key, making, &mut phases, &mut peer, progress).await?),
        };
        let mut two = key.version == HttpVersion::Two;
        if let Some(trust) = &key.trust {
            progress.enter(Phase::Handshake, &key.origin);
            let cert = call.client.as_ref().map(|client| client.cert.as_slice());
            let material = Material { ca: call.ca.as_deref(), cert, key: making.key };
            let prepared = making.tls.prepare(trust, material)?;
            let mut clock = Instant::now();
            let (secured, facts) = prepared.handshake(wire, &key.origin.host).await?;
            phases.tls_us = lap(&mut clock);
            let agreed = secured.get_ref().1.alpn_protocol() == Some(b"h2");
            if two && !agreed {
                let message = format!("{} does not agree to HTTP/2 (ALPN), which the step asks for", key.shown());
                return Err(failed(FailureKind::TlsFailed, message));
            }
            two = agreed;
            peer.tls = Some(facts);
            wire = Box::new(secured);
        }
        let record = if two { Record::glance() } else { Record::default() };
        let tapped = Tapped::new(wire, record.clone());
        let (sender, tasks) = if two { Sender::two(tapped).await? } else { Sender::one(tapped).await? };
        Ok((Self { key, sender, record, peer, since: Instant::now(), _tasks: tasks }, phases))
    }
}

/// A TCP connection to the target: straight, to a proxy that is asked for it, or through that proxy's tunnel.
async fn dialled(
    key: &Key,
    making: Making<'_>,
    phases: &mut Phases,
    peer: &mut Peer,
    progress: &mut Progress,
) -> Result<TcpStream, Failure> {
    let next = key.proxy.as_ref().unwrap_or(&key.origin);
    let mut clock = Instant::now();
    progress.enter(Phase::Lookup, next);
    let addresses = dial::resolve(&next.host, next.port).await?;
    if dial::literal(&next.host).is_none() {
        phases.dns_us = lap(&mut clock);
    }
    progress.enter(Phase::Connect, next);
    clock = Instant::now();
    let mut stream = dial::connect(&addresses, progress.until).await?;
    peer.address = stream.peer_addr().map(|a| a.to_string()).unwrap_or_default();
    if let Some(proxy) = key.proxy.as_ref().filter(|_| !key.asks_proxy()) {
        progress.enter(Phase::Tunnel, proxy);
        tunnel::open(&mut stream, proxy, &key.origin, making.authorization).await?;
    }
    phases.connect_us = lap(&mut clock);
    Ok(stream)
}

/// Microseconds since the clock's mark, at least one, and a new mark.
pub(super) fn lap(clock: &mut Instant) -> u64 {
    let now = Instant::now();
    let passed = now.duration_since(*clock);
    *clock = now;
    u64::try_from(passed.as_micros()).unwrap_or(u64::MAX).max(1)
}
