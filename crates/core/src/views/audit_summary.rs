//! audit-summary.json (harness-proof.md 3.2): the counts of what was checked, and what did not hold.

use super::texts;
use crate::audit::Audited;
use crate::finding::Weight;
use crate::ids::Digest;
use crate::json::Json;
use crate::judged::Judged;
use crate::recorded::ActionRecord;
use crate::verdict::Status;
use crate::walk::Order;

/// The whole file.
pub(super) fn audit_summary(judged: &Judged) -> Json {
    let audited = judged.audited();
    let integrity = audited.findings().iter().filter(|finding| finding.weight == Weight::Integrity);
    let errors: Vec<String> = integrity.map(|finding| format!("{}: {}", finding.code, finding.message)).collect();
    let notes = audited.findings().iter().filter(|finding| finding.weight == Weight::Note);
    let checked: usize = audited.steps().iter().map(|step| step.judgement.checks.len()).sum();
    let extracted: usize = audited.steps().iter().map(|step| step.judgement.saved.len()).sum();
    let files = captured(audited);
    let counts = Status::ALL.map(|status| {
        (status.reference(), judged.criteria().iter().filter(|criterion| criterion.status == status).count())
    });
    Json::map([
        ("schema_version", Json::from(1)),
        ("ledger", "evidence-ledger.json".into()),
        ("matrix", "test-matrix.json".into()),
        ("results", "results.json".into()),
        ("evidence_mode", "runner".into()),
        ("base_dir", ".".into()),
        (
            "artifact_hashes",
            Json::map([
                ("matrix_sha256", Json::from(Digest::of(audited.checked().matrix_text().as_bytes()))),
                ("evidence_artifacts_sha256", texts(&files)),
            ]),
        ),
        ("requirement_count", judged.criteria().len().into()),
        ("test_count", judged.tests().len().into()),
        ("evidence_count", audited.steps().len().into()),
        ("checks_evaluated", checked.into()),
        ("extraction_artifact_assertions_checked", extracted.into()),
        ("evidence_artifacts_hashed", files.len().into()),
        ("status_counts", Json::map(counts)),
        ("passed", errors.is_empty().into()),
        ("errors", texts(errors)),
        ("warnings", texts(notes.map(|finding| format!("{}: {}", finding.code, finding.message)))),
        ("input_artifact_errors", Json::List(Vec::new())),
    ])
}

/// What was captured, in the order of cases that are run one after another: how those lay that were run side by side is
/// nobody's business.
fn captured(audited: &Audited) -> Vec<Digest> {
    let recorded = audited.recorded();
    let order = Order::of(audited.checked().plan());
    let mut actions: Vec<&ActionRecord> = recorded.actions().iter().collect();
    actions.sort_by_cached_key(|action| (action.generation, order.rank(&action.intent.scenario), action.seq));
    let actions = actions.into_iter().flat_map(|action| &action.evidence);
    actions.chain(recorded.evidence_of_the_run()).map(|evidence| evidence.sha256).collect()
}
