//! What probes are asked to do and what they saw: plain data, without judgement.

use crate::codes::Code;
use crate::environment::Origin;
use crate::ids::{Digest, Id};
use crate::plan::{HttpVersion, KeySource};

/// A request with every reference resolved, except credentials, which are named and placed at the socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpCall {
    /// The method, upper case.
    pub method: String,
    /// Absolute URL, percent-encoded, without fragment or credentials.
    pub url: String,
    /// Headers in the order in which they are sent, before those that the client adds.
    pub headers: Vec<(String, Field)>,
    /// The body and its bytes.
    pub body: Option<Vec<u8>>,
    /// Time limit for the whole exchange, redirects included, in ms.
    pub timeout_ms: u64,
    /// How many redirects are followed.
    pub follow_redirects: u8,
    /// Whether the cookie jar of the case takes part.
    pub cookies: bool,
    /// Whether content codings are undone.
    pub decompress: bool,
    /// Cap in bytes, for the wire body and for the decoded one.
    pub max_body: u64,
    /// Whether certificates go unchecked.
    pub insecure: bool,
    /// Trust anchors (PEM) beside the system's.
    pub ca: Option<Vec<u8>>,
    /// The certificate that the client shows.
    pub client: Option<Box<ClientIdentity>>,
    /// The version asked for.
    pub version: HttpVersion,
    /// The proxy that it goes through, every hop of it.
    pub proxy: Option<Box<ProxyCall>>,
    /// The Unix socket that it goes to, every hop of it: a name relative to the project.
    pub unix_socket: Option<String>,
    /// Where redirects may lead.
    pub origins: Vec<Origin>,
}

impl HttpCall {
    /// A GET that asks for anything and goes nowhere else: no redirect, no cookie, 10 s, a body of at most 1 MiB. What
    /// probity itself asks with; other calls are told from it by their fields.
    #[must_use]
    pub fn get(url: &str, origins: Vec<Origin>) -> Self {
        Self {
            method: "GET".to_owned(),
            url: url.to_owned(),
            headers: vec![("accept".to_owned(), Field::Text("*/*".to_owned()))],
            body: None,
            timeout_ms: 10_000,
            follow_redirects: 0,
            cookies: false,
            decompress: true,
            max_body: 1 << 20,
            insecure: false,
            ca: None,
            client: None,
            version: HttpVersion::Auto,
            proxy: None,
            unix_socket: None,
            origins,
        }
    }
}

/// A client certificate, its key named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientIdentity {
    /// The certificate, and its issuers if need be (PEM).
    pub cert: Vec<u8>,
    /// Where its key is.
    pub key: KeySource,
}

/// A proxy, its credentials named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyCall {
    /// Where it is; `http` alone.
    pub origin: Origin,
    /// The credential: how it is placed, and the variable that holds it.
    pub auth: Option<(SecretUse, String)>,
}

/// A value of a header or of a command's environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// The text itself.
    Text(String),
    /// A credential: the name of the variable that holds it, and how it is placed.
    Secret(SecretUse, String),
}

/// How a credential is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretUse {
    /// As it is.
    Plain,
    /// `Basic` and the base64 form of `user:password`.
    Basic,
    /// `Bearer` and the token.
    Bearer,
}

/// All that one call gave: the hops of the redirect chain, the last one being the answer.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Exchange {
    /// Complete or cut answers in order; empty when no answer came at all.
    pub hops: Vec<Hop>,
    /// Why the call ended without a complete answer, if it did.
    pub failure: Option<Failure>,
    /// The whole call in microseconds.
    pub total_us: u64,
}

/// One request and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Hop {
    /// The method that was sent.
    pub method: String,
    /// The URL that was sent.
    pub url: String,
    /// Header names and values as they were sent, credentials replaced by `{env:NAME}`.
    pub sent_headers: Vec<(String, String)>,
    /// Bytes of the request body.
    pub sent_bytes: u64,
    /// `1.0`, `1.1` or `2`.
    pub version: String,
    /// The status.
    pub status: u16,
    /// The reason phrase, where the version has one.
    pub reason: String,
    /// Header lines in order, with the server's spelling; bytes beyond ASCII read as Latin-1.
    pub headers: Vec<(String, String)>,
    /// Trailer lines.
    pub trailers: Vec<(String, String)>,
    /// The body as it came, transfer coding undone, content coding not.
    pub wire: Vec<u8>,
    /// The body with its content codings undone; `None` when that is the same as `wire`.
    pub decoded: Option<Vec<u8>>,
    /// Whether the body came to its end and its codings, if they were to be undone, were undone to the end.
    pub complete: bool,
    /// The phases.
    pub phases: Phases,
    /// The other side.
    pub peer: Peer,
}

impl Hop {
    /// What the answer says of its media type, parameters included.
    #[must_use]
    pub fn media(&self) -> Option<&str> {
        let found = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        found.map(|(_, value)| value.as_str())
    }
}

/// Microseconds of each phase; zero where a phase did not occur (a reused connection has no first three).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Phases {
    /// Name lookup.
    pub dns_us: u64,
    /// TCP connect.
    pub connect_us: u64,
    /// TLS handshake.
    pub tls_us: u64,
    /// From the request's first byte to the answer's head.
    pub first_byte_us: u64,
    /// From the head to the end of the body.
    pub body_us: u64,
}

/// Facts about the other side of a connection (design.md section 10).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Peer {
    /// `127.0.0.1:8123`, that of the proxy if there is one; or `unix:` and the socket as the plan names it.
    pub address: String,
    /// The proxy between, if there is one: `http://proxy.test:3128`.
    pub proxy: Option<String>,
    /// Whether an open connection was used again.
    pub reused: bool,
    /// Whether the request had gone out before, on a kept connection that turned out to be dead; the answer is to
    /// the second sending.
    pub resent: bool,
    /// TLS facts, if it was TLS.
    pub tls: Option<TlsFacts>,
}

/// Facts about a TLS connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFacts {
    /// `1.2` or `1.3`
    pub version: String,
    /// The cipher suite's name.
    pub suite: String,
    /// Digest of the peer's public key (SPKI).
    pub key: Digest,
    /// Where trust came from: `system`, `file`, or `unchecked`.
    pub anchor: String,
}

/// Why an action gave no complete answer (plan.md, "What a step comes to").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The class that decides what the step comes to.
    pub kind: FailureKind,
    /// What happened, as a sentence without secrets.
    pub message: String,
}

/// Classes of failure of a probe. The first group means that no answer came, the second that one was cut,
/// the third that we refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// DNS, refused, unreachable, closed before an answer.
    TargetUnreachable,
    /// The handshake failed or the certificate is not trusted.
    TlsFailed,
    /// This process may not open sockets.
    NetworkDenied,
    /// The program does not exist or cannot be started.
    ProgramMissing,
    /// The program or script is not the one that was sealed.
    CommandChanged,
    /// A credential's variable is not set.
    CredentialMissing,
    /// Timeout, reset, wrong length, unknown coding.
    AnswerIncomplete,
    /// A body cap was reached.
    CaptureCapped,
    /// The run's budget was used up.
    BudgetExceeded,
    /// A child wrote more than it may.
    OutputLimit,
    /// A process of the group was left over.
    GroupLeftover,
    /// A template could not be filled safely.
    TemplateRefused,
    /// A target or redirect lies outside the environment.
    TargetRefused,
    /// The write policy stopped it.
    WriteRefused,
    /// The run was cancelled before or during the step.
    Cancelled,
    /// The run has no output of the service.
    LogUnavailable,
}

/// A command with every reference resolved, credentials named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandCall {
    /// Program and arguments. The program is as written.
    pub argv: Vec<String>,
    /// Working folder relative to the project; `.` is the project.
    pub cwd: String,
    /// The environment beyond the inherited names.
    pub env: Vec<(String, Field)>,
    /// Standard input.
    pub stdin: Option<Vec<u8>>,
    /// Time limit in ms.
    pub timeout_ms: u64,
}

/// A look at what a service wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogCall {
    /// The service.
    pub service: Id,
    /// Time limit in ms.
    pub timeout_ms: u64,
}

/// What a command gave.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CommandResult {
    /// The exit code, if it exited by itself.
    pub exit: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// `exited`, `signalled`, `stage_timeout`, `cancelled`, `output_byte_limit`, `process_group_cleanup`, `spawn_error`.
    pub termination: String,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// Whether TERM was sent to the group.
    pub term_sent: bool,
    /// Whether KILL was sent to the group.
    pub kill_sent: bool,
    /// Processes of the group or escaped children that were left and had to be ended.
    pub left_over: u32,
    /// Wall time in microseconds.
    pub total_us: u64,
    /// Why there is no complete result, if so.
    pub failure: Option<Failure>,
}

/// A captured stream: the first bytes up to the cap, and facts about all of them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Captured {
    /// The bytes that were kept.
    pub kept: Vec<u8>,
    /// How many bytes there were.
    pub total: u64,
    /// Digest of all bytes, kept or not; `None` when `kept` is all of them.
    pub whole: Option<Digest>,
    /// Whether the stream came to its end.
    pub complete: bool,
}

impl FailureKind {
    /// All kinds.
    pub const ALL: [Self; 16] = [
        Self::TargetUnreachable,
        Self::TlsFailed,
        Self::NetworkDenied,
        Self::ProgramMissing,
        Self::CommandChanged,
        Self::CredentialMissing,
        Self::AnswerIncomplete,
        Self::CaptureCapped,
        Self::BudgetExceeded,
        Self::OutputLimit,
        Self::GroupLeftover,
        Self::TemplateRefused,
        Self::TargetRefused,
        Self::WriteRefused,
        Self::Cancelled,
        Self::LogUnavailable,
    ];

    /// The code by which findings and the journal name it.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            Self::TargetUnreachable => Code::TargetUnreachable,
            Self::TlsFailed => Code::TlsFailed,
            Self::NetworkDenied => Code::NetworkDenied,
            Self::ProgramMissing => Code::ProgramMissing,
            Self::CommandChanged => Code::CommandChanged,
            Self::CredentialMissing => Code::CredentialMissing,
            Self::AnswerIncomplete => Code::AnswerIncomplete,
            Self::CaptureCapped => Code::CaptureCapped,
            Self::BudgetExceeded => Code::BudgetExceeded,
            Self::OutputLimit => Code::OutputLimit,
            Self::GroupLeftover => Code::GroupLeftover,
            Self::TemplateRefused => Code::TemplateRefused,
            Self::TargetRefused => Code::TargetRefused,
            Self::WriteRefused => Code::WriteRefused,
            Self::Cancelled => Code::Cancelled,
            Self::LogUnavailable => Code::LogUnavailable,
        }
    }

    /// The kind that a code of the journal names.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code().as_str() == code)
    }
}
