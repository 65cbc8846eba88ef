//! next-probes.json (harness-planning.md 8.1): for each test that failed or stayed open, what to look at next. A
//! recommendation is a hint for whoever plans; nothing applies it by itself, and none makes a check weaker.

use std::collections::BTreeMap;

use super::texts;
use crate::ids::Digest;
use crate::json::Json;
use crate::judged::{Judged, JudgedTest, drawn_action, evidence_id};
use crate::matrix::Test;
use crate::plan::{Action, Step};
use crate::verdict::Status;

/// Names in a query that may carry a secret; such parameters do not go into a hint.
const SECRET_NAMES: [&str; 9] = ["token", "key", "secret", "pass", "auth", "session", "sig", "code", "jwt"];

/// The whole file; `hashes` are those of defects.json, results.json and evidence-ledger.json, in this order.
pub(super) fn next_probes(judged: &Judged, hashes: [Digest; 3]) -> Json {
    let matrix = judged.audited().checked().matrix();
    let mut defects = 0;
    let mut rows: Vec<(&'static str, &'static str, Json)> = Vec::new();
    for (test, planned) in judged.tests().iter().zip(&matrix.tests) {
        let finding = match test.status {
            Status::Passed => continue,
            Status::Failed => {
                defects += 1;
                format!("D{defects}")
            }
            Status::Blocked | Status::Inconclusive | Status::Untested => format!("OPEN-{}", test.id),
        };
        rows.push(recommendation(judged, rows.len() + 1, &finding, test, planned));
    }
    let count = |pick: &dyn Fn(&(&'static str, &'static str, Json)) -> &'static str| {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for row in &rows {
            *counts.entry(pick(row)).or_default() += 1;
        }
        Json::map(counts)
    };
    let summary = Json::map([
        ("recommendation_count", Json::from(rows.len())),
        ("priority_counts", count(&|row| row.0)),
        ("layer_counts", count(&|row| row.1)),
    ]);
    let names = [("defects", "defects.json"), ("results", "results.json"), ("ledger", "evidence-ledger.json")];
    let sums = ["defects_sha256", "results_sha256", "ledger_sha256"];
    Json::map([
        ("schema_version", Json::from(1)),
        ("generated_from", Json::map(names)),
        ("generated_from_hashes", Json::map(sums.into_iter().zip(hashes))),
        ("summary", summary),
        ("recommendations", Json::List(rows.into_iter().map(|(_, _, row)| row).collect())),
        ("input_artifact_errors", Json::List(Vec::new())),
    ])
}

/// Priority, layer, and the recommendation itself.
fn recommendation(
    judged: &Judged,
    number: usize,
    finding: &str,
    test: &JudgedTest,
    planned: &Test,
) -> (&'static str, &'static str, Json) {
    let decided = test.decided_by.or_else(|| test.steps.first().copied());
    let step = decided.map(|position| judged.step(position).1);
    let layer = match (planned.layer(), step.map(|step| &step.action)) {
        // A layer that nothing showed, or a test that nothing belongs to, wants another plan and not another look.
        _ if test.unmet.is_some() || step.is_none() => "requirement",
        ("persistence", _) => "persistence",
        (_, Some(Action::Http(_))) => "api",
        _ => "requirement",
    };
    let priority = if test.status == Status::Failed { "P1" } else { "P2" };
    let (probe, objective, inputs): (_, _, &[&str]) = match layer {
        "persistence" => (
            "persistence",
            "read the stored object again, beside the exchange that made it",
            &["current-run execution evidence", "baseUrl"],
        ),
        "api" => (
            "api",
            "repeat the exchange and keep header lines and body",
            &["current-run execution evidence", "failed API path"],
        ),
        _ => ("plan", "restate the criterion so that a step can show it", &["requirement text"]),
    };
    let seen = decided.map(|position| &judged.audited().steps()[position]);
    let row = Json::map([
        ("id", Json::from(format!("NP{number}"))),
        ("finding_id", finding.into()),
        ("priority", priority.into()),
        ("layer", layer.into()),
        ("objective", objective.into()),
        ("suggested_probe_type", probe.into()),
        ("reason", super::cut(&test.notes.join("; "), 1200).into()),
        ("evidence_ids", texts(test.steps.iter().map(|position| evidence_id(*position)))),
        ("required_inputs", texts(inputs)),
        ("plan_step_hint", step.filter(|_| layer != "requirement").map_or_else(|| Json::map::<&str, Json>([]), hint)),
        ("correlated_vars", texts(seen.into_iter().flat_map(|step| &step.inputs))),
        ("source_test_id", (&test.id).into()),
        ("source_status", test.status.reference().into()),
        ("requirement_ids", texts(&planned.requirement_ids)),
    ]);
    (priority, layer, row)
}

/// A step that looks at the same place and keeps what comes back.
fn hint(step: &Step) -> Json {
    match &step.action {
        Action::Http(http) => Json::map([
            ("action", Json::from("api")),
            ("method", http.method.as_str().into()),
            ("path", without_secrets(&http.target.to_string()).into()),
            ("captureBody", true.into()),
            ("captureResponseHeaders", true.into()),
        ]),
        Action::Command(_) => Json::map([("action", Json::from("command")), ("command", drawn_action(step).into())]),
        Action::Log(log) => Json::map([("action", Json::from("log")), ("service", (&log.service).into())]),
    }
}

/// A target without the parameters of its query that may carry a secret.
fn without_secrets(target: &str) -> String {
    let Some((path, query)) = target.split_once('?') else { return target.to_owned() };
    let kept: Vec<&str> = query
        .split('&')
        .filter(|pair| {
            let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
            !SECRET_NAMES.iter().any(|secret| name.contains(secret))
        })
        .collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_may_carry_a_secret_are_left_out() {
        for (target, kept) in [
            ("/a", "/a"),
            ("/a?q=1&access_token=x", "/a?q=1"),
            ("/a?Api-Key=x", "/a"),
            ("/a?q=token", "/a?q=token"),
            ("/a?x={order}&sessionId=1&y", "/a?x={order}&y"),
        ] {
            assert_eq!(without_secrets(target), kept);
        }
    }
}
