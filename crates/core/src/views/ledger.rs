//! evidence-ledger.json (harness-proof.md section 2): one item a step, in plan order.

use super::results::Form;
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
            steps.for_each(|(position, step)| out.map(|out| item(judged, position, step, out)));
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

fn item(judged: &Judged, position: usize, step: &AuditedStep, out: &mut Pretty<'_>) {
    let (scenario, planned) = judged.step(position);
    let status = results::step_status(step);
    out.pair_text("id", &evidence_id(position));
    out.pair_text("type", &planned.evidence_type);
    out.pair_text("proves", &planned.proves);
    out.pair("current_run", &true.into());
    out.pair_text("generated_by", "probity");
    out.pair_text("scenario_id", scenario.id.as_str());
    out.pair_text("step_id", planned.id.as_str());
    out.pair_text("action", planned.action_name);
    out.pair_text("status", status);
    out.pair_texts("test_ids", &planned.test_ids);
    out.pair_texts("requirement_ids", &planned.requirement_ids);
    if !results::copied_fields(step, Form::Ledger, out) {
        out.pair_text("value", &format!("{}:{status}", planned.action_name));
    }
    if let Some(reason) = &step.judgement.reason {
        let name = if status == "skipped" { "skip_reason" } else { "error" };
        out.pair_text(name, &cut(&format!("{}: {}", reason.code, reason.message), 1200));
    }
    if !step.obliged.is_empty() {
        out.key("obligations");
        out.list(|out| {
            for one in &step.obliged {
                out.map(|out| {
                    out.pair_text("kind", one.kind.as_str());
                    out.pair("met", &one.met.into());
                    out.pair_text("why", &one.why);
                });
            }
        });
    }
}
