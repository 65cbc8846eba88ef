//! Which attempt of its series a run is, and how many of the attempts up to it had its subject.

use std::path::Path;

use probity_core::audit::build_told;
use probity_core::journal::body::Body;
use probity_core::journal::opened::RunOpened;
use probity_core::journal::{Entry, Kind};
use probity_core::json::Json;
use probity_core::judged::{Judged, Subject};
use probity_store::glance;
use probity_store::list::{Event, Line, RunList};

use super::clip;

/// More earlier attempts than this are not looked at.
const MOST: u64 = 500;

/// Bytes of all their journals together that are read.
const LARGEST: u64 = 256 << 20;

/// An attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    series: String,
    n: u64,
    /// How many of them had this subject, this one included; `None` where that is not known of each of them.
    this_subject: Option<u64>,
}

impl Attempt {
    /// Of a run that lies in `dir`, by the run list beside it.
    pub(crate) fn of(judged: &Judged, dir: &Path) -> Self {
        let opened = judged.audited().recorded().opened();
        let this_subject = match judged.subject() {
            Subject::Identity(build) => with_subject(judged, &build, dir),
            // What nobody read from the running system is the same as nothing.
            Subject::Started(_) | Subject::Declared => None,
        };
        Self { series: opened.series.clone(), n: opened.attempt, this_subject }
    }

    /// `{series, n, this_subject}`
    pub(crate) fn to_json(&self) -> Json {
        Json::map([
            ("series", Json::from(clip(&self.series, 40))),
            ("n", self.n.into()),
            ("this_subject", self.this_subject.into()),
        ])
    }

    /// `attempt 2 of its series, 1 of them with this subject`
    pub(crate) fn drawn(&self) -> String {
        match self.this_subject {
            Some(count) if self.n > 1 => format!("{}, {count} of them with this subject", numbered(self.n)),
            _ => numbered(self.n),
        }
    }
}

/// The attempt as the run itself says it, for views, which know nothing of other runs.
pub(crate) fn attempt(judged: &Judged) -> String {
    numbered(judged.audited().recorded().opened().attempt)
}

fn numbered(n: u64) -> String {
    format!("attempt {n} of its series")
}

/// How many attempts named this build, this one included. What their journals say is not verified: it is worth what
/// the folder is worth.
fn with_subject(judged: &Judged, build: &str, dir: &Path) -> Option<u64> {
    let recorded = judged.audited().recorded();
    let opened = recorded.opened();
    let earlier = opened.attempt.checked_sub(1).filter(|earlier| *earlier <= MOST)?;
    let dir = dir.canonicalize().ok()?;
    let root = dir.parent()?;
    let lines = RunList::of(root).attempts(&opened.series).ok()?;
    let listed = |n: u64| lines.iter().find(|line| line.event == Event::Opened && line.attempt == n);
    listed(opened.attempt).filter(|line| line.run == recorded.run() && line.nonce == opened.nonce)?;
    let mut left = LARGEST;
    let mut count = 1;
    for n in 1..=earlier {
        if subject_of(root, listed(n)?, judged, &mut left)? == build {
            count += 1;
        }
    }
    Some(count)
}

/// The build that an earlier run named; `None` where it is gone, cannot be read, asked otherwise or does not say.
fn subject_of(root: &Path, line: &Line, judged: &Judged, left: &mut u64) -> Option<String> {
    let declared = judged.audited().checked().environment();
    let texts = glance::lines(root, &line.run, left, &is_wanted).ok()?;
    let mut entries = texts.iter().map(|text| Entry::read(text).ok().map(|(entry, _)| entry));
    let first = entries.next()??;
    let opened = RunOpened::read(first.body.clone()).filter(|_| first.kind == Kind::RunOpened)?;
    let same = first.run == line.run
        && (&opened.nonce, &opened.series, opened.attempt) == (&line.nonce, &line.series, line.attempt)
        && opened.environment.get("identity") == declared.to_json().get("identity");
    let mut entries: Vec<Entry> = entries.collect::<Option<_>>()?;
    entries.retain(|entry| matches!(entry.kind, Kind::RuntimeObserved | Kind::EvidenceCaptured));
    let same = same && entries.iter().all(|entry| entry.run == first.run);
    build_told(declared.identity.as_ref().filter(|_| same)?, &entries)
}

/// Whether a line may be about the identity probe. In the canonical form these bytes stand for these fields.
fn is_wanted(line: &[u8]) -> bool {
    let wanted = |line: &str| line.contains(r#""what":"identity""#) || line.contains(r#""role":"identity""#);
    std::str::from_utf8(line).is_ok_and(wanted)
}
