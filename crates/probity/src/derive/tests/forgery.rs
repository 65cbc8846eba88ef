//! A journal written again by somebody who gets every id right, with the outcome and the views to match.

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::journal::chain::Chain;
use probity_core::journal::{Entry, Kind};
use probity_core::json::Json;
use probity_core::verify::Verified;
use probity_store::snapshot::Snapshot;

use super::good::Good;
use super::{drawn, drawn_views, refused};
use crate::derive::{judge_snapshot, verify_snapshot};

/// A journal that is being written again.
pub(super) struct Forgery {
    pub(super) good: &'static Good,
    pub(super) entries: Vec<Entry>,
}

impl Forgery {
    pub(super) fn of(good: &'static Good) -> Self {
        let entries = Chain::entries(good.snapshot.journal()).into_iter().map(|(entry, _)| entry).collect();
        Self { good, entries }
    }

    /// The position of the n-th entry of a kind.
    pub(super) fn nth(&self, kind: Kind, n: usize) -> usize {
        self.entries.iter().enumerate().filter(|(_, entry)| entry.kind == kind).nth(n).unwrap().0
    }

    /// The position of the intent of a step.
    pub(super) fn intent(&self, step: &str) -> usize {
        self.about(Kind::ActionIntent, step)
    }

    pub(super) fn commit(&self, step: &str) -> usize {
        self.about(Kind::ActionCommit, step)
    }

    pub(super) fn about(&self, kind: Kind, step: &str) -> usize {
        let about = |entry: &Entry| entry.kind == kind && entry.body.get("step").and_then(Json::as_text) == Some(step);
        self.entries.iter().position(about).unwrap()
    }

    /// The entries of a step: intent, evidence, commit.
    pub(super) fn of_step(&self, step: &str) -> std::ops::RangeInclusive<usize> {
        self.intent(step)..=self.commit(step)
    }

    pub(super) fn body(&mut self, at: usize) -> &mut Json {
        &mut self.entries[at].body
    }

    pub(super) fn opened(&mut self) -> &mut Json {
        self.body(0)
    }

    pub(super) fn insert(&mut self, at: usize, kind: Kind, body: Json) {
        let like = &self.entries[at.min(self.entries.len() - 1)];
        let entry = Entry { kind, body, ..like.clone() };
        self.entries.insert(at, entry);
    }

    /// Numbers, intents and ids follow each other again.
    pub(super) fn chained(&self) -> Vec<u8> {
        let mut journal = Vec::new();
        let mut prev = Digest::zero();
        let moved = |old: u64| {
            self.entries.iter().position(|e| matches!(e.kind, Kind::ActionIntent | Kind::ServiceIntent) && e.seq == old)
        };
        for (seq, entry) in self.entries.iter().enumerate() {
            let mut entry = Entry { seq: seq as u64, prev, ..entry.clone() };
            if let Some(old) = entry.body.get("intent").and_then(Json::as_u64)
                && let Some(new) = moved(old)
            {
                set(&mut entry.body, "intent", new);
            }
            if entry.kind == Kind::RunClosed {
                set(&mut entry.body, "closes.entries", seq);
                set(&mut entry.body, "closes.head", prev);
            }
            let (line, id) = entry.line().unwrap();
            journal.extend(line);
            prev = id;
        }
        journal
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.good.snapshot.with("journal.jsonl", self.chained()).unwrap()
    }

    /// The outcome that the rest gives, and the views of that.
    pub(super) fn completed(&mut self) -> Snapshot {
        let Some(judged) = judge_snapshot(&self.snapshot(), None) else { return self.snapshot() };
        let last = self.entries.len() - 1;
        if self.entries[last].kind == Kind::RunClosed {
            set(self.body(last), "outcome", judged.status().as_str());
            for (name, count) in ["passed", "failed", "blocked", "inconclusive", "untested"].iter().zip(judged.counts())
            {
                set(self.body(last), &format!("counts.{name}"), count);
            }
        }
        let mut snapshot = self.snapshot();
        for (name, bytes) in
            judge_snapshot(&snapshot, None).map(|judged| drawn_views(&judged, &snapshot)).unwrap_or_default()
        {
            snapshot = snapshot.with(&name, bytes).unwrap();
        }
        snapshot
    }

    /// Verifies it complete, and demands that with the run list it is refused whatever was forged.
    pub(super) fn verify(mut self) -> Verified {
        let snapshot = self.completed();
        let anchored = verify_snapshot(&snapshot, Some(&self.good.list), None, Vec::new(), None);
        assert_eq!(anchored.exit(), 6, "with the run list\n{}", drawn(&anchored));
        verify_snapshot(&snapshot, None, None, Vec::new(), None)
    }

    /// Demands this code.
    #[track_caller]
    pub(super) fn refused(self, code: Code) {
        refused(&self.verify(), code);
    }
}

/// Replaces, adds or (with null for a key that is there) keeps a value at a dotted place.
pub(super) fn set(json: &mut Json, place: &str, value: impl Into<Json>) {
    let (key, rest) = place.split_once('.').map_or((place, None), |(key, rest)| (key, Some(rest)));
    match json {
        Json::Map(map) => {
            let found = map.iter_mut().find(|(known, _)| *known == key).map(|(_, value)| value);
            match (found, rest) {
                (Some(inner), Some(rest)) => set(inner, rest, value),
                (Some(inner), None) => *inner = value.into(),
                (None, None) => map.push(key, value),
                (None, Some(_)) => panic!("{place}"),
            }
        }
        Json::List(items) => match rest {
            Some(rest) => set(&mut items[key.parse::<usize>().unwrap()], rest, value),
            None => items[key.parse::<usize>().unwrap()] = value.into(),
        },
        _ => panic!("{place}"),
    }
}

pub(super) fn value_at(json: &Json, place: &str) -> Json {
    let mut here = json;
    for key in place.split('.') {
        here = match here {
            Json::List(items) => &items[key.parse::<usize>().unwrap()],
            other => other.get(key).unwrap(),
        };
    }
    here.clone()
}

/// Writes bytes into an entry that captures or seals them.
pub(super) fn put_text(body: &mut Json, text: &str) {
    set(body, "content", Json::map([("text", text)]));
    set(body, "sha256", Digest::of(text.as_bytes()));
    set(body, "bytes", text.len());
}

/// The bytes of an entry that captures or seals them, as text.
pub(super) fn at_text(f: &Forgery, at: usize) -> String {
    let content = f.entries[at].body.get("content").unwrap();
    match content.get("file").and_then(Json::as_text) {
        Some(name) => std::fs::read_to_string(f.good.dir.join("evidence").join(name)).unwrap(),
        None => content.get("text").and_then(Json::as_text).unwrap().to_owned(),
    }
}
