//! The answer of `verify`.

use std::path::Path;

use probity_core::codes::Code;
use probity_core::finding::{Finding, Weight};
use probity_core::json::Json;
use probity_core::judged::DERIVATION;
use probity_core::verdict::Status;
use probity_core::verify::Verified;

use super::attempt::Attempt;
use super::finding::{handle, told};
use super::site::Site;
use super::{ASSURANCE, LARGEST, clip, facts, share, size};
use crate::cmd::verify::Demand;

/// The whole answer. A demand that is not met is a finding beside those of the run.
pub(crate) fn verify(verified: &Verified, dir: &Path, demands: &[Demand], exit: u8) -> Json {
    let site = Site::of(dir);
    let judged = verified.judged.as_ref();
    let attempt = judged.map_or(Json::Null, |judged| Attempt::of(judged, dir).to_json());
    let unmet: Vec<Finding> = demands.iter().filter(|demand| !demand.met).map(Demand::finding).collect();
    let status = verified.status().filter(|_| unmet.is_empty());
    let findings: Vec<Json> = unmet.iter().chain(&verified.findings).map(|one| finding(verified, one)).collect();
    let told: Vec<Json> = judged
        .filter(|_| verified.is_intact() || verified.only_views_differ())
        .map(|judged| judged.reasons().iter().enumerate().map(|(n, r)| told(judged, r).to_json(n + 1)).collect())
        .unwrap_or_default();
    let claims = judged.filter(|_| verified.is_intact()).map(probity_core::judged::Judged::claims).unwrap_or_default();
    let build = |findings_taken: usize, reasons_taken: usize| {
        Json::map([
            ("schema", Json::from("probity/verify/1")),
            ("exit", exit.into()),
            ("run", clip(verified.run.as_deref().unwrap_or(&site.name), 150).into()),
            ("dir", clip(&site.dir, 300).into()),
            ("intact", verified.is_intact().into()),
            ("closed", verified.closed.into()),
            ("status", status.map(Status::as_str).into()),
            ("can_claim_pass", (status == Some(Status::Passed)).into()),
            ("assurance", ASSURANCE.into()),
            ("anchored_by", verified.anchor.as_str().into()),
            ("seal", verified.seal.as_ref().filter(|_| verified.closed).map(ToString::to_string).into()),
            ("attempt", attempt.clone()),
            ("derivation", derivation(verified)),
            ("checked", checked(verified)),
            ("claims", facts::claims(claims)),
            ("weakenings", judged.map_or(Json::List(Vec::new()), facts::weakenings)),
            ("demands", Json::List(demands.iter().map(Demand::to_json).collect())),
            ("findings", Json::List(findings[..findings_taken].to_vec())),
            ("reasons", Json::List(told[..reasons_taken].to_vec())),
            (
                "left_out",
                Json::map([("findings", findings.len() - findings_taken), ("reasons", told.len() - reasons_taken)]),
            ),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(0, 0)) + 50);
    let taken = share(room, &[&findings, &told]);
    build(taken[0], taken[1])
}

fn derivation(verified: &Verified) -> Json {
    Json::map([
        ("run", Json::from(verified.derivation)),
        ("mine", DERIVATION.into()),
        ("views_compared", verified.checked.views.into()),
        ("views_skipped", verified.checked.views_skipped.into()),
    ])
}

fn checked(verified: &Verified) -> Json {
    Json::map([
        ("entries", verified.checked.entries),
        ("evidence", verified.checked.evidence),
        ("bytes", verified.checked.bytes),
    ])
}

fn finding(verified: &Verified, finding: &Finding) -> Json {
    let text = |value: &Option<String>, largest: usize| Json::from(value.as_ref().map(|value| clip(value, largest)));
    let severity = match finding.weight {
        Weight::Integrity => "integrity",
        Weight::Note => "note",
    };
    Json::map([
        ("code", Json::from(finding.code.as_str())),
        ("severity", severity.into()),
        ("seq", finding.entry.into()),
        ("file", text(&finding.file, 200)),
        ("evidence", evidence_of(verified, finding).into()),
        ("expected", text(&finding.expected, 200)),
        ("saw", text(&finding.saw, 200)),
        ("message", clip(&finding.message, 300).into()),
        ("help", finding.code.explanation().remedy.into()),
    ])
}

/// The step whose evidence a file is, where the run could be worked out.
pub(crate) fn evidence_of(verified: &Verified, finding: &Finding) -> Option<String> {
    let broken = matches!(finding.code, Code::EvidenceMissing | Code::EvidenceChanged | Code::EvidenceSize);
    let file = finding.file.as_deref().filter(|_| broken)?;
    let audited = verified.judged.as_ref()?.audited();
    let holds = |action: usize| {
        let evidence = &audited.recorded().actions()[action].evidence;
        evidence.iter().any(|evidence| file.contains(&evidence.sha256.to_string()))
    };
    audited.steps().iter().position(|step| step.action.is_some_and(holds)).map(handle)
}
