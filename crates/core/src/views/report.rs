//! report.md (harness-proof.md section 5): a projection for people, never authority.

use std::fmt::Write as _;

use crate::inert::{fence, markdown};
use crate::json::{Json, Spill};
use crate::judged::{Judged, Reason, drawn_action, evidence_id};
use crate::step::StepStatus;
use crate::verdict::Status;

/// The whole file.
pub(super) fn report(judged: &Judged, out: &mut Spill<'_>) {
    head(judged, out);
    final_verdict(judged, out);
    source(judged, out);
    coverage(judged, out);
    scenarios(judged, out);
    inventory(judged, out);
    gaps(judged, out);
}

/// The label of a status.
const fn label(status: Status) -> &'static str {
    match status {
        Status::Passed => "PASS",
        Status::Failed => "FAIL",
        Status::Blocked => "BLOCKED",
        Status::Inconclusive => "INCONCLUSIVE",
        Status::Untested => "UNTESTED",
    }
}

// Writing into a Spill cannot fail; the results of `writeln!` are dropped for that reason.

fn head(judged: &Judged, out: &mut Spill<'_>) {
    let audited = judged.audited();
    let recorded = audited.recorded();
    let environment = audited.checked().environment();
    let opened = recorded.opened();
    let _ = writeln!(out, "# {}\n\n## 1. Summary\n", markdown(&opened.goal));
    let claim = if judged.can_claim_pass() { "ALLOWED" } else { "NOT ALLOWED" };
    let counts: Vec<String> = Status::ALL
        .iter()
        .zip(judged.counts())
        .filter(|(_, count)| *count > 0)
        .map(|(status, count)| format!("{count} {}", status.as_str()))
        .collect();
    let claims = judged.claims();
    let unset = || "not declared".to_owned();
    let rows = [
        ("Verdict", label(judged.status()).to_owned()),
        ("Pass claim", claim.to_owned()),
        ("Assurance", "unsigned: consistent with itself; who made it is not shown".to_owned()),
        ("Criteria", counts.join(", ")),
        ("Environment", environment.name.clone().unwrap_or_else(unset)),
        ("URL", environment.url.clone().unwrap_or_else(unset)),
        ("Data", environment.data.clone().unwrap_or_else(unset)),
        ("Run", recorded.run().to_owned()),
        ("Attempt", format!("{} of series {}", opened.attempt, opened.series)),
        ("Time", format!("{} to {}", recorded.opened_at(), recorded.last_at())),
        (
            "Claims",
            format!("{} observed, {} witnessed, {} reported", claims.observed, claims.witnessed, claims.reported),
        ),
        ("Conditions", judged.conditions().join("; ")),
    ];
    let _ = writeln!(out, "| | |\n|---|---|");
    for (name, value) in rows {
        let _ = writeln!(out, "| {name} | {} |", markdown(&value));
    }
}

fn final_verdict(judged: &Judged, out: &mut Spill<'_>) {
    let _ = writeln!(out, "\n## Final Verdict\n");
    if judged.reasons().is_empty() {
        let _ = writeln!(out, "Nothing forbids the claim.");
        return;
    }
    let _ = writeln!(out, "| reason | weight | about | what was noticed | move |\n|---|---|---|---|---|");
    for reason in judged.reasons() {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} |",
            reason.code,
            reason.weight.as_str(),
            markdown(&about(reason)),
            markdown(&noticed(reason)),
            reason.who.as_str()
        );
    }
}

fn about(reason: &Reason) -> String {
    let evidence = reason.step.map(evidence_id);
    let parts: Vec<String> = reason.subjects.iter().cloned().chain(evidence).collect();
    if parts.is_empty() { "the run".to_owned() } else { parts.join(" ") }
}

fn noticed(reason: &Reason) -> String {
    match &reason.check {
        Some(check) => format!("{}: expected {}, saw {}", check.what, check.expected, check.saw),
        None => reason.message.clone(),
    }
}

fn source(judged: &Judged, out: &mut Spill<'_>) {
    let checked = judged.audited().checked();
    let covered = if checked.coverage().passed() { "every line maps to a criterion" } else { "LINES ARE NOT MAPPED" };
    let _ = writeln!(out, "\n## 2. Requirement Source\n\nCoverage of the source: {covered}.\n");
    let text: String = checked.requirement().chars().take(2500).collect();
    out.push_str(&fence(&text));
}

fn coverage(judged: &Judged, out: &mut Spill<'_>) {
    let matrix = judged.audited().checked().matrix();
    let _ = writeln!(
        out,
        "\n## 3. Requirement Coverage\n\n| criterion | status | text | evidence | notes |\n|---|---|---|---|---|"
    );
    for (criterion, planned) in judged.criteria().iter().zip(&matrix.criteria) {
        let evidence: Vec<String> = criterion.steps.iter().map(|position| evidence_id(*position)).collect();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            markdown(criterion.id.as_str()),
            label(criterion.status),
            markdown(&planned.text),
            evidence.join(" "),
            markdown(&criterion.notes.join("; "))
        );
    }
    for (heading, rows) in [("Out of scope", &matrix.out_of_scope), ("Later", &matrix.later)] {
        for row in rows {
            let _ = writeln!(out, "\nNot claimed ({heading}): {} ({})", markdown(&row.text), markdown(&row.why));
        }
    }
}

fn scenarios(judged: &Judged, out: &mut Spill<'_>) {
    let _ = writeln!(out, "\n## 6. Scenario Results");
    let mut case = None;
    for (position, step) in judged.audited().steps().iter().enumerate() {
        let (scenario, planned) = judged.step(position);
        if case != Some(step.scenario) {
            case = Some(step.scenario);
            let _ = writeln!(
                out,
                "\n### {} {}\n\n| evidence | step | action | status | checks |\n|---|---|---|---|---|",
                markdown(scenario.id.as_str()),
                markdown(&scenario.title)
            );
        }
        let held = step.judgement.checks.iter().filter(|check| check.truth == crate::evaluate::Truth::Holds).count();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {held} of {} hold |",
            evidence_id(position),
            markdown(planned.id.as_str()),
            markdown(&drawn_action(planned)),
            if step.judgement.status == StepStatus::Passed {
                "passed".to_owned()
            } else {
                step.judgement.status.as_str().to_uppercase()
            },
            step.judgement.checks.len()
        );
    }
}

fn inventory(judged: &Judged, out: &mut Spill<'_>) {
    let _ = writeln!(out, "\n## 9. Evidence Inventory\n\n| evidence | role | sha256 | bytes |\n|---|---|---|---|");
    for (position, step) in judged.audited().steps().iter().enumerate() {
        let Some(action) = step.action else { continue };
        for evidence in &judged.audited().recorded().actions()[action].evidence {
            let _ = writeln!(
                out,
                "| {} | {} | `{}` | {} |",
                evidence_id(position),
                markdown(&evidence.role),
                evidence.sha256,
                evidence.bytes
            );
        }
    }
}

fn gaps(judged: &Judged, out: &mut Spill<'_>) {
    let _ = writeln!(out, "\n## 10. Coverage Gaps\n");
    let open: Vec<_> = judged.criteria().iter().filter(|criterion| criterion.status != Status::Passed).collect();
    if open.is_empty() && judged.reasons().is_empty() {
        let _ = writeln!(out, "None identified in the audited scope.");
    }
    for criterion in open {
        let _ = writeln!(out, "* {} is {}", markdown(criterion.id.as_str()), criterion.status.as_str());
    }
    for weakening in judged.weakenings() {
        let _ = writeln!(out, "* weakened: {}", markdown(&weakening.message));
    }
    let plan = super::context::plan_audit(judged);
    if let Some(Json::List(dimensions)) = plan.get("coverage_gap_dimensions") {
        for dimension in dimensions.iter().filter_map(Json::as_text) {
            let _ = writeln!(out, "* no probe for the dimension {}", markdown(dimension));
        }
    }
}
