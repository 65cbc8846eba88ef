//! The plan as it is run: the seed form, typed (plan.md; harness-planning.md section 3).
//!
//! Written plans are expanded into this form first (`expand`), so engine and derivation know one form only.

use crate::document::Place;
use crate::environment::Origin;
use crate::expect::{Check, What};
use crate::ids::Id;
use crate::json::Json;
use crate::path::Path;

/// A plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The environment that the plan names or holds.
    pub environment: EnvironmentRef,
    /// `baseUrl` of a seed-form plan: the origin of paths where no environment is declared.
    pub base_url: Option<String>,
    /// Constants of all cases, in written order.
    pub vars: Vec<(String, Json)>,
    /// What the plan permits beyond the default.
    pub grants: Grants,
    /// The write policy, if one is declared.
    pub mutation: Option<Mutation>,
    /// The cases in order.
    pub scenarios: Vec<Scenario>,
}

/// How a plan says which environment it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvironmentRef {
    /// It does not say.
    Absent,
    /// By a name in `probity.yaml`.
    Named(String, Place),
    /// In place: a map with the fields of an entry of `environments`, and perhaps `name`.
    Inline(Json, Place),
}

/// What a plan permits beyond the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// `grants: [shell]`: steps with `shell: true` may run.
    pub shell: bool,
}

/// The write policy of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// Which writes are allowed.
    pub policy: WritePolicy,
    /// What each write must carry under `scoped-write`.
    pub prefix: Option<String>,
}

/// Which writes a plan allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePolicy {
    /// None.
    ReadOnly,
    /// Those that carry the prefix, or name an object that an allowed write of the case made.
    ScopedWrite,
    /// All.
    Unrestricted,
}

/// A case: an ordered list of steps, set-up and cleanup included.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The id that people quote.
    pub id: Id,
    /// What it shows.
    pub title: String,
    /// Whether later steps run after a failure.
    pub continue_on_failure: bool,
    /// Cases whose end this one starts from.
    pub uses: Vec<Used>,
    /// The steps, cleanup last.
    pub steps: Vec<Step>,
    /// Claims that the case does not make, with the reason.
    pub not_claimed: Vec<NotClaimed>,
    /// Where it was written.
    pub place: Place,
}

/// A case that another starts from: its variables and cookies are the beginning of the other's (plan.md rule 5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// The case.
    pub case: Id,
    /// Where that was written.
    pub place: Place,
}

/// A claim that the wording suggests and the case does not make (plan.md rule 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotClaimed {
    /// The criterion.
    pub criterion: Id,
    /// The kind of obligation.
    pub kind: ObligationKind,
    /// Why.
    pub why: String,
}

/// One action with its expectations.
#[derive(Clone, Debug)]
pub struct Step {
    /// `<case>.<n>` in written plans.
    pub id: Id,
    /// A title, if one is written.
    pub title: Option<String>,
    /// What to do.
    pub action: Action,
    /// The seed's name of the action: `api`, `pollApi`, `cleanupApi`, `command`; and `log`.
    pub action_name: &'static str,
    /// Tests that it belongs to. Empty: a set-up step.
    pub test_ids: Vec<Id>,
    /// Criteria that it belongs to.
    pub requirement_ids: Vec<Id>,
    /// `api_response`, `command`, `cleanup`, or what a seed-form plan says.
    pub evidence_type: String,
    /// What it proves, in words.
    pub proves: String,
    /// Declared strategy dimensions (harness-planning.md 4.3).
    pub dimensions: Vec<String>,
    /// Runs even after a failure of its case or a cancellation.
    pub always_run: bool,
    /// Skipped, not failed, when a variable it needs never came to be.
    pub skip_if_missing_vars: bool,
    /// Whether later steps run after its failure.
    pub continue_on_failure: bool,
    /// Whether it may be sent twice.
    pub idempotent: bool,
    /// Time limit in ms.
    pub timeout_ms: u64,
    /// What must hold, in written order.
    pub checks: Vec<Check>,
    /// Values it saves for later steps.
    pub saves: Vec<Save>,
    /// Values it keeps for success policies: name and path.
    pub records: Vec<(String, Path)>,
    /// What it must show beyond its checks.
    pub obligations: Vec<Obligation>,
    /// Where it was written.
    pub place: Place,
}

impl Step {
    /// Whether the step belongs to cleanup.
    #[must_use]
    pub fn is_cleanup(&self) -> bool {
        self.evidence_type == "cleanup"
    }

    /// Whether a check names the status or exit code. Where none does, an answer of 400 or more, or an exit code
    /// other than 0, fails the step (plan.md, "`http`"); that rule belongs to the derivation.
    #[must_use]
    pub fn expects_outcome(&self) -> bool {
        self.checks.iter().any(|check| matches!(check.what, What::Status(_) | What::Exit(_)))
    }
}

/// What a step does. A closed set: each kind has its probe.
#[derive(Clone, Debug)]
pub enum Action {
    /// An HTTP request.
    Http(HttpStep),
    /// A command.
    Command(CommandStep),
    /// A look at what a service of the run wrote.
    Log(LogStep),
}

/// An HTTP request, with references still open.
#[derive(Clone, Debug)]
pub struct HttpStep {
    /// The method, upper case.
    pub method: String,
    /// A path with placeholders (resolved against the environment), or an absolute URL with placeholders.
    pub target: String,
    /// Query pairs; values are texts, numbers, booleans or references.
    pub query: Vec<(String, Json)>,
    /// Header pairs; values are texts or references (`$env` too).
    pub headers: Vec<(String, Json)>,
    /// The body.
    pub body: Option<Body>,
    /// Credentials.
    pub auth: Option<Auth>,
    /// How many redirects are followed.
    pub follow_redirects: u8,
    /// Whether the case's cookie jar takes part.
    pub cookies: bool,
    /// Whether content codings are undone.
    pub decompress: bool,
    /// Cap of the body in bytes, wire and decoded alike.
    pub max_body: u64,
    /// The HTTP version asked for.
    pub http_version: HttpVersion,
    /// Whether certificates are not checked (recorded; a weakening).
    pub insecure: bool,
    /// A file of trust anchors inside the project (PEM).
    pub ca: Option<String>,
    /// The certificate that the client shows.
    pub client: Option<Box<ClientCertificate>>,
    /// The proxy that it goes through.
    pub proxy: Option<Box<Proxy>>,
    /// The Unix socket that it goes to, relative to the project; scheme, host and port still name the target.
    pub unix_socket: Option<String>,
    /// Repetition until the checks hold.
    pub poll: Option<Poll>,
    /// Whether the sent request is kept as evidence.
    pub capture_request: bool,
}

/// The body of a request, with references still open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// JSON, sent as `application/json`.
    Json(Json),
    /// Pairs, sent as `application/x-www-form-urlencoded`.
    Form(Vec<(String, Json)>),
    /// Text as written (a text or a reference).
    Text(Json),
    /// The bytes of a file inside the project.
    File(String),
    /// Parts, sent as `multipart/form-data`.
    Multipart(Vec<BodyPart>),
}

/// A part of a multipart body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyPart {
    /// The field's name.
    pub name: String,
    /// What it holds.
    pub content: PartContent,
    /// Its media type; absent: none for a value, `application/octet-stream` for a file.
    pub media: Option<String>,
}

/// What a part of a multipart body holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartContent {
    /// A text, number, truth value or reference.
    Value(Json),
    /// The bytes of a file inside the project.
    File {
        /// The file.
        path: String,
        /// The name under which it is sent: the last part of `path` unless the plan says another.
        filename: String,
    },
}

/// Credentials by reference; values stand in the environment of the call only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// `user:password` in the variable.
    Basic(String),
    /// The token in the variable.
    Bearer(String),
}

/// A client certificate and where its key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The file with the certificate, and its issuers if need be (PEM); sealed.
    pub cert: String,
    /// Where its private key is; never kept.
    pub key: KeySource,
}

/// Where a private key (PEM) is. The handshake shows that it is the certificate's, so nothing of it is recorded but
/// this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// In an environment variable.
    Env(String),
    /// In a file inside the project, read when the run is opened and not sealed.
    File(String),
}

impl KeySource {
    /// The name under which the key is kept among the credentials of a run. No variable has a colon in its name.
    #[must_use]
    pub fn credential(&self) -> String {
        match self {
            Self::Env(name) => name.clone(),
            Self::File(path) => format!("file:{path}"),
        }
    }
}

/// A proxy that the plan names. Those of environment variables are never used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    /// Where it is: an `http` origin.
    pub origin: Origin,
    /// Credentials for it.
    pub auth: Option<Auth>,
}

/// The HTTP version that a step asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/2 where TLS agrees on it (ALPN), else HTTP/1.1.
    #[default]
    Auto,
    /// HTTP/1.1.
    One,
    /// HTTP/2: agreed on under TLS, with prior knowledge without.
    Two,
}

impl HttpVersion {
    /// As plans write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::One => "1.1",
            Self::Two => "2",
        }
    }
}

/// Repetition of a request, or of a look at a log, until its checks hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poll {
    /// Pause between tries in ms, at least 50.
    pub every_ms: u64,
    /// Time for all tries in ms.
    pub for_ms: u64,
    /// Greatest number of tries.
    pub tries: u32,
}

/// A command, with references still open.
#[derive(Clone, Debug)]
pub struct CommandStep {
    /// The program and its arguments: texts, or `$var` for a whole argument after the first.
    pub argv: Vec<Json>,
    /// Working folder inside the project, relative to it.
    pub cwd: Option<String>,
    /// Added environment: texts or references (`$env` too).
    pub env: Vec<(String, Json)>,
    /// Standard input: a text, a reference, or a value that is sent as JSON.
    pub stdin: Option<Json>,
    /// Whether `argv` is handed to `sh -c` (needs `grants: [shell]`).
    pub shell: bool,
    /// Whether the plan itself says if it may be run twice; where it does not, the allow list does.
    pub says_idempotent: bool,
}

/// A look at what a service of the run wrote since the case began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogStep {
    /// The service.
    pub service: Id,
    /// Repetition until the checks hold.
    pub poll: Option<Poll>,
}

/// A value that a step saves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    /// The variable.
    pub name: String,
    /// Where the value comes from.
    pub from: SaveFrom,
    /// Where it was written.
    pub place: Place,
}

/// Where a saved value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveFrom {
    /// A path in the JSON answer, or in the JSON on stdout of a command.
    Json(Path),
    /// A response header, by name.
    Header(String),
    /// The one group of a pattern over the body, or over stdout of a command.
    Text(String),
}

/// What a step must show beyond its checks (plan.md rule 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// The kind.
    pub kind: ObligationKind,
    /// `terminal`: the path that must have reached one of `values`.
    pub path: Option<Path>,
    /// `terminal`: the values that end the process.
    pub values: Vec<Json>,
    /// `persistence`: variables that name the object; empty: the saved variables in the step's input.
    pub of: Vec<String>,
    /// Where it was written.
    pub place: Place,
}

/// The kinds of obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObligationKind {
    /// The run's marker came back in received data.
    Marker,
    /// A terminal value was reached.
    Terminal,
    /// The object was read back another way.
    Persistence,
    /// Something is absent, beside a positive control.
    Absence,
}

impl ObligationKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Marker, Self::Terminal, Self::Persistence, Self::Absence];

    /// As plans write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Marker => "marker",
            Self::Terminal => "terminal",
            Self::Persistence => "persistence",
            Self::Absence => "absence",
        }
    }

    /// From what plans write.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}
