//! Judged → views: files that people and other programs read, each a function of the derivation and never read
//! back as truth (design.md section 3; field names of the reference, harness-proof.md 1.4, 2, 3.2, 4, 5).
//!
//! Views hold relative names and digests only, and no time that is not in the journal.

mod audit_summary;
mod context;
mod defects;
mod ledger;
mod next_probes;
mod report;
mod results;
mod services;
mod summary;
mod verdict;

use sha2::{Digest as _, Sha256};

use crate::ids::Digest;
use crate::json::{Json, Pretty, Spill};
use crate::judged::Judged;

/// Takes views, one after another and each piece by piece, so that none stands in memory as a whole.
pub trait Taker {
    /// A view begins.
    fn begin(&mut self, name: &str);
    /// The next bytes of it.
    fn piece(&mut self, bytes: &[u8]);
    /// It has ended.
    fn end(&mut self, view: Written);
}

/// A view that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its digest.
    pub sha256: Digest,
}

/// Hands on one view; `write` gives its pieces. Returns its digest.
pub fn hand(taker: &mut dyn Taker, name: &str, write: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Digest {
    taker.begin(name);
    let (mut bytes, mut hasher) = (0, Sha256::new());
    write(&mut |piece| {
        bytes += piece.len() as u64;
        hasher.update(piece);
        taker.piece(piece);
    });
    let sha256 = Digest::from_bytes(hasher.finalize().into());
    taker.end(Written { name: name.to_owned(), bytes, sha256 });
    sha256
}

/// Hands on the views that core writes, in the order in which the folder lists them.
/// `report.html`, `junit.xml` and `ctrf.json` are written by the program, from the same judged run.
pub fn views(judged: &Judged, taker: &mut dyn Taker) {
    let checked = judged.audited().checked();
    let mut whole = |name: &str, text: &str| hand(taker, name, |out| out(text.as_bytes()));
    whole("requirement.md", checked.requirement());
    whole("test-matrix.json", checked.matrix_text());
    whole("test-plan.json", checked.plan_text());
    json(taker, "adapter-context.json", &context::adapter_context(judged));
    let results = hand(taker, "results.json", |out| pretty(out, |out| results::results(judged, out)));
    let ledger = hand(taker, "evidence-ledger.json", |out| pretty(out, |out| ledger::ledger(judged, out)));
    json(taker, "requirement-coverage.json", &checked.coverage().to_json());
    json(taker, "plan-audit-summary.json", &context::plan_audit(judged));
    json(taker, "audit-summary.json", &audit_summary::audit_summary(judged));
    let defects = json(taker, "defects.json", &defects::defects(judged));
    json(taker, "next-probes.json", &next_probes::next_probes(judged, [defects, results, ledger]));
    for (name, value) in services::services(judged) {
        json(taker, name, &value);
    }
    json(taker, "qa-verdict.json", &verdict::verdict(judged));
    json(taker, "qa-run-summary.json", &summary::summary(judged));
    hand(taker, "report.md", |out| {
        let mut text = Spill::to(out);
        report::report(judged, &mut text);
        drop(text.finish());
    });
}

fn json(taker: &mut dyn Taker, name: &str, value: &Json) -> Digest {
    hand(taker, name, |out| pretty(out, |out| out.value(value)))
}

fn pretty(take: &mut dyn FnMut(&[u8]), write: impl FnOnce(&mut Pretty<'_>)) {
    let mut out = Pretty::to(take);
    write(&mut out);
    drop(out.finish());
}

/// The text of one of the views; empty for a name that is none.
#[must_use]
pub fn text_of(judged: &Judged, name: &str) -> String {
    let mut one = One { name, within: false, bytes: Vec::new() };
    views(judged, &mut one);
    String::from_utf8_lossy(&one.bytes).into_owned()
}

struct One<'a> {
    name: &'a str,
    within: bool,
    bytes: Vec<u8>,
}

impl Taker for One<'_> {
    fn begin(&mut self, name: &str) {
        self.within = self.name == name;
    }

    fn piece(&mut self, bytes: &[u8]) {
        if self.within {
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn end(&mut self, _: Written) {}
}

/// Texts of a list, or an empty one.
fn texts<T: ToString>(items: impl IntoIterator<Item = T>) -> Json {
    Json::List(items.into_iter().map(|item| Json::Text(item.to_string())).collect())
}

/// Cuts a text to a number of characters.
fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}
