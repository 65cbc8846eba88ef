//! One entry: its fields, its id, its line.

use std::fmt::Write as _;

use crate::ids::Digest;
use crate::json::{Json, Limits, NotCanonical, read_canonical, write_canonical};

/// The version of the entry format.
pub const VERSION: u64 = 1;

/// The kinds of entry. A closed set: another kind is `entry_unknown_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The run begins: goal, options, limits, versions, nonce, series, environment, subject.
    RunOpened,
    /// A byte string that influences the run.
    InputSealed,
    /// The outcome of the plan check.
    PlanChecked,
    /// An action is about to happen.
    ActionIntent,
    /// It happened, with what was observed.
    ActionCommit,
    /// Bytes were captured.
    EvidenceCaptured,
    /// Something about the runtime: the subject's identity, a resume, a clock step.
    RuntimeObserved,
    /// A service is about to start.
    ServiceIntent,
    /// It is up.
    ServiceUp,
    /// It is down.
    ServiceDown,
    /// A resource ran out.
    BudgetExceeded,
    /// The run was cancelled.
    RunCancelled,
    /// The run ends. Nothing follows.
    RunClosed,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::RunOpened,
        Self::InputSealed,
        Self::PlanChecked,
        Self::ActionIntent,
        Self::ActionCommit,
        Self::EvidenceCaptured,
        Self::RuntimeObserved,
        Self::ServiceIntent,
        Self::ServiceUp,
        Self::ServiceDown,
        Self::BudgetExceeded,
        Self::RunCancelled,
        Self::RunClosed,
    ];

    /// As the journal writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RunOpened => "run.opened",
            Self::InputSealed => "input.sealed",
            Self::PlanChecked => "plan.checked",
            Self::ActionIntent => "action.intent",
            Self::ActionCommit => "action.commit",
            Self::EvidenceCaptured => "evidence.captured",
            Self::RuntimeObserved => "runtime.observed",
            Self::ServiceIntent => "service.intent",
            Self::ServiceUp => "service.up",
            Self::ServiceDown => "service.down",
            Self::BudgetExceeded => "budget.exceeded",
            Self::RunCancelled => "run.cancelled",
            Self::RunClosed => "run.closed",
        }
    }

    /// From what the journal writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// One entry. Bodies hold texts, integers, truth values, lists and maps; numbers of outside data are texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The run's id.
    pub run: String,
    /// 1, and one more for each resume.
    pub generation: u64,
    /// 0, 1, 2, …
    pub seq: u64,
    /// Wall-clock time, RFC 3339 in UTC with milliseconds: `2026-11-30T14:24:02.123Z`.
    pub at: String,
    /// Microseconds since this generation was opened, by a clock that never goes back.
    pub mono: u64,
    /// The kind.
    pub kind: Kind,
    /// What the kind says.
    pub body: Json,
    /// The id of the entry before; zeros for the first.
    pub prev: Digest,
}

impl Entry {
    /// The line of the journal (canonical JSON and a line end) and the entry's id, the digest of the canonical
    /// form without `id`.
    ///
    /// # Errors
    /// A body that has no canonical form.
    pub fn line(&self) -> Result<(Vec<u8>, Digest), NotCanonical> {
        // The fields in canonical order; the id stands after `gen`.
        let mut line = String::with_capacity(1024);
        line.push_str("{\"at\":");
        write_canonical(&Json::from(self.at.as_str()), &mut line)?;
        line.push_str(",\"body\":");
        write_canonical(&self.body, &mut line)?;
        let _ = write!(line, ",\"gen\":{}", self.generation);
        let tail = self.tail()?;
        let id = Digest::of_parts(&[line.as_bytes(), tail.as_bytes()]);
        let _ = writeln!(line, ",\"id\":\"{id}\"{tail}");
        Ok((line.into_bytes(), id))
    }

    /// What stands after the id.
    fn tail(&self) -> Result<String, NotCanonical> {
        let mut tail = String::with_capacity(192);
        let _ = write!(
            tail,
            ",\"kind\":\"{}\",\"mono\":{},\"prev\":\"{}\",\"run\":",
            self.kind.as_str(),
            self.mono,
            self.prev
        );
        write_canonical(&Json::from(self.run.as_str()), &mut tail)?;
        let _ = write!(tail, ",\"seq\":{},\"v\":{VERSION}}}", self.seq);
        Ok(tail)
    }

    /// Reads a line without its line end, and checks that it is exactly the canonical form and that `id` is right.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn read(line: &[u8]) -> Result<(Self, Digest), EntryFault> {
        let limits = Limits { depth: 64, nodes: 2_000_000 };
        let (value, canonical) = read_canonical(line, &limits).map_err(|e| EntryFault::NotJson(e.to_string()))?;
        let Json::Map(mut map) = value else { return Err(EntryFault::NotJson("it is not a map".into())) };
        let field = |key: &'static str| EntryFault::Field(key);
        let mut take = |key: &'static str| map.take(key).ok_or(EntryFault::Field(key));
        let mut text = |key: &'static str| match take(key)? {
            Json::Text(text) => Ok(text),
            _ => Err(EntryFault::Field(key)),
        };
        let kind = text("kind")?;
        let [run, at, prev, id] = [text("run")?, text("at")?, text("prev")?, text("id")?];
        let mut number = |key: &'static str| take(key)?.as_u64().ok_or(EntryFault::Field(key));
        if number("v")? != VERSION {
            return Err(field("v"));
        }
        let [generation, seq, mono] = [number("gen")?, number("seq")?, number("mono")?];
        let body = take("body").ok().filter(|body| body.as_map().is_some()).ok_or(field("body"))?;
        let entry = Self {
            run,
            generation,
            seq,
            at,
            mono,
            kind: Kind::parse(&kind).ok_or(EntryFault::Kind(kind))?,
            body,
            prev: Digest::parse(&prev).ok_or(field("prev"))?,
        };
        let id = Digest::parse(&id).ok_or(field("id"))?;
        // A field that the form does not know, or another spelling.
        if !canonical || !map.is_empty() {
            return Err(if entry.line().is_ok_and(|(_, right)| right == id) {
                EntryFault::NotCanonical
            } else {
                EntryFault::Id
            });
        }
        // Fields and order are those of the form, so the line is head, id, tail, and the id is that of the other two.
        let tail = entry.tail().map_err(|e| EntryFault::NotJson(e.to_string()))?;
        let head = line.len().checked_sub(tail.len() + ID_FIELD).ok_or(EntryFault::Id)?;
        let right = Digest::of_parts(&[&line[..head], &line[head + ID_FIELD..]]);
        if right == id { Ok((entry, id)) } else { Err(EntryFault::Id) }
    }
}

/// Bytes of `,"id":"…"` in a line.
const ID_FIELD: usize = r#","id":"""#.len() + 64;

/// What is wrong with a line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// Not JSON, or a value that has no canonical form.
    #[error("the line is no entry: {0}")]
    NotJson(String),
    /// A field is missing or of the wrong type.
    #[error("the field `{0}` is missing or malformed")]
    Field(&'static str),
    /// A kind outside the closed set.
    #[error("`{0}` is no kind of entry")]
    Kind(String),
    /// The id is not the digest of the rest.
    #[error("the id is not the digest of the entry")]
    Id,
    /// Other bytes than the canonical form.
    #[error("the line is not the canonical form of its entry")]
    NotCanonical,
}

/// Entry count and head of a journal, short enough to paste anywhere: `214:7f3a91c2d4e8b016`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    /// Number of lines.
    pub entries: u64,
    /// First 16 hex digits of the last id.
    pub head: String,
}

impl Seal {
    /// The seal of a chain.
    #[must_use]
    pub fn new(entries: u64, head: &Digest) -> Self {
        Self { entries, head: head.short() }
    }

    /// Reads what [`std::fmt::Display`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (entries, head) = text.split_once(':')?;
        let fine = head.len() == 16 && head.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        fine.then_some(())?;
        Some(Self { entries: entries.parse().ok()?, head: head.to_owned() })
    }
}

impl std::fmt::Display for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.entries, self.head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{canonical, read};

    /// The line is put together from parts; the general writer gives the same bytes.
    #[test]
    fn the_line_is_canonical() {
        let entry = Entry {
            run: "20261130T142402Z-é-7f3a91c2".into(),
            generation: 1,
            seq: 3,
            at: "2026-11-30T14:24:02.123Z".into(),
            mono: 42,
            kind: Kind::ActionCommit,
            body: Json::map([("a", Json::list(["\u{1b}", "ä"])), ("b", Json::from(1))]),
            prev: Digest::zero(),
        };
        let (line, id) = entry.line().unwrap();
        let value = read(&line, &Limits::default()).unwrap();
        assert_eq!([canonical(&value).unwrap().as_slice(), b"\n"].concat(), line);
        let without =
            Json::map(value.as_map().unwrap().iter().filter(|(key, _)| *key != "id").map(|(k, v)| (k, v.clone())));
        assert_eq!(Digest::of(&canonical(&without).unwrap()), id);
        assert_eq!(Entry::read(&line[..line.len() - 1]).unwrap(), (entry, id));
    }
}
