//! The answer of `run`: one run, or several.

use std::path::Path;

use probity_core::json::Json;
use probity_core::judged::Judged;
use probity_core::verdict::{Status, WORST_FIRST};
use probity_core::verify::Verified;

use super::attempt::Attempt;
use super::finding::{handle, told};
use super::site::Site;
use super::{ASSURANCE, LARGEST, clip, document, exit, facts, next, share, size, texts};
use crate::engine::Finished;

/// The answer for one run.
pub(crate) fn run(done: &Finished, _name: &str) -> String {
    document(&one(&done.verified, &done.dir, exit(&done.verified)))
}

/// The same for a run folder that was verified.
pub(crate) fn one(verified: &Verified, dir: &Path, exit: u8) -> Json {
    let site = Site::of(dir);
    match verified.judged.as_ref().filter(|_| verified.is_intact() || verified.only_views_differ()) {
        Some(judged) => full(verified, judged, dir, &site, exit),
        None => super::verify::verify(verified, dir, &[], exit),
    }
}

fn full(verified: &Verified, judged: &Judged, dir: &Path, site: &Site, exit: u8) -> Json {
    let attempt = Attempt::of(judged, dir).to_json();
    let said = verified.status();
    let criteria: Vec<Json> = facts::criteria(judged)
        .into_iter()
        .map(|(criterion, planned)| {
            Json::map([
                ("id", Json::from(&criterion.id)),
                ("needs", texts(&planned.needs, 40)),
                ("status", criterion.status.as_str().into()),
                ("evidence", texts(criterion.steps.iter().take(20).map(|position| handle(*position)), 12)),
            ])
        })
        .collect();
    let findings: Vec<Json> = judged
        .reasons()
        .iter()
        .enumerate()
        .map(|(position, reason)| told(judged, reason).to_json(position + 1))
        .collect();
    let moves: Vec<Json> = next::of(verified, site).iter().map(next::Move::to_json).collect();
    let (may_say, must_not_say) = sayings(judged, verified);
    let build = |criteria_taken: usize, findings_taken: usize| {
        let left = (criteria.len() - criteria_taken, findings.len() - findings_taken);
        Json::map([
            ("schema", Json::from("probity/run/1")),
            ("exit", exit.into()),
            ("status", said.map_or("open", Status::as_str).into()),
            ("can_claim_pass", (said == Some(Status::Passed)).into()),
            ("assurance", ASSURANCE.into()),
            ("run", clip(verified.run.as_deref().unwrap_or(&site.name), 150).into()),
            ("dir", clip(&site.dir, 300).into()),
            ("seal", verified.seal.as_ref().map(ToString::to_string).into()),
            ("attempt", attempt.clone()),
            ("requirement", facts::requirement(judged)),
            ("plan", facts::plan_json(judged)),
            ("environment", facts::environment(judged.audited().checked().environment())),
            ("subject", facts::subject(judged)),
            ("scope", facts::scope(judged)),
            ("counts", facts::counts(judged)),
            ("claims", facts::claims(judged.claims())),
            ("weakenings", facts::weakenings(judged)),
            ("conditions", texts(judged.conditions(), 80)),
            ("criteria", Json::List(criteria[..criteria_taken].to_vec())),
            ("findings", Json::List(findings[..findings_taken].to_vec())),
            ("next", Json::List(moves.clone())),
            ("may_say", may_say.as_str().into()),
            ("must_not_say", Json::list(must_not_say.iter().map(String::as_str))),
            ("left_out", Json::map([("criteria", left.0), ("findings", left.1)])),
            ("more", more(left, site)),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(0, 0)) + 200);
    let taken = share(room, &[&findings, &criteria]);
    build(taken[1], taken[0])
}

fn more((criteria, findings): (usize, usize), site: &Site) -> Json {
    let report = (criteria > 0).then(|| site.command("report", ""));
    let why = (findings > 0).then(|| site.command("why", ""));
    Json::map([("criteria", Json::from(report)), ("findings", why.into())])
}

/// One honest sentence, and those that the verdict forbids.
fn sayings(judged: &Judged, verified: &Verified) -> (String, Vec<String>) {
    let title = clip(judged.audited().checked().title(), 120);
    let total = judged.criteria().len();
    let [passed, failed, ..] = judged.counts();
    let seal = verified.seal.as_ref().map_or_else(String::new, |seal| format!(" (seal {seal}, unsigned)"));
    if !verified.closed || !verified.is_intact() {
        let may = format!("The run for {title} has no verdict{seal}.");
        return (may, vec!["that anything passed or failed".to_owned()]);
    }
    match judged.status() {
        Status::Passed => (
            format!("{title}: {passed} of {total} criteria were shown by evidence in one run{seal}."),
            vec![
                "that anything beyond these criteria works".to_owned(),
                "that the verdict is signed or independent".to_owned(),
            ],
        ),
        Status::Failed => (
            format!("{title}: {failed} of {total} criteria are contradicted by evidence{seal}."),
            vec![
                format!("that {title} is done, passed or verified"),
                "that the failure is flaky or unrelated".to_owned(),
            ],
        ),
        Status::Blocked => (
            format!("{title}: it could not be tested; nothing is known about it{seal}."),
            vec![format!("that {title} passed"), "that the product is at fault".to_owned()],
        ),
        Status::Inconclusive | Status::Untested => (
            format!("{title}: what was seen is not enough for a claim; {passed} of {total} criteria held{seal}."),
            vec![format!("that {title} passed"), "that it passed except for a formality".to_owned()],
        ),
    }
}

/// How many runs of one call came to what, and what the worst of them came to.
pub(crate) fn tally(many: &[(String, Finished)]) -> (&'static str, Vec<(&'static str, usize)>) {
    let count = |word: &str| many.iter().filter(|(_, done)| status(&done.verified) == word).count();
    let names = ["passed", "failed", "blocked", "inconclusive", "untested", "open", "broken"];
    let worst = worst_first(many).first().map_or("untested", |(_, done)| status(&done.verified));
    (worst, names.into_iter().map(|name| (name, count(name))).collect())
}

/// Runs with the worst first, by exit code.
pub(crate) fn worst_first(many: &[(String, Finished)]) -> Vec<&(String, Finished)> {
    let mut order: Vec<&(String, Finished)> = many.iter().collect();
    order.sort_by_key(|(_, done)| WORST_FIRST.iter().position(|code| *code == exit(&done.verified)));
    order
}

/// The answer for several runs of one call, the worst first.
pub(crate) fn runs(many: &[(String, Finished)], worst_exit: u8) -> String {
    let rows: Vec<Json> = worst_first(many).iter().map(|(name, done)| row(name, done)).collect();
    let (worst, counts) = tally(many);
    let build = |taken: usize| {
        Json::map([
            ("schema", Json::from("probity/runs/1")),
            ("exit", worst_exit.into()),
            ("status", worst.into()),
            ("counts", Json::map(counts.clone())),
            ("runs", Json::List(rows[..taken].to_vec())),
            ("left_out", Json::map([("runs", rows.len() - taken)])),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(0)) + 50);
    document(&build(share(room, &[&rows])[0]))
}

/// The status of a run in one word; `open` and `broken` where there is none.
pub(crate) fn status(verified: &Verified) -> &'static str {
    verified.status().map_or(if verified.is_intact() { "open" } else { "broken" }, Status::as_str)
}

fn row(name: &str, done: &Finished) -> Json {
    let verified = &done.verified;
    let site = Site::of(&done.dir);
    let judged = verified.judged.as_ref();
    let first = judged.and_then(|judged| Some(told(judged, judged.reasons().first()?).to_json(1)));
    Json::map([
        ("run", Json::from(clip(verified.run.as_deref().unwrap_or(&site.name), 150))),
        ("dir", clip(&site.dir, 300).into()),
        ("seal", verified.seal.as_ref().map(ToString::to_string).into()),
        ("plan", clip(name, 200).into()),
        ("status", status(verified).into()),
        ("exit", exit(verified).into()),
        ("attempt", judged.map_or(Json::Null, |judged| Attempt::of(judged, &done.dir).to_json())),
        ("first", first.unwrap_or(Json::Null)),
    ])
}
