//! The bodies of entries, typed. Reading is strict: a body with a field too many, too few or of another type is
//! `entry_body_invalid`.

use std::sync::Arc;

use super::observation::Observation;
pub use super::runtime::RuntimeObserved;
use super::witnessed::Witnessed;
use crate::ids::{Digest, Id};
use crate::json::{Json, Map};

/// The fields of a body that were not read yet. Reading takes them out, and what is left in the end refuses the body:
/// no field can be smuggled in.
pub struct Fields(Map);

impl Fields {
    /// Reads a map to its last field.
    pub(super) fn all<T>(value: Json, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let Json::Map(map) = value else { return None };
        let mut fields = Self(map);
        let found = read(&mut fields)?;
        fields.0.is_empty().then_some(found)
    }

    /// Whatever stands under a key.
    pub(super) fn take(&mut self, key: &str) -> Option<Json> {
        self.0.take(key)
    }

    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        match self.take(key)? {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn number(&mut self, key: &str) -> Option<u64> {
        self.take(key)?.as_u64()
    }

    /// A number, or what stands for it where the field is absent.
    pub(super) fn number_or(&mut self, key: &str, absent: u64) -> Option<u64> {
        self.take(key).map_or(Some(absent), |value| value.as_u64())
    }

    pub(super) fn bool(&mut self, key: &str) -> Option<bool> {
        self.take(key)?.as_bool()
    }

    pub(super) fn id(&mut self, key: &str) -> Option<Id> {
        Id::parse(self.take(key)?.as_text()?).ok()
    }

    pub(super) fn digest(&mut self, key: &str) -> Option<Digest> {
        Digest::parse(self.take(key)?.as_text()?)
    }

    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        self.list(key, |item| match item {
            Json::Text(text) => Some(text),
            _ => None,
        })
    }

    /// A map, read to its last field.
    pub(super) fn map<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        Self::all(self.take(key)?, read)
    }

    /// A list, each item read.
    pub(super) fn list<T>(&mut self, key: &str, mut read: impl FnMut(Json) -> Option<T>) -> Option<Vec<T>> {
        let Json::List(items) = self.take(key)? else { return None };
        // As long as it is: records are kept for each step of a run.
        let mut found = Vec::with_capacity(items.len());
        for item in items {
            found.push(read(item)?);
        }
        Some(found)
    }

    /// `Some(None)` for null, `None` for something malformed.
    pub(super) fn nullable<T>(&mut self, key: &str, read: impl FnOnce(Json) -> Option<T>) -> Option<Option<T>> {
        match self.take(key)? {
            Json::Null => Some(None),
            value => read(value).map(Some),
        }
    }

    pub(super) fn optional_text(&mut self, key: &str) -> Option<Option<String>> {
        self.nullable(key, |value| match value {
            Json::Text(text) => Some(text),
            _ => None,
        })
    }

    /// The text under a key that is only written where there is one: `Some(None)` without the key, `None` for
    /// something malformed, null included.
    pub(super) fn text_if_there(&mut self, key: &str) -> Option<Option<String>> {
        match self.take(key) {
            None => Some(None),
            Some(Json::Text(text)) => Some(Some(text)),
            Some(_) => None,
        }
    }

    pub(super) fn optional_digest(&mut self, key: &str) -> Option<Option<Digest>> {
        self.nullable(key, |value| Digest::parse(value.as_text()?))
    }
}

/// A body of a kind of entry.
pub trait Body: Sized {
    /// Takes its fields; `None` where one is missing or of the wrong type.
    fn fields(fields: &mut Fields) -> Option<Self>;

    /// Writes it.
    fn write(&self) -> Json;

    /// Reads it strictly: a field that is missing, of the wrong type or not one of the body's refuses it.
    fn read(body: Json) -> Option<Self> {
        Fields::all(body, Self::fields)
    }
}

/// How bytes stand in an entry: up to 4 KiB in the entry itself, larger ones under their digest in `evidence/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// As text, where it is text.
    Text(String),
    /// In base64, where it is not.
    Base64(String),
    /// In this file below `evidence/`.
    File(String),
    /// Not kept: only the digest counts (programs, which are named and pinned but not copied).
    Absent,
}

/// The largest content that stands in its entry.
pub const INLINE: usize = 4096;

impl Content {
    /// Content that stands in the entry, if the bytes are few enough.
    #[must_use]
    pub fn inline(bytes: &[u8]) -> Option<Self> {
        use base64::Engine as _;
        if bytes.len() > INLINE {
            return None;
        }
        Some(match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Base64(base64::engine::general_purpose::STANDARD.encode(bytes)),
        })
    }

    /// The bytes, if they stand in the entry.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        use base64::Engine as _;
        match self {
            Self::Text(text) => Some(text.clone().into_bytes()),
            Self::Base64(text) => base64::engine::general_purpose::STANDARD.decode(text).ok(),
            Self::File(_) | Self::Absent => None,
        }
    }

    fn write(&self) -> Json {
        match self {
            Self::Text(text) => Json::map([("text", text.as_str())]),
            Self::Base64(text) => Json::map([("base64", text.as_str())]),
            Self::File(name) => Json::map([("file", name.as_str())]),
            Self::Absent => Json::Null,
        }
    }

    fn read(value: Json) -> Option<Self> {
        if value == Json::Null {
            return Some(Self::Absent);
        }
        Fields::all(value, |f| {
            f.text("text")
                .map(Self::Text)
                .or_else(|| f.text("base64").map(Self::Base64))
                .or_else(|| f.text("file").map(Self::File))
        })
    }
}

/// `input.sealed`: a byte string that influences the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputSealed {
    /// What it is for.
    pub role: Role,
    /// The name as the user or the plan wrote it, relative.
    pub name: String,
    /// Its digest.
    pub sha256: Digest,
    /// Its size.
    pub bytes: u64,
    /// How many secrets were replaced in it before.
    pub redactions: u64,
    /// The bytes.
    pub content: Content,
}

/// What a sealed input is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The written form, as the user wrote it.
    Written,
    /// requirement.md.
    Requirement,
    /// test-matrix.json.
    Matrix,
    /// test-plan.json.
    Plan,
    /// probity.yaml.
    Profile,
    /// A file that the plan names.
    File,
    /// A program: by its written name and digest, not copied.
    Program,
}

impl Role {
    const ALL: [Self; 7] =
        [Self::Written, Self::Requirement, Self::Matrix, Self::Plan, Self::Profile, Self::File, Self::Program];

    /// As entries write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Requirement => "requirement",
            Self::Matrix => "matrix",
            Self::Plan => "plan",
            Self::Profile => "profile",
            Self::File => "file",
            Self::Program => "program",
        }
    }
}

impl Body for InputSealed {
    fn fields(f: &mut Fields) -> Option<Self> {
        let role = f.text("role")?;
        Some(Self {
            role: Role::ALL.into_iter().find(|r| r.as_str() == role)?,
            name: f.text("name")?,
            sha256: f.digest("sha256")?,
            bytes: f.number("bytes")?,
            redactions: f.number("redactions")?,
            content: Content::read(f.take("content")?)?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("role", Json::from(self.role.as_str())),
            ("name", self.name.as_str().into()),
            ("sha256", self.sha256.into()),
            ("bytes", self.bytes.into()),
            ("redactions", self.redactions.into()),
            ("content", self.content.write()),
        ])
    }
}

/// `plan.checked`: the outcome of the plan check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanChecked {
    /// Whether there was no error.
    pub ok: bool,
    /// The findings, as [`crate::diagnostic::Diagnostic::to_json`] writes them.
    pub findings: Vec<Json>,
}

impl Body for PlanChecked {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self { ok: f.bool("ok")?, findings: f.list("findings", Some)? })
    }

    fn write(&self) -> Json {
        Json::map([("ok", Json::from(self.ok)), ("findings", Json::List(self.findings.clone()))])
    }
}

/// `action.intent`: what is about to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionIntent {
    /// The case.
    pub scenario: Id,
    /// The step.
    pub step: Id,
    /// `api`, `pollApi`, `cleanupApi`, `command`.
    pub action: String,
    /// Whether it may be sent twice.
    pub idempotent: bool,
    /// The resolved call; null for a step that is skipped or refused and never leaves.
    pub call: Json,
    /// Digest of nonce, case, step and call; a server may use it to recognise a repeat.
    pub idempotency_key: Option<Digest>,
    /// Time limit in ms.
    pub timeout_ms: u64,
}

impl Body for ActionIntent {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            scenario: f.id("scenario")?,
            step: f.id("step")?,
            action: f.text("action")?,
            idempotent: f.bool("idempotent")?,
            call: f.take("call")?,
            idempotency_key: f.optional_digest("idempotency_key")?,
            timeout_ms: f.number("timeout_ms")?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("scenario", Json::from(&self.scenario)),
            ("step", (&self.step).into()),
            ("action", self.action.as_str().into()),
            ("idempotent", self.idempotent.into()),
            ("call", self.call.clone()),
            ("idempotency_key", self.idempotency_key.into()),
            ("timeout_ms", self.timeout_ms.into()),
        ])
    }
}

/// `action.commit`: what happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCommit {
    /// Number of the intent's entry.
    pub intent: u64,
    /// The case.
    pub scenario: Id,
    /// The step.
    pub step: Id,
    /// What the runner took it for; a hint that the derivation must confirm.
    pub status: String,
    /// The runner's reason, a code and a sentence, where the step did not pass.
    pub code: Option<String>,
    /// The sentence.
    pub message: Option<String>,
    /// What was observed; null when the step never left.
    pub observation: Option<Arc<Observation>>,
    /// What depends on what was replaced before it was kept; absent where nothing does.
    pub witnessed: Witnessed,
    /// Probes that it used.
    pub probes: u64,
    /// Bytes of output of children that it used.
    pub output_bytes: u64,
}

impl Body for ActionCommit {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            intent: f.number("intent")?,
            scenario: f.id("scenario")?,
            step: f.id("step")?,
            status: f.text("status")?,
            code: f.optional_text("code")?,
            message: f.optional_text("message")?,
            observation: f.nullable("observation", Observation::read)?.map(Arc::new),
            witnessed: match f.take("witnessed") {
                None => Witnessed::default(),
                Some(notes) => Fields::all(notes, Witnessed::fields).filter(|notes| !notes.is_empty())?,
            },
            probes: f.number("probes")?,
            output_bytes: f.number("output_bytes")?,
        })
    }

    fn write(&self) -> Json {
        let mut map = Map::new();
        map.push("intent", self.intent);
        map.push("scenario", &self.scenario);
        map.push("step", &self.step);
        map.push("status", self.status.as_str());
        map.push("code", self.code.clone());
        map.push("message", self.message.clone());
        map.push("observation", self.observation.as_ref().map_or(Json::Null, |observation| observation.write()));
        if !self.witnessed.is_empty() {
            map.push("witnessed", self.witnessed.write());
        }
        map.push("probes", self.probes);
        map.push("output_bytes", self.output_bytes);
        Json::Map(map)
    }
}

/// `evidence.captured`: bytes that a step or an identity probe saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceCaptured {
    /// Number of the intent's entry; for identity probes the number of this generation's first entry.
    pub intent: u64,
    /// `body`, `wire`, `stdout`, `stderr`, `identity`.
    pub role: String,
    /// Its digest.
    pub sha256: Digest,
    /// Its size.
    pub bytes: u64,
    /// Its media type, as far as it is known.
    pub media: String,
    /// How many secrets were replaced in it before it was hashed.
    pub redactions: u64,
    /// The bytes.
    pub content: Content,
}

impl Body for EvidenceCaptured {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self {
            intent: f.number("intent")?,
            role: f.text("role")?,
            sha256: f.digest("sha256")?,
            bytes: f.number("bytes")?,
            media: f.text("media")?,
            redactions: f.number("redactions")?,
            content: Content::read(f.take("content")?)?,
        })
    }

    fn write(&self) -> Json {
        Json::map([
            ("intent", Json::from(self.intent)),
            ("role", self.role.as_str().into()),
            ("sha256", self.sha256.into()),
            ("bytes", self.bytes.into()),
            ("media", self.media.as_str().into()),
            ("redactions", self.redactions.into()),
            ("content", self.content.write()),
        ])
    }
}

/// `budget.exceeded`: a resource ran out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetEnded {
    /// `time`, `probes` or `output`.
    pub resource: String,
    /// The limit, in ms, probes or bytes.
    pub limit: u64,
    /// What was used.
    pub used: u64,
}

impl Body for BudgetEnded {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self { resource: f.text("resource")?, limit: f.number("limit")?, used: f.number("used")? })
    }

    fn write(&self) -> Json {
        Json::map([
            ("resource", Json::from(self.resource.as_str())),
            ("limit", self.limit.into()),
            ("used", self.used.into()),
        ])
    }
}

/// `run.cancelled`: somebody stopped the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCancelled {
    /// `interrupt` (Ctrl-C) or `terminate`.
    pub by: String,
}

impl Body for RunCancelled {
    fn fields(f: &mut Fields) -> Option<Self> {
        Some(Self { by: f.text("by")? })
    }

    fn write(&self) -> Json {
        Json::map([("by", self.by.as_str())])
    }
}

/// `run.closed`: the run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunClosed {
    /// Number of entries before this one.
    pub entries: u64,
    /// Id of the entry before this one.
    pub head: Digest,
    /// The verdict's status: `passed`, `failed`, `blocked`, `inconclusive`.
    pub outcome: String,
    /// Criteria by status, in the order passed, failed, blocked, inconclusive, untested.
    pub counts: [u64; 5],
}

/// The names of [`RunClosed::counts`].
pub const COUNT_NAMES: [&str; 5] = ["passed", "failed", "blocked", "inconclusive", "untested"];

impl Body for RunClosed {
    fn fields(f: &mut Fields) -> Option<Self> {
        let (entries, head) = f.map("closes", |f| Some((f.number("entries")?, f.digest("head")?)))?;
        let counts = f.map("counts", |f| {
            let mut counts = [0; 5];
            for (count, name) in counts.iter_mut().zip(COUNT_NAMES) {
                *count = f.number(name)?;
            }
            Some(counts)
        })?;
        Some(Self { entries, head, outcome: f.text("outcome")?, counts })
    }

    fn write(&self) -> Json {
        Json::map([
            ("closes", Json::map([("entries", Json::from(self.entries)), ("head", self.head.into())])),
            ("outcome", self.outcome.as_str().into()),
            ("counts", Json::map(COUNT_NAMES.iter().zip(self.counts).map(|(name, n)| (*name, n)))),
        ])
    }
}
