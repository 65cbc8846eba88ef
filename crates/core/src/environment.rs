//! The environment of a run: which origins it may touch, whose data they hold, how the subject is read
//! (design.md sections 8 and 10).

use crate::json::Json;
use crate::judge::Judge;
use crate::service::Service;

/// A resolved environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Its name in `probity.yaml`, if it has one.
    pub name: Option<String>,
    /// `local`, `ci`, `qa`, `staging`, `production`; absent when nobody has said.
    pub kind: Option<String>,
    /// The base that paths of the plan are resolved against: an origin, perhaps with a path.
    pub url: Option<String>,
    /// Every origin that may be touched, in written order.
    pub origins: Vec<Origin>,
    /// `disposable`, `seeded`, `shared`, `live`, `mock`; absent when nobody has said.
    pub data: Option<String>,
    /// How the running system says which build it is.
    pub identity: Option<Identity>,
    /// Whether the environment itself says that certificates are not checked.
    pub insecure: bool,
    /// Who declared it.
    pub declared: Declared,
}

/// Who declared an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// `probity.yaml`.
    Profile,
    /// The plan.
    Plan,
    /// Nobody: the literal origins of the plan are the set, and the run ends in inconclusive at best.
    Nobody,
}

impl Declared {
    /// As answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Plan => "plan",
            Self::Nobody => "none",
        }
    }
}

/// Scheme, host and port; written `http://127.0.0.1:8123`, the default port left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// `http` or `https`.
    pub scheme: String,
    /// Lower-case host, IPv6 in brackets.
    pub host: String,
    /// Port, the default one filled in.
    pub port: u16,
}

/// The request that reads which build is running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// A path or URL, always fetched with GET.
    pub target: String,
    /// Where the build stands in the answer.
    pub read: IdentityRead,
}

/// Where the build stands in the identity answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityRead {
    /// A path into the JSON answer.
    Json(String),
    /// A pattern with one group over the text.
    Regex(String),
}

/// What the settings file says that a run needs (`probity.yaml`, plan.md "the least of it").
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The environment that is used when neither flag nor plan names one.
    pub default_environment: Option<String>,
    /// Declared environments by name, in written order.
    pub environments: Vec<(String, Environment)>,
    /// Programs that may run beyond the shipped list.
    pub commands: Vec<AllowedCommand>,
    /// Limits of a run.
    pub limits: LimitSettings,
    /// Deny and signature lists of the write policy, as written.
    pub mutation: Option<Json>,
    /// Declared services, in written order.
    pub services: Vec<Service>,
    /// Declared judges, in written order.
    pub judges: Vec<Judge>,
}

/// An entry of an allow list of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedCommand {
    /// The program as `argv[0]` writes it.
    pub program: String,
    /// Globs, one for each argument after the program; a last `**` stands for any further arguments.
    pub args: Vec<String>,
    /// Whether the call only reads.
    pub reads: bool,
}

/// Limits as the settings file writes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitSettings {
    /// Time in ms.
    pub time_ms: Option<u64>,
    /// Number of probes.
    pub probes: Option<u64>,
    /// Output of children in bytes.
    pub output: Option<u64>,
    /// How many cases may be under way at once.
    pub jobs: Option<u64>,
}

impl Environment {
    /// An environment that nobody declared: the given origins, and nothing else said.
    #[must_use]
    pub const fn undeclared(origins: Vec<Origin>, url: Option<String>) -> Self {
        Self {
            name: None,
            kind: None,
            url,
            origins,
            data: None,
            identity: None,
            insecure: false,
            declared: Declared::Nobody,
        }
    }

    /// As `run.opened` and answers carry it.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let identity = self.identity.as_ref().map_or(Json::Null, |identity| {
            let (key, read) = match &identity.read {
                IdentityRead::Json(path) => ("json", path),
                IdentityRead::Regex(pattern) => ("regex", pattern),
            };
            Json::map([("http", Json::from(&identity.target)), (key, read.into())])
        });
        Json::map([
            ("name", Json::from(self.name.clone())),
            ("kind", self.kind.clone().into()),
            ("url", self.url.clone().into()),
            ("origins", self.origins.iter().map(ToString::to_string).collect::<Vec<_>>().into()),
            ("data", self.data.clone().into()),
            ("identity", identity),
            ("insecure", self.insecure.into()),
            ("declared", self.declared.as_str().into()),
        ])
    }

    /// Whether somebody has said what the target is and whose data it holds.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        self.declared != Declared::Nobody && self.kind.is_some() && self.data.is_some()
    }
}
