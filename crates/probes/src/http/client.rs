//! Sending calls: one client for each case.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant as Clock};

use probity_core::coding;
use probity_core::environment::Origin;
use probity_core::observe::{Exchange, Failure, FailureKind, Hop, HttpCall, Peer, Phases};
use probity_core::write_policy::Redirected;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::Secrets;
use super::answer;
use super::connection::{Connection, Key, Making, lap};
use super::jar::Jar;
use super::outgoing::{Form, Outgoing};
use super::progress::{Phase, Progress};
use super::redirect;
use super::two;
use crate::net::dial;
use crate::net::failed;
use crate::net::handshake::Tls;

/// Connections that a case keeps open, one for each origin and trust.
const MAX_KEPT: usize = 16;

/// What the clients of one run share: TLS settings and the system's trust anchors, made when first needed. Cloning is
/// cheap and shares them.
#[derive(Clone, Default)]
pub struct Settings {
    tls: Arc<Tls>,
    root: Arc<PathBuf>,
}

impl Settings {
    /// Settings for a project: the folder that Unix sockets are named in. By default the working folder.
    #[must_use]
    pub fn within(root: PathBuf) -> Self {
        Self { root: Arc::new(root), ..Self::default() }
    }
}

/// The HTTP client of one case: its cookies and its open connections.
pub struct Client {
    settings: Settings,
    jar: Jar,
    kept: Vec<Connection>,
}

/// Why a redirect is not followed, if it is not.
pub type Stops<'s> = dyn Fn(&Redirected<'_>) -> Option<String> + 's;

/// How a call came to its end.
enum End {
    Done(Result<(), Failure>),
    Late,
    Cancelled,
}

/// Why no whole answer came, and whether the request may go out again.
struct Lost {
    failure: Failure,
    again: Option<Again>,
}

/// How a request fared on a kept connection that was dead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    /// It never left.
    Unsent,
    /// It left, and may do so twice.
    Sent,
}

impl From<Failure> for Lost {
    fn from(failure: Failure) -> Self {
        Self { failure, again: None }
    }
}

impl Client {
    /// A client without cookies and connections.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self::with(settings, Jar::default())
    }

    /// A client that begins with these cookies.
    #[must_use]
    pub fn with(settings: &Settings, jar: Jar) -> Self {
        Self { settings: settings.clone(), jar, kept: Vec::new() }
    }

    /// Ends the client; its cookies are what is left.
    #[must_use]
    pub fn into_jar(self) -> Jar {
        self.jar
    }

    /// Carries out a call, redirects included. Whatever goes wrong is in the exchange's failure, beside the hops that
    /// came so far. The call's own limit counts from now; `deadline` is the run's. The call is cancelled when `cancel`
    /// turns true. It must run inside a tokio runtime with I/O and time, and stay in that one.
    ///
    /// Each target must lie inside the call's origins, the first one too: nothing leaves before that is checked.
    pub async fn send(
        &mut self,
        call: &HttpCall,
        secrets: &Secrets,
        cancel: &watch::Receiver<bool>,
        deadline: Clock,
    ) -> Exchange {
        self.send_where(call, secrets, cancel, deadline, &|_| None).await
    }

    /// The same, where every redirect is asked about before it is followed: what `stops` answers is why it is not, and
    /// the exchange fails with `write_refused` after the answer that led there.
    pub async fn send_where(
        &mut self,
        call: &HttpCall,
        secrets: &Secrets,
        cancel: &watch::Receiver<bool>,
        deadline: Clock,
        stops: &Stops<'_>,
    ) -> Exchange {
        let started = Instant::now();
        let deadline = Instant::from_std(deadline);
        let own = started.checked_add(Duration::from_millis(call.timeout_ms)).unwrap_or(deadline);
        let mut progress = Progress::new(own.min(deadline));
        let end = if started >= deadline {
            End::Late
        } else {
            let until = progress.until;
            tokio::select! {
                biased;
                () = turned(cancel.clone()) => End::Cancelled,
                done = self.chain(call, secrets, stops, &mut progress) => End::Done(done),
                () = sleep_until(until) => End::Late,
            }
        };
        let failure = match end {
            End::Done(result) => result.err(),
            End::Late if deadline <= own => Some(progress.out_of_budget()),
            End::Late => Some(progress.late(call.timeout_ms)),
            End::Cancelled => Some(progress.cancelled()),
        };
        let mut clock = started;
        Exchange { hops: progress.into_hops(), failure, total_us: lap(&mut clock) }
    }

    /// Opens a TCP connection to an origin and closes it, with up to three tries within `limit`: what preflight asks
    /// before anything is sent.
    ///
    /// # Errors
    /// `target_unreachable` or `network_denied`.
    pub async fn connect_check(origin: &Origin, limit: Duration) -> Result<(), Failure> {
        dial::check(origin, limit).await
    }

    async fn chain(
        &mut self,
        call: &HttpCall,
        secrets: &Secrets,
        stops: &Stops<'_>,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let mut out = Outgoing::prepare(call, secrets)?;
        let mut origin = redirect::inside(&out.url, &call.origins, "the target")?;
        for left in (0..=call.follow_redirects).rev() {
            self.hop(call, &out, secrets, origin, progress).await?;
            let Some(hop) = progress.hops.last().filter(|_| left > 0) else { break };
            let Some(next) = redirect::target(hop, &out.url) else { break };
            origin = redirect::inside(&next, &call.origins, "a redirect")?;
            out.turn(hop.status, next);
            let to = Redirected { method: out.method.as_str(), url: out.url.as_str(), body: out.body.as_deref() };
            if let Some(message) = stops(&to) {
                return Err(failed(FailureKind::WriteRefused, message));
            }
        }
        Ok(())
    }

    /// Sends one request and reads its answer. A kept connection that proves dead before the answer's first byte is
    /// replaced once, if the request did not leave or may leave twice.
    async fn hop(
        &mut self,
        call: &HttpCall,
        out: &Outgoing,
        secrets: &Secrets,
        origin: Origin,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let key = Key::of(call, origin);
        let mut resent = false;
        if let Some(connection) = self.reuse(&key, out.repeatable()).await {
            match self.exchange(call, out, connection, Phases::default(), (true, false), progress).await {
                Ok(()) => return Ok(()),
                Err(Lost { failure, again: None }) => return Err(failure),
                Err(Lost { again: Some(again), .. }) => resent = again == Again::Sent,
            }
        }
        let making = Making {
            tls: &self.settings.tls,
            root: &self.settings.root,
            authorization: out.proxy_authorization(),
            key: call.client.as_ref().and_then(|client| secrets.get(&client.key.credential())),
        };
        let (connection, phases) = Connection::open(key, call, making, progress).await?;
        self.exchange(call, out, connection, phases, (false, resent), progress).await.map_err(|lost| lost.failure)
    }

    async fn reuse(&mut self, key: &Key, repeatable: bool) -> Option<Connection> {
        let at = self.kept.iter().position(|connection| connection.key == *key)?;
        let mut connection = self.kept.swap_remove(at);
        connection.usable(repeatable).await.then_some(connection)
    }

    async fn exchange(
        &mut self,
        call: &HttpCall,
        out: &Outgoing,
        mut connection: Connection,
        phases: Phases,
        (reused, resent): (bool, bool),
        progress: &mut Progress,
    ) -> Result<(), Lost> {
        let cookies = if call.cookies { self.jar.line(&out.url) } else { None };
        let form = Form::of(connection.sender.is_two(), connection.key.asks_proxy());
        let (request, sent_headers) = out.request(cookies.as_deref(), form)?;
        progress.enter(Phase::Head, &connection.key.origin);
        if reused {
            connection.record.lock().arm();
        }
        let mut clock = Instant::now();
        let response = match connection.sender.send(request).await {
            Ok(response) => response,
            Err(mut e) => {
                let unsent = e.take_message().is_some();
                let recorder = connection.record.lock();
                let two = connection.sender.is_two();
                let began = if two { !two::is_gone(e.error()) } else { recorder.any() };
                let again = match unsent {
                    _ if !reused || began => None,
                    true => Some(Again::Unsent),
                    false => out.repeatable().then_some(Again::Sent),
                };
                let (target, host) = (connection.key.shown(), &connection.key.origin.host);
                let failure = if two {
                    two::no_head(e.error(), &recorder, &target, host, reused)
                } else {
                    answer::no_head(e.error(), &recorder, &target, host, reused)
                };
                return Err(Lost { failure, again });
            }
        };
        let first_byte_us = lap(&mut clock);
        let mut hop = Hop {
            method: out.method.as_str().to_owned(),
            url: out.url.as_str().to_owned(),
            sent_headers,
            sent_bytes: out.body.as_ref().map_or(0, |body| body.len() as u64),
            phases: Phases { first_byte_us, ..phases },
            peer: Peer { reused, resent, ..connection.peer.clone() },
            ..Hop::default()
        };
        let sound = answer::head(&mut hop, &response, &connection.record.lock());
        if call.cookies {
            self.jar.take(values(&hop, "set-cookie"), &out.url);
        }
        let status = hop.status;
        progress.reading(hop);
        sound?;
        if status == 407 && connection.key.asks_proxy() {
            let message = format!(
                "no answer from {}: the proxy wants credentials (407); name them under proxy.auth",
                connection.key.shown()
            );
            return Err(failed(FailureKind::TargetUnreachable, message).into());
        }
        Ok(self.finish(call, response, connection, progress).await?)
    }

    /// Reads the body of the open hop and undoes its codings; the connection is kept when all went well.
    async fn finish(
        &mut self,
        call: &HttpCall,
        response: http::Response<hyper::body::Incoming>,
        mut connection: Connection,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let Some(hop) = &mut progress.open else { return Ok(()) };
        answer::body(hop, response.into_body(), call.max_body).await?;
        if call.decompress {
            match coding::undo(coding::values(&hop.headers), &hop.wire, call.max_body) {
                Ok(decoded) => hop.decoded = decoded,
                Err(failure) => {
                    hop.complete = false;
                    return Err(failure);
                }
            }
        }
        if hop.status != 101 {
            if self.kept.len() >= MAX_KEPT {
                self.kept.remove(0);
            }
            connection.since = Instant::now();
            self.kept.push(connection);
        }
        progress.hops.extend(progress.open.take());
        Ok(())
    }
}

/// The values of the header lines of one name.
fn values<'a>(hop: &'a Hop, name: &'a str) -> impl Iterator<Item = &'a str> {
    hop.headers.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Waits until the flag is true; for ever when nobody can turn it any more.
async fn turned(mut flag: watch::Receiver<bool>) {
    if flag.wait_for(|on| *on).await.is_err() {
        std::future::pending::<()>().await;
    }
}
