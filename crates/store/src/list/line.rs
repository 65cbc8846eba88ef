//! One line of the run list, and the rules that lines keep among each other.

use std::collections::HashMap;

use probity_core::ids::{Digest, Id};
use probity_core::json::{Json, Limits, NotCanonical, canonical};

/// The version of the line format.
const VERSION: u64 = 1;

/// What happened to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// It opened; nothing of its journal is known yet.
    Opened,
    /// It closed.
    Closed,
    /// It was withdrawn.
    Withdrawn,
}

impl Event {
    /// As the list writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Closed => "closed",
            Self::Withdrawn => "withdrawn",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Opened, Self::Closed, Self::Withdrawn].into_iter().find(|e| e.as_str() == text)
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What happened.
    pub event: Event,
    /// When, RFC 3339 in UTC with milliseconds.
    pub at: String,
    /// The run's id.
    pub run: String,
    /// The run's nonce, 32 hex digits.
    pub nonce: String,
    /// Its series, 16 hex digits.
    pub series: String,
    /// Which attempt of the series it is, from 1.
    pub attempt: u64,
    /// Entries of the journal; 0 on `opened`.
    pub entries: u64,
    /// The last entry's id; zeros on `opened`.
    pub head: Digest,
    /// The digest of the line before in the same series, without its line end; zeros for the first.
    pub prev: Digest,
}

impl Line {
    /// The canonical bytes with a line end.
    ///
    /// # Errors
    /// A number too large for the canonical form.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NotCanonical> {
        let mut bytes = canonical(&Json::map([
            ("v", Json::from(VERSION)),
            ("event", self.event.as_str().into()),
            ("at", self.at.as_str().into()),
            ("run", self.run.as_str().into()),
            ("nonce", self.nonce.as_str().into()),
            ("series", self.series.as_str().into()),
            ("attempt", self.attempt.into()),
            ("entries", self.entries.into()),
            ("head", self.head.into()),
            ("prev", self.prev.into()),
        ]))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The digest that the next line of the series carries as `prev`.
    fn digest(&self) -> Digest {
        // A line that was read or written has a canonical form.
        self.to_bytes().map_or(Digest::zero(), |b| Digest::of(b.strip_suffix(b"\n").unwrap_or(&b)))
    }

    /// Reads a line without its line end.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let json = probity_core::json::read(bytes, &Limits { depth: 2, nodes: 16 }).map_err(|e| e.to_string())?;
        let wrong = |key: &str| format!("the field `{key}` is missing or malformed");
        let text = |key: &str| json.get(key).and_then(Json::as_text).ok_or_else(|| wrong(key));
        let number = |key: &str| json.get(key).and_then(Json::as_u64).ok_or_else(|| wrong(key));
        let digest = |key: &str| Digest::parse(text(key)?).ok_or_else(|| wrong(key));
        let digits = |key, count| text(key).and_then(|t| is_hex(t, count).then_some(t).ok_or_else(|| wrong(key)));
        if number("v")? != VERSION {
            return Err(wrong("v"));
        }
        let line = Self {
            event: Event::parse(text("event")?).ok_or_else(|| wrong("event"))?,
            at: text("at")?.to_owned(),
            run: Id::parse(text("run")?).map_err(|_| wrong("run"))?.to_string(),
            nonce: digits("nonce", 32)?.to_owned(),
            series: digits("series", 16)?.to_owned(),
            attempt: number("attempt")?,
            entries: number("entries")?,
            head: digest("head")?,
            prev: digest("prev")?,
        };
        let right = line.to_bytes().map_err(|e| e.to_string())?;
        // Another spelling, another order, or a field that the form does not know.
        if right.strip_suffix(b"\n") != Some(bytes) {
            return Err("it is not the canonical form of a line".into());
        }
        Ok(line)
    }
}

/// What is wrong with a run list (`index_broken`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the run list: {message}")]
pub struct ListFault {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

/// Reads a run list and checks it: canonical lines, the chain of each series, attempts counted without a gap, and each
/// run opened once before it is closed or withdrawn once.
///
/// # Errors
/// The first line that does not fit.
pub fn read(bytes: &[u8]) -> Result<Vec<Line>, ListFault> {
    let mut lines = Vec::new();
    let mut state = Chains::default();
    for piece in bytes.split_inclusive(|b| *b == b'\n') {
        let fault = |message| ListFault { line: lines.len() as u64 + 1, message };
        let whole = piece.strip_suffix(b"\n").ok_or_else(|| fault("it has no line end".into()))?;
        let line = Line::read(whole).map_err(fault)?;
        state.take(&line, Digest::of(whole)).map_err(|m| fault(m.into()))?;
        lines.push(line);
    }
    Ok(lines)
}

/// What the lines so far demand of the next one.
#[derive(Default)]
struct Chains {
    /// By series: the digest of its last line, and how many attempts it has.
    series: HashMap<String, (Digest, u64)>,
    /// By run: nonce, series, attempt, and the events after `opened`.
    runs: HashMap<String, (String, String, u64, Vec<Event>)>,
}

impl Chains {
    fn take(&mut self, line: &Line, digest: Digest) -> Result<(), &'static str> {
        let (prev, attempts) = self.series.get(&line.series).copied().unwrap_or((Digest::zero(), 0));
        if line.prev != prev {
            return Err("it does not follow the line before it in its series");
        }
        let attempts = attempts + u64::from(line.event == Event::Opened);
        match (line.event, self.runs.get_mut(&line.run)) {
            (Event::Opened, Some(_)) => return Err("the run was opened before"),
            (Event::Opened, None) => {
                if line.attempt != attempts {
                    return Err("its attempt does not follow those before it");
                }
                if line.entries != 0 || line.head != Digest::zero() {
                    return Err("a run that opens has no entries yet");
                }
                let known = (line.nonce.clone(), line.series.clone(), line.attempt, Vec::new());
                self.runs.insert(line.run.clone(), known);
            }
            (_, None) => return Err("the run was never opened"),
            (event, Some((nonce, series, attempt, events))) => {
                if (&line.nonce, &line.series, line.attempt) != (nonce, series, *attempt) {
                    return Err("nonce, series or attempt are not those the run was opened with");
                }
                if events.contains(&event) {
                    return Err("the run is closed or withdrawn twice");
                }
                events.push(event);
            }
        }
        self.series.insert(line.series.clone(), (digest, attempts));
        Ok(())
    }
}

/// What the next line of a series carries as `prev`.
pub(super) fn prev_of(lines: &[Line], series: &str) -> Digest {
    lines.iter().rev().find(|l| l.series == series).map_or(Digest::zero(), Line::digest)
}

pub(super) fn is_hex(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
