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

use crate::ids::Digest;
use crate::json::Json;
use crate::judged::Judged;

/// The views that core writes, in the order in which the folder lists them: name and bytes.
/// `report.html`, `junit.xml` and `ctrf.json` are written by the program, from the same judged run.
#[must_use]
pub fn views(judged: &Judged) -> Vec<(&'static str, Vec<u8>)> {
    let checked = judged.audited().checked();
    let text = |value: Json| value.pretty().into_bytes();
    let results = text(results::results(judged));
    let ledger = text(ledger::ledger(judged));
    let defects = text(defects::defects(judged));
    let next = next_probes::next_probes(judged, [&defects, &results, &ledger].map(|bytes| Digest::of(bytes)));
    let mut views = vec![
        ("requirement.md", checked.requirement().as_bytes().to_vec()),
        ("test-matrix.json", checked.matrix_text().as_bytes().to_vec()),
        ("test-plan.json", checked.plan_text().as_bytes().to_vec()),
        ("adapter-context.json", text(context::adapter_context(judged))),
        ("results.json", results),
        ("evidence-ledger.json", ledger),
        ("requirement-coverage.json", text(checked.coverage().to_json())),
        ("plan-audit-summary.json", text(context::plan_audit(judged))),
        ("audit-summary.json", text(audit_summary::audit_summary(judged))),
        ("defects.json", defects),
        ("next-probes.json", text(next)),
    ];
    views.extend(services::services(judged).into_iter().map(|(name, value)| (name, text(value))));
    views.extend([
        ("qa-verdict.json", text(verdict::verdict(judged))),
        ("qa-run-summary.json", text(summary::summary(judged))),
        ("report.md", report::report(judged).into_bytes()),
    ]);
    views
}

/// Texts of a list, or an empty one.
fn texts<T: ToString>(items: impl IntoIterator<Item = T>) -> Json {
    Json::List(items.into_iter().map(|item| Json::Text(item.to_string())).collect())
}

/// Cuts a text to a number of characters.
fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}
