//! qa-run-summary.json: the run in one screen, for programs.

use super::texts;
use crate::journal::body::{Body, COUNT_NAMES};
use crate::json::{Json, Map};
use crate::judged::{Judged, Subject};
use crate::step::StepStatus;

/// The whole file.
pub(super) fn summary(judged: &Judged) -> Json {
    let audited = judged.audited();
    let recorded = audited.recorded();
    let opened = recorded.opened();
    let checked = audited.checked();
    let (source, build) = match judged.subject() {
        Subject::Identity(build) => ("identity", Some(build)),
        Subject::Started(_) => ("started", None),
        Subject::Declared => ("declared", None),
    };
    let mut subject = Map::new();
    subject.push("source", source);
    subject.push("build", build);
    if let Subject::Started(started) = judged.subject() {
        let programs =
            started.iter().map(|one| Json::map([("name", Json::from(&one.name)), ("sha256", one.sha256.into())]));
        subject.push("programs", Json::List(programs.collect()));
    }
    let steps = [StepStatus::Passed, StepStatus::Failed, StepStatus::Error, StepStatus::Refused, StepStatus::Skipped]
        .map(|status| (status.as_str(), audited.steps().iter().filter(|step| step.judgement.status == status).count()));
    Json::map([
        ("schema_version", Json::from(1)),
        ("run", recorded.run().into()),
        ("goal", opened.goal.as_str().into()),
        ("status", judged.status().as_str().into()),
        ("can_claim_pass", judged.can_claim_pass().into()),
        ("assurance", "unsigned".into()),
        ("exit", judged.exit().into()),
        ("tool", opened.tool.as_str().into()),
        ("derivation", opened.derivation.into()),
        ("started_at", recorded.opened_at().into()),
        ("finished_at", recorded.last_at().into()),
        ("series", opened.series.as_str().into()),
        ("attempt", opened.attempt.into()),
        ("environment", checked.environment().to_json()),
        ("subject", Json::Map(subject)),
        ("git", opened.git.as_ref().map_or(Json::Null, Body::write)),
        ("limits", opened.limits.write()),
        ("criteria", Json::map(COUNT_NAMES.into_iter().zip(judged.counts()))),
        ("steps", Json::map(steps)),
        ("weakenings", texts(judged.weakenings().iter().map(|weakening| &weakening.name))),
        ("conditions", texts(judged.conditions())),
        ("reasons", texts(judged.reasons().iter().map(|reason| reason.code))),
        ("recorded_values", recorded_values(judged)),
    ])
}

/// What steps keep for success policies under `record`.
fn recorded_values(judged: &Judged) -> Json {
    let values = judged.audited().steps().iter().flat_map(|step| step.judgement.recorded.clone());
    Json::map(values)
}
