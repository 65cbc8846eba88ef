//! defects.json (harness-proof.md 4.1): one finding for each failed test.

use super::{cut, texts};
use crate::json::Json;
use crate::judged::{Judged, JudgedTest, evidence_id};
use crate::verdict::Status;

/// The whole file.
pub(super) fn defects(judged: &Judged) -> Json {
    let failed: Vec<&JudgedTest> = judged.tests().iter().filter(|test| test.status == Status::Failed).collect();
    let findings: Vec<Json> = failed.iter().enumerate().map(|(i, test)| finding(judged, i + 1, test)).collect();
    let count_by = |key: &str| {
        let mut counts: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
        for finding in &findings {
            let values = match finding.get(key) {
                Some(Json::List(items)) => items.clone(),
                Some(value) => vec![value.clone()],
                None => Vec::new(),
            };
            for value in values {
                *counts.entry(value.as_text().unwrap_or_default().to_owned()).or_default() += 1;
            }
        }
        Json::map(counts)
    };
    let summary = Json::map([
        ("finding_count", Json::from(findings.len())),
        ("severity_counts", count_by("severity")),
        ("layer_counts", count_by("layers")),
    ]);
    Json::map([
        ("schema_version", Json::from(1)),
        (
            "generated_from",
            Json::map([
                ("ledger", "evidence-ledger.json"),
                ("results", "results.json"),
                ("matrix", "test-matrix.json"),
            ]),
        ),
        ("summary", summary),
        ("findings", Json::List(findings)),
        ("input_artifact_errors", Json::List(Vec::new())),
    ])
}

fn finding(judged: &Judged, number: usize, test: &JudgedTest) -> Json {
    let matrix = judged.audited().checked().matrix();
    let planned = matrix.tests.iter().find(|planned| planned.id == test.id);
    let requirements = planned.map(|planned| planned.requirement_ids.clone()).unwrap_or_default();
    let affected = requirements.iter().map(|id| {
        let text = matrix.criteria.iter().find(|criterion| criterion.id == *id).map(|criterion| criterion.text.clone());
        Json::map([("id", Json::from(id)), ("text", text.into())])
    });
    let actual = cut(&test.notes.join("; "), 1200);
    let layer = planned.map_or("requirement", |planned| match planned.kind.as_str() {
        "persistence" => "persistence",
        "api" | "command" => "api",
        _ => "requirement",
    });
    // Keyword severities are a hint for people; persistence and interface contradictions weigh one step more.
    let severity = if layer == "requirement" { "P2" } else { "P1" };
    let repro = test.steps.iter().map(|position| {
        let (_, step) = judged.step(*position);
        format!("{} {}", step.id, crate::judged::drawn_action(step))
    });
    Json::map([
        ("id", Json::from(format!("D{number}"))),
        ("title", format!("{} failed", test.id).into()),
        ("severity", severity.into()),
        ("confidence", if actual.is_empty() { "Medium" } else { "High" }.into()),
        ("layers", texts([layer])),
        ("affected_tests", texts([&test.id])),
        ("affected_requirements", Json::List(affected.collect())),
        ("expected", planned.map(|planned| planned.expected.clone()).into()),
        ("actual", actual.as_str().into()),
        ("inference", format!("Inference: {} contradicts the criterion", test.id).into()),
        ("repro_steps", texts(repro)),
        ("evidence", texts(test.steps.iter().map(|position| evidence_id(*position)))),
    ])
}
