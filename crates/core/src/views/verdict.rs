//! qa-verdict.json (harness-proof.md 4.4).

use super::texts;
use crate::codes::Code;
use crate::finding;
use crate::json::Json;
use crate::judged::{Judged, Reason, evidence_id};
use crate::step::Weight;
use crate::verdict::Status;

/// The whole file.
pub(super) fn verdict(judged: &Judged) -> Json {
    let counts = Status::ALL.map(|status| {
        (status.reference(), judged.criteria().iter().filter(|criterion| criterion.status == status).count())
    });
    let issues = ["console_errors", "failed_responses", "request_failures", "total"].map(|name| (name, 0));
    let mut reasons: Vec<Json> = judged.reasons().iter().map(reason).collect();
    if judged.tests().iter().any(|test| test.status == Status::Failed) {
        reasons.push(Json::map([
            ("code", Json::from(Code::DefectsPresent.as_str())),
            ("category", "defect".into()),
            ("severity", Weight::Fail.as_str().into()),
            ("message", "at least one test failed".into()),
            ("refs", texts(["defects.json"])),
        ]));
    }
    let claims = judged.claims();
    Json::map([
        ("schema_version", Json::from(1)),
        ("generated_at", judged.audited().recorded().last_at().into()),
        ("verdict", judged.status().as_str().into()),
        ("can_claim_pass", judged.can_claim_pass().into()),
        ("assurance", "unsigned".into()),
        ("statement", statement(judged).into()),
        ("status_counts", Json::map(counts)),
        ("runtime_issue_counts", Json::map(issues)),
        (
            "claims",
            Json::map([("observed", claims.observed), ("witnessed", claims.witnessed), ("reported", claims.reported)]),
        ),
        ("weakenings", texts(judged.weakenings().iter().map(|weakening| &weakening.name))),
        ("conditions", texts(judged.conditions())),
        ("gates", gates(judged)),
        ("reasons", Json::List(reasons)),
        (
            "inputs",
            Json::map([
                ("ledger", "evidence-ledger.json"),
                ("audit_summary", "audit-summary.json"),
                ("results", "results.json"),
                ("plan_audit", "plan-audit-summary.json"),
                ("defects", "defects.json"),
                ("requirement_coverage", "requirement-coverage.json"),
                ("adapter_context", "adapter-context.json"),
            ]),
        ),
        ("input_artifact_errors", Json::List(Vec::new())),
    ])
}

fn statement(judged: &Judged) -> &'static str {
    match judged.status() {
        Status::Passed => "Every criterion was shown by evidence of this run, and nothing forbids the claim.",
        Status::Failed => "At least one criterion is contradicted by evidence of this run.",
        Status::Blocked => "Something kept criteria from being tested; nothing is claimed.",
        Status::Inconclusive | Status::Untested => "What was seen is not enough for a claim.",
    }
}

fn reason(reason: &Reason) -> Json {
    let refs = reason.subjects.iter().cloned().chain(reason.step.map(evidence_id));
    Json::map([
        ("code", Json::from(reason.code.as_str())),
        ("category", reason.category.into()),
        ("severity", reason.weight.as_str().into()),
        ("message", reason.message.as_str().into()),
        ("refs", texts(refs)),
    ])
}

/// Gates inform; only reasons decide.
fn gates(judged: &Judged) -> Json {
    let audited = judged.audited();
    let checked = audited.checked();
    let sound = audited.findings().iter().all(|f| f.weight != finding::Weight::Integrity);
    let summary = super::context::plan_audit(judged);
    let services = &audited.runtime().services;
    let ready = match services.needed.as_slice() {
        [] => Json::Null,
        needed => {
            let there = services.own.len() + services.unseen.len() + services.adopted.len();
            (there == needed.len() && services.lost.is_empty()).into()
        }
    };
    let sufficient = summary.get("coverage_sufficient").and_then(Json::as_bool);
    Json::map([
        ("ledger_present", Json::from(true)),
        ("audit_passed", sound.into()),
        ("audit_artifacts_bound", sound.into()),
        ("all_requirements_passed", judged.criteria().iter().all(|c| c.status == Status::Passed).into()),
        ("runtime_issues_dispositioned", true.into()),
        ("preflight_runnable", (audited.runtime().unreachable.is_empty() && services.blocked.is_empty()).into()),
        ("service_runtime_ready", ready),
        ("plan_validated", checked.is_ok().into()),
        ("strategy_coverage_sufficient", sufficient.into()),
        ("defect_free", judged.tests().iter().all(|test| test.status != Status::Failed).into()),
        ("requirement_source_covered", checked.coverage().passed().into()),
        ("environment_boundary_confirmed", checked.environment().is_confirmed().into()),
        ("cycle_completed", (!audited.recorded().resumed()).into()),
    ])
}
