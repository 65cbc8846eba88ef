//! evidence-ledger.json (harness-proof.md section 2): one item a step, in plan order.

use super::{cut, results, texts};
use crate::audit::AuditedStep;
use crate::json::{Json, Map, Pretty};
use crate::judged::{Judged, evidence_id};
use crate::verdict::Status;

/// The whole file.
pub(super) fn ledger(judged: &Judged, out: &mut Pretty<'_>) {
    let audited = judged.audited();
    let matrix = audited.checked().matrix();
    let opened = audited.recorded().opened();
    let summary = Json::map([
        ("probe_status", Json::from(judged.status().as_str())),
        ("qa_run_id", audited.recorded().run().into()),
        ("qa_marker", opened.marker.as_str().into()),
        ("runtime_var_names", texts(audited.checked().plan().vars.iter().map(|(name, _)| name))),
        ("console_errors", 0.into()),
        ("console_warnings", 0.into()),
        ("failed_responses", 0.into()),
        ("request_failures", 0.into()),
    ]);
    let requirements = judged.criteria().iter().zip(&matrix.criteria).map(|(criterion, planned)| {
        let mut row: Map = [
            ("id", Json::from(&criterion.id)),
            ("source", planned.source.as_str().into()),
            ("text", planned.text.as_str().into()),
            ("test_ids", texts(criterion.tests.iter().map(|position| &judged.tests()[*position].id))),
            ("status", criterion.status.reference().into()),
            ("evidence_ids", texts(criterion.steps.iter().map(|position| evidence_id(*position)))),
        ]
        .into_iter()
        .collect();
        notes(&mut row, criterion.status, &criterion.notes);
        Json::Map(row)
    });
    let tests = judged.tests().iter().zip(&matrix.tests).map(|(test, planned)| {
        let mut row: Map = [
            ("id", Json::from(&test.id)),
            ("requirement_ids", texts(&planned.requirement_ids)),
            ("type", planned.kind.as_str().into()),
            ("expected", planned.expected.as_str().into()),
            ("status", test.status.reference().into()),
            ("evidence_ids", texts(test.steps.iter().map(|position| evidence_id(*position)))),
        ]
        .into_iter()
        .collect();
        notes(&mut row, test.status, &test.notes);
        Json::Map(row)
    });
    out.map(|out| {
        out.pair("schema_version", &Json::from(2));
        out.pair("generated_from", &Json::map([("matrix", "test-matrix.json"), ("results", "results.json")]));
        out.pair("runtime_summary", &summary);
        out.key("requirements");
        out.list(|out| requirements.for_each(|row| out.value(&row)));
        out.key("tests");
        out.list(|out| tests.for_each(|row| out.value(&row)));
        out.key("evidence");
        out.list(|out| {
            let steps = audited.steps().iter().enumerate();
            steps.for_each(|(position, step)| out.value(&item(judged, position, step)));
        });
        out.pair("input_artifact_errors", &Json::List(Vec::new()));
    });
}

fn notes(row: &mut Map, status: Status, notes: &[String]) {
    if status != Status::Passed {
        let joined = if notes.is_empty() { "nothing was observed".to_owned() } else { notes.join("; ") };
        row.push("notes", cut(&joined, 1200));
    }
}

fn item(judged: &Judged, position: usize, step: &AuditedStep) -> Json {
    let (scenario, planned) = judged.step(position);
    let mut row: Map = [
        ("id", Json::from(evidence_id(position))),
        ("type", planned.evidence_type.as_str().into()),
        ("proves", planned.proves.as_str().into()),
        ("current_run", true.into()),
        ("generated_by", "probity".into()),
        ("scenario_id", (&scenario.id).into()),
        ("step_id", (&planned.id).into()),
        ("action", planned.action_name.into()),
        ("status", results::step_status(step).into()),
        ("test_ids", texts(&planned.test_ids)),
        ("requirement_ids", texts(&planned.requirement_ids)),
    ]
    .into_iter()
    .collect();
    let copied = results::copied_fields(step);
    if copied.is_empty() {
        row.push("value", format!("{}:{}", planned.action_name, results::step_status(step)));
    }
    for (name, value) in copied {
        row.push(ledger_name(name), value);
    }
    if let Some(reason) = &step.judgement.reason {
        let name = if results::step_status(step) == "skipped" { "skip_reason" } else { "error" };
        row.push(name, cut(&format!("{}: {}", reason.code, reason.message), 1200));
    }
    if !step.obliged.is_empty() {
        let obliged = step.obliged.iter().map(|o| {
            Json::map([("kind", Json::from(o.kind.as_str())), ("met", o.met.into()), ("why", o.why.as_str().into())])
        });
        row.push("obligations", Json::List(obliged.collect()));
    }
    Json::Map(row)
}

/// The ledger writes snake case, and its own name for a few fields (harness-proof.md 2.3).
fn ledger_name(name: &str) -> String {
    match name {
        "url" => "observed_url".to_owned(),
        "bodyPath" => "body_path".to_owned(),
        other => {
            let mut out = String::new();
            for c in other.chars() {
                if c.is_ascii_uppercase() {
                    out.push('_');
                }
                out.push(c.to_ascii_lowercase());
            }
            out
        }
    }
}
