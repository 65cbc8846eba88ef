//! Observations as `action.commit` and the identity probe keep them: scalars, and digests of the bytes that
//! `evidence.captured` entries hold.

use super::body::{Body, Fields};
use crate::ids::Digest;
use crate::json::{Json, Map};
use crate::observe::{Captured, CommandResult, Failure, FailureKind, Hop, Peer, Phases, TlsFacts};

/// What a step saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// By HTTP.
    Http(HttpObserved),
    /// By a command. `stdout.kept` and `stderr.kept` are empty; their bytes stand under the digests.
    Command(Box<CommandObserved>),
    /// In what a service wrote.
    Log(LogObserved),
}

/// What an HTTP step saw. Of a polling step: what the try saw that decides, which is the last one, or the last with a
/// complete answer where those after it were cut off (plan.md, "What a step comes to").
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct HttpObserved {
    /// The tries of a polling step, the last one included; empty for a step that does not poll.
    pub tries: Vec<Try>,
    /// The hops of the try that decides.
    pub hops: Vec<HopObserved>,
    /// Why there is no complete answer, if so.
    pub failure: Option<Failure>,
    /// The try that decides in microseconds.
    pub total_us: u64,
}

impl HttpObserved {
    /// How many tries after the one that decides were cut off.
    #[must_use]
    pub fn cut_off(&self) -> usize {
        let cut = self.tries.iter().rev().take_while(|one| one.is_cut()).count();
        if self.failure.is_none() { cut } else { 0 }
    }
}

/// One try of a polling step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// The status, if an answer came.
    pub status: Option<u16>,
    /// Digest of the decoded body, if one came.
    pub body: Option<Digest>,
    /// Code of the failure, if there was one.
    pub code: Option<String>,
    /// Its time in microseconds.
    pub total_us: u64,
}

impl Try {
    /// The record of a try that saw this.
    #[must_use]
    pub fn of(observed: &HttpObserved) -> Self {
        let last = observed.hops.last();
        Self {
            status: last.map(|hop| hop.hop.status),
            body: last.map(|hop| hop.body().sha256),
            code: observed.failure.as_ref().map(|failure| failure.kind.code().as_str().to_owned()),
            total_us: observed.total_us,
        }
    }

    /// Whether its answer was cut off: by its time limit, a reset or a body that breaks off.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.code.as_deref() == Some(FailureKind::AnswerIncomplete.code().as_str())
    }
}

/// A hop whose bodies stand in evidence: `hop.wire` and `hop.decoded` are empty here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopObserved {
    /// The facts.
    pub hop: Hop,
    /// The body as it came.
    pub wire: Blob,
    /// The body with its content codings undone, where that differs.
    pub decoded: Option<Blob>,
}

impl HopObserved {
    /// The body that checks read.
    #[must_use]
    pub fn body(&self) -> Blob {
        self.decoded.unwrap_or(self.wire)
    }
}

/// What a command gave, its streams in evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandObserved {
    /// The facts.
    pub result: CommandResult,
    /// Kept bytes of standard output.
    pub stdout: Blob,
    /// Kept bytes of standard error.
    pub stderr: Blob,
}

/// What a service wrote since the case began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogObserved {
    /// How many bytes it had written when the case began.
    pub from: u64,
    /// How many when it was looked at.
    pub to: u64,
    /// What was kept of the bytes between.
    pub kept: Blob,
    /// Whether that is all of them.
    pub complete: bool,
    /// How often it was looked at.
    pub tries: u64,
    /// Time of all tries in microseconds.
    pub total_us: u64,
    /// Why there is nothing to look at, if so.
    pub failure: Option<Failure>,
}

/// Bytes in evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Their digest.
    pub sha256: Digest,
    /// Their number.
    pub bytes: u64,
}

impl Blob {
    /// The blob of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self { sha256: Digest::of(bytes), bytes: bytes.len() as u64 }
    }
}

impl Observation {
    /// Why there is no complete answer, if so.
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Http(http) => http.failure.as_ref(),
            Self::Command(command) => command.result.failure.as_ref(),
            Self::Log(log) => log.failure.as_ref(),
        }
    }

    /// Every blob that it names.
    #[must_use]
    pub fn blobs(&self) -> Vec<Digest> {
        match self {
            Self::Http(http) => {
                let hops = http.hops.iter().flat_map(|h| [Some(h.wire.sha256), h.decoded.map(|d| d.sha256)]);
                hops.chain(http.tries.iter().map(|t| t.body)).flatten().collect()
            }
            Self::Command(command) => vec![command.stdout.sha256, command.stderr.sha256],
            Self::Log(log) => vec![log.kept.sha256],
        }
    }

    /// Time of the step's last try in microseconds.
    #[must_use]
    pub const fn total_us(&self) -> u64 {
        match self {
            Self::Http(http) => http.total_us,
            Self::Command(command) => command.result.total_us,
            Self::Log(log) => log.total_us,
        }
    }
}

impl Body for Observation {
    fn fields(f: &mut Fields) -> Option<Self> {
        match f.text("kind")?.as_str() {
            "http" => Some(Self::Http(HttpObserved {
                tries: f.list("tries", read_try)?,
                hops: f.list("hops", read_hop)?,
                failure: read_failure(f)?,
                total_us: f.number("total_us")?,
            })),
            "command" => read_command(f).map(|command| Self::Command(Box::new(command))),
            "log" => Some(Self::Log(LogObserved {
                from: f.number("from")?,
                to: f.number("to")?,
                kept: f.map("kept", read_blob)?,
                complete: f.bool("complete")?,
                tries: f.number("tries")?,
                total_us: f.number("total_us")?,
                failure: read_failure(f)?,
            })),
            _ => None,
        }
    }

    fn write(&self) -> Json {
        match self {
            Self::Http(http) => Json::map([
                ("kind", Json::from("http")),
                ("tries", Json::List(http.tries.iter().map(write_try).collect())),
                ("hops", Json::List(http.hops.iter().map(write_hop).collect())),
                ("failure", write_failure(http.failure.as_ref())),
                ("total_us", http.total_us.into()),
            ]),
            Self::Command(command) => write_command(command),
            Self::Log(log) => Json::map([
                ("kind", Json::from("log")),
                ("from", log.from.into()),
                ("to", log.to.into()),
                ("kept", write_blob(log.kept)),
                ("complete", log.complete.into()),
                ("tries", log.tries.into()),
                ("total_us", log.total_us.into()),
                ("failure", write_failure(log.failure.as_ref())),
            ]),
        }
    }
}

fn read_failure(f: &mut Fields) -> Option<Option<Failure>> {
    let read =
        |f: &mut Fields| Some(Failure { kind: FailureKind::parse(&f.text("code")?)?, message: f.text("message")? });
    f.nullable("failure", |value| Fields::all(value, read))
}

fn write_failure(failure: Option<&Failure>) -> Json {
    failure.map_or(Json::Null, |f| Json::map([("code", f.kind.code().as_str()), ("message", f.message.as_str())]))
}

fn read_blob(f: &mut Fields) -> Option<Blob> {
    Some(Blob { sha256: f.digest("sha256")?, bytes: f.number("bytes")? })
}

fn write_blob(blob: Blob) -> Json {
    Json::map([("sha256", Json::from(blob.sha256)), ("bytes", blob.bytes.into())])
}

fn small(value: u64) -> Option<u16> {
    u16::try_from(value).ok()
}

fn read_try(value: Json) -> Option<Try> {
    Fields::all(value, |f| {
        Some(Try {
            status: f.nullable("status", |status| small(status.as_u64()?))?,
            body: f.optional_digest("body")?,
            code: f.optional_text("code")?,
            total_us: f.number("total_us")?,
        })
    })
}

fn write_try(one: &Try) -> Json {
    Json::map([
        ("status", Json::from(one.status)),
        ("body", one.body.into()),
        ("code", one.code.clone().into()),
        ("total_us", one.total_us.into()),
    ])
}

fn read_pairs(f: &mut Fields, key: &str) -> Option<Vec<(String, String)>> {
    f.list(key, |pair| {
        let Json::List(pair) = pair else { return None };
        match <[Json; 2]>::try_from(pair) {
            Ok([Json::Text(name), Json::Text(text)]) => Some((name, text)),
            _ => None,
        }
    })
}

fn write_pairs(pairs: &[(String, String)]) -> Json {
    Json::List(pairs.iter().map(|(name, text)| Json::list([name.as_str(), text.as_str()])).collect())
}

const PHASES: [&str; 5] = ["dns_us", "connect_us", "tls_us", "first_byte_us", "body_us"];

fn read_hop(value: Json) -> Option<HopObserved> {
    Fields::all(value, |f| {
        let hop = Hop {
            method: f.text("method")?,
            url: f.text("url")?,
            sent_headers: read_pairs(f, "sent_headers")?,
            sent_bytes: f.number("sent_bytes")?,
            version: f.text("version")?,
            status: small(f.number("status")?)?,
            reason: f.text("reason")?,
            headers: read_pairs(f, "headers")?,
            trailers: read_pairs(f, "trailers")?,
            wire: Vec::new(),
            decoded: None,
            complete: f.bool("complete")?,
            phases: f.map("phases", read_phases)?,
            peer: f.map("peer", read_peer)?,
        };
        let wire = f.map("wire", read_blob)?;
        Some(HopObserved { hop, wire, decoded: f.nullable("decoded", |value| Fields::all(value, read_blob))? })
    })
}

fn read_phases(f: &mut Fields) -> Option<Phases> {
    let [dns, connect, tls, first, body] = PHASES.map(|name| f.number(name));
    Some(Phases { dns_us: dns?, connect_us: connect?, tls_us: tls?, first_byte_us: first?, body_us: body? })
}

fn read_peer(f: &mut Fields) -> Option<Peer> {
    let tls = |f: &mut Fields| {
        Some(TlsFacts {
            version: f.text("version")?,
            suite: f.text("suite")?,
            key: f.digest("key")?,
            anchor: f.text("anchor")?,
        })
    };
    Some(Peer {
        address: f.text("address")?,
        // Absent where there is none, so that a plain exchange stays short.
        proxy: f.text_if_there("proxy")?,
        reused: f.bool("reused")?,
        resent: f.bool("resent")?,
        tls: f.nullable("tls", |value| Fields::all(value, tls))?,
    })
}

fn write_hop(observed: &HopObserved) -> Json {
    let hop = &observed.hop;
    let phases =
        [hop.phases.dns_us, hop.phases.connect_us, hop.phases.tls_us, hop.phases.first_byte_us, hop.phases.body_us];
    let tls = hop.peer.tls.as_ref().map_or(Json::Null, |tls| {
        Json::map([
            ("version", Json::from(tls.version.as_str())),
            ("suite", tls.suite.as_str().into()),
            ("key", tls.key.into()),
            ("anchor", tls.anchor.as_str().into()),
        ])
    });
    let mut peer = Map::new();
    peer.push("address", hop.peer.address.as_str());
    if let Some(proxy) = &hop.peer.proxy {
        peer.push("proxy", proxy.as_str());
    }
    peer.push("reused", hop.peer.reused);
    peer.push("resent", hop.peer.resent);
    peer.push("tls", tls);
    Json::map([
        ("method", Json::from(hop.method.as_str())),
        ("url", hop.url.as_str().into()),
        ("sent_headers", write_pairs(&hop.sent_headers)),
        ("sent_bytes", hop.sent_bytes.into()),
        ("version", hop.version.as_str().into()),
        ("status", hop.status.into()),
        ("reason", hop.reason.as_str().into()),
        ("headers", write_pairs(&hop.headers)),
        ("trailers", write_pairs(&hop.trailers)),
        ("complete", hop.complete.into()),
        ("phases", Json::map(PHASES.into_iter().zip(phases))),
        ("peer", Json::Map(peer)),
        ("wire", write_blob(observed.wire)),
        ("decoded", observed.decoded.map_or(Json::Null, write_blob)),
    ])
}

fn read_command(f: &mut Fields) -> Option<CommandObserved> {
    let code = |value: Json| match value {
        Json::Number(number) => i32::try_from(number.as_i64()?).ok(),
        _ => None,
    };
    let mut result = CommandResult {
        exit: f.nullable("exit", code)?,
        signal: f.nullable("signal", code)?,
        termination: f.text("termination")?,
        term_sent: f.bool("term_sent")?,
        kill_sent: f.bool("kill_sent")?,
        left_over: u32::try_from(f.number("left_over")?).ok()?,
        total_us: f.number("total_us")?,
        failure: read_failure(f)?,
        ..CommandResult::default()
    };
    let stdout = f.map("stdout", |f| read_stream(f, &mut result.stdout))?;
    let stderr = f.map("stderr", |f| read_stream(f, &mut result.stderr))?;
    Some(CommandObserved { result, stdout, stderr })
}

fn read_stream(f: &mut Fields, captured: &mut Captured) -> Option<Blob> {
    captured.total = f.number("total")?;
    captured.whole = f.optional_digest("whole")?;
    captured.complete = f.bool("complete")?;
    f.map("kept", read_blob)
}

fn write_command(command: &CommandObserved) -> Json {
    let result = &command.result;
    let stream = |captured: &Captured, blob: Blob| {
        Json::map([
            ("kept", write_blob(blob)),
            ("total", captured.total.into()),
            ("whole", captured.whole.into()),
            ("complete", captured.complete.into()),
        ])
    };
    Json::map([
        ("kind", Json::from("command")),
        ("exit", result.exit.into()),
        ("signal", result.signal.into()),
        ("termination", result.termination.as_str().into()),
        ("stdout", stream(&result.stdout, command.stdout)),
        ("stderr", stream(&result.stderr, command.stderr)),
        ("term_sent", result.term_sent.into()),
        ("kill_sent", result.kill_sent.into()),
        ("left_over", result.left_over.into()),
        ("total_us", result.total_us.into()),
        ("failure", write_failure(result.failure.as_ref())),
    ])
}
