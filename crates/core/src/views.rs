//! Judged → views: files that people and other programs read, each a function of the derivation and never read
//! back as truth (design.md section 3; field names of the reference, harness-proof.md 1.4, 2, 3.2, 4, 5).
//!
//! Views hold relative names and digests only, and no time that is not in the journal.

mod audit_summary;
mod context;
mod defects;
mod ledger;
mod report;
mod results;
mod summary;
mod verdict;

use crate::json::Json;
use crate::judged::Judged;

/// The views that core writes, in the order in which the folder lists them: name and bytes.
/// `junit.xml` is written by `formats`, from the same judged run.
#[must_use]
pub fn views(judged: &Judged) -> Vec<(&'static str, Vec<u8>)> {
    let checked = judged.audited().checked();
    let text = |value: Json| value.pretty().into_bytes();
    vec![
        ("requirement.md", checked.requirement().as_bytes().to_vec()),
        ("test-matrix.json", checked.matrix_text().as_bytes().to_vec()),
        ("test-plan.json", checked.plan_text().as_bytes().to_vec()),
        ("adapter-context.json", text(context::adapter_context(judged))),
        ("results.json", text(results::results(judged))),
        ("evidence-ledger.json", text(ledger::ledger(judged))),
        ("requirement-coverage.json", text(checked.coverage().to_json())),
        ("plan-audit-summary.json", text(context::plan_audit(judged))),
        ("audit-summary.json", text(audit_summary::audit_summary(judged))),
        ("defects.json", text(defects::defects(judged))),
        ("qa-verdict.json", text(verdict::verdict(judged))),
        ("qa-run-summary.json", text(summary::summary(judged))),
        ("report.md", report::report(judged).into_bytes()),
    ]
}

/// Texts of a list, or an empty one.
fn texts<T: ToString>(items: impl IntoIterator<Item = T>) -> Json {
    Json::List(items.into_iter().map(|item| Json::Text(item.to_string())).collect())
}

/// Cuts a text to a number of characters.
fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}
