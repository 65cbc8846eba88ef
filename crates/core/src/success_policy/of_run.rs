//! A run of ours as a QA run: its verdict by the one table, its raw result out of what was verified (design.md section 9).

use smol_str::SmolStr;

use super::origin::{Given, Origin};
use super::row::{Row, Want};
use super::run::{Class, Facts, Run, Time};
use crate::journal::observation::Observation;
use crate::journal::opened::Git;
use crate::json::{Json, Map};
use crate::judged::Judged;
use crate::plan::Action;
use crate::verdict::QaVerdict;
use crate::verify::Verified;

/// Keys of a raw result that are ours; what a step keeps under such a name does not take their place.
const OURS: [&str; 4] = ["run", "criteria", "exit_code", "http_status"];

/// The QA run that a verified folder gives: pending where it was never closed. `None` where the folder does not verify:
/// nothing in it says anything.
#[must_use]
pub fn qa_run(verified: &Verified, want: &Want) -> Option<Row> {
    if !verified.is_intact() {
        return None;
    }
    let judged = verified.judged.as_ref()?;
    let recorded = judged.audited().recorded();
    let (class, raw) = match verified.status() {
        Some(status) => (Class::Known(QaVerdict::from(status)), raw_result(judged)),
        None => (Class::Pending, Json::Null),
    };
    let at = recorded.last_at();
    Some(Row {
        run: Run { class, score: None, confidence: None, facts: Facts::of(&raw, want), at: Time::parse(at) },
        requirement: Some(SmolStr::from(recorded.opened().series.as_str())),
        name: Some(recorded.run().to_owned()),
        at: Some(at.to_owned()),
        note: judged.reasons().first().map(|reason| format!("{} {}", reason.code, reason.message)),
        origin: want.origin.then(|| Box::new(origin(recorded.opened().git.as_ref()))),
    })
}

/// The raw result of a run that verifies and was closed; `None` for any other, which says nothing.
#[must_use]
pub fn raw_result_of(verified: &Verified) -> Option<Json> {
    verified.status()?;
    verified.judged.as_ref().map(raw_result)
}

/// Where a run of ours comes from. What was run on a changed work tree is no commit by itself.
fn origin(git: Option<&Git>) -> Origin {
    let commit = match git {
        None => Given::Missing,
        Some(git) if git.dirty => Given::Unfit,
        Some(git) => Given::Value(SmolStr::from(git.commit.as_str())),
    };
    Origin { commit, performed_by: Given::Value(SmolStr::new_static("probity")), ..Origin::default() }
}

/// A run that nobody can show any more: it was begun, and its folder is gone or does not verify. It counts as an error.
#[must_use]
pub fn unproved(name: &str, series: Option<&str>, at: Option<&str>, why: &str) -> Row {
    Row {
        run: Run {
            class: Class::Known(QaVerdict::Error),
            score: None,
            confidence: None,
            facts: Facts::default(),
            at: at.and_then(Time::parse),
        },
        requirement: series.map(SmolStr::from),
        name: Some(name.to_owned()),
        at: at.map(str::to_owned),
        note: Some(why.to_owned()),
        origin: None,
    }
}

/// `{run, criteria, exit_code, http_status}` and what steps keep under `record`. Cleanup comes after what was to be
/// shown, so its steps are not the last ones that are meant.
fn raw_result(judged: &Judged) -> Json {
    let mut raw = Map::new();
    raw.push("run", judged.audited().recorded().run());
    raw.push("criteria", Json::map(judged.criteria().iter().map(|one| (one.id.as_str(), one.status.as_str()))));
    let shown = || judged.audited().steps().iter().enumerate().filter(|(at, _)| !judged.step(*at).1.is_cleanup());
    let last = |is: fn(&Action) -> bool| {
        let step = shown().rfind(|(at, _)| is(&judged.step(*at).1.action));
        step.and_then(|(_, step)| step.observation.as_deref())
    };
    if let Some(Observation::Command(seen)) = last(|action| matches!(action, Action::Command(_)))
        && seen.result.failure.is_none()
    {
        raw.push("exit_code", Json::from(seen.result.exit));
    }
    if let Some(Observation::Http(seen)) = last(|action| matches!(action, Action::Http(_)))
        && seen.failure.is_none()
    {
        raw.push("http_status", Json::from(seen.hops.last().map(|hop| hop.hop.status)));
    }
    let kept = shown().flat_map(|(_, step)| step.judgement.recorded.iter());
    for (name, value) in kept.filter(|(name, _)| !OURS.contains(&name.as_str())) {
        raw.push(name.as_str(), value.clone());
    }
    Json::Map(raw)
}
