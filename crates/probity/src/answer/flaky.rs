//! The answer of `qa flaky`.

use probity_core::codes::Code;
use probity_core::flake::{Agreement, BINS, Calibration, Commit, Flakes, Gaps, Requirement, Tally};
use probity_core::json::Json;
use probity_core::success_policy::Interval;

use super::policy::{decimal, ratio};
use super::{LARGEST, clip, share, size};

/// Commits that are told of each requirement, those that are flaky first.
const COMMITS: usize = 10;

/// `{requirements[], runners[], judges[], agreements[], not_said, warnings[]}`
pub(crate) fn flaky(flakes: &Flakes, noticed: &[(Code, String)]) -> Json {
    let requirements: Vec<Json> = flakes.requirements.iter().map(requirement).collect();
    let runners: Vec<Json> = flakes.runners.iter().map(|(by, of)| runner(by, of)).collect();
    let judges: Vec<Json> = flakes.calibrations.iter().map(judge).collect();
    let agreements: Vec<Json> = flakes.agreements.iter().map(agreement).collect();
    let warned: Vec<Json> = noticed
        .iter()
        .map(|(code, message)| Json::map([("code", Json::from(code.as_str())), ("message", clip(message, 300).into())]))
        .collect();
    let lists = [&requirements[..], &runners, &judges, &agreements, &warned];
    let names = ["requirements", "runners", "judges", "agreements", "warnings"];
    let flaky = flakes.requirements.iter().filter(|one| one.is_flaky() == Some(true)).count();
    let build = |taken: &[usize]| {
        let mut pairs = vec![
            ("schema", Json::from("probity/qa-flaky/1")),
            ("exit", 0.into()),
            ("rows", flakes.rows.into()),
            ("flaky", flaky.into()),
        ];
        pairs.extend(
            names
                .iter()
                .zip(lists)
                .zip(taken)
                .map(|((name, list), taken)| (*name, Json::List(list[..*taken].to_vec()))),
        );
        pairs.push((
            "not_said",
            Json::map([
                ("commit", gaps(&flakes.commit)),
                ("performed_by", gaps(&flakes.performed_by)),
                ("confidence", gaps(&flakes.confidence)),
                ("created_at", flakes.no_time.into()),
            ]),
        ));
        let left = names.iter().zip(lists).zip(taken).map(|((name, list), taken)| (*name, list.len() - taken));
        pairs.push(("left_out", Json::map(left)));
        Json::map(pairs)
    };
    let room = LARGEST.saturating_sub(size(&build(&[0; 5])) + 60);
    build(&share(room, &lists))
}

/// Missing is not null, and null is not a value that is unfit.
fn gaps(gaps: &Gaps) -> Json {
    Json::map([("missing", gaps.missing), ("null", gaps.null), ("unfit", gaps.unfit)])
}

fn truth(known: Option<bool>) -> Json {
    known.map_or(Json::Null, Json::from)
}

/// `{of, value, low, high}`; null where there is nothing that it could be a rate of.
fn rate(part: u64, whole: u64, between: Option<Interval>) -> Json {
    between.map_or(Json::Null, |between| {
        Json::map([
            ("part", Json::from(part)),
            ("of", whole.into()),
            ("value", decimal(ratio(part, whole), 4)),
            ("low", decimal(between.low(), 4)),
            ("high", decimal(between.high(), 4)),
        ])
    })
}

fn tally(of: &Tally) -> Json {
    Json::map([("pass", of.pass), ("fail", of.fail), ("undetermined", of.undetermined), ("error", of.error)])
}

fn requirement(one: &Requirement) -> Json {
    let (first, known) = one.first_tries();
    Json::map([
        ("requirement", one.id.as_ref().map(|id| clip(id, 150)).into()),
        ("flaky", truth(one.is_flaky())),
        ("flaky_commits", one.flaky().into()),
        ("commits", one.commits.len().into()),
        ("counts", tally(&one.tally)),
        ("pass_rate", rate(one.tally.pass, one.tally.measured(), one.tally.pass_rate())),
        ("first_try", rate(first, known, probity_core::success_policy::interval(first, known))),
        ("no_commit", one.no_commit.into()),
        ("pending", one.pending.into()),
        ("by_commit", Json::list(one.commits.iter().take(COMMITS).map(commit))),
        ("commits_left_out", one.commits.len().saturating_sub(COMMITS).into()),
    ])
}

fn commit(one: &Commit) -> Json {
    Json::map([
        ("commit", Json::from(clip(&one.commit, 64))),
        ("flaky", truth(one.flaky)),
        ("transitions", one.transitions.into()),
        ("first_passed", truth(one.first)),
        ("counts", tally(&one.tally)),
    ])
}

fn runner(by: &str, of: &Tally) -> Json {
    Json::map([
        ("performed_by", Json::from(clip(by, 100))),
        ("counts", tally(of)),
        ("error_rate", rate(of.error, of.completed(), of.error_rate())),
    ])
}

fn judge(of: &Calibration) -> Json {
    let bins = of.bins.iter().enumerate().filter(|(_, bin)| bin.count > 0).map(|(at, bin)| {
        Json::map([
            ("from", decimal(ratio(at as u64, BINS as u64), 1)),
            ("count", bin.count.into()),
            ("right", bin.right.into()),
            ("mean_confidence", decimal(bin.sure / ratio(bin.count, 1), 4)),
        ])
    });
    Json::map([
        ("judge", Json::from(clip(&of.judge, 100))),
        ("compared", of.count.into()),
        ("brier", of.brier().map(|brier| decimal(brier, 4)).into()),
        ("bins", Json::list(bins)),
        ("without_confidence", of.no_confidence.into()),
        ("without_truth", of.no_truth.into()),
    ])
}

fn agreement(of: &Agreement) -> Json {
    let [pass, one, other, fail] = of.counts;
    Json::map([
        ("judges", Json::list([clip(&of.one, 100), clip(&of.other, 100)])),
        ("both_pass", pass.into()),
        ("first_alone", one.into()),
        ("second_alone", other.into()),
        ("both_fail", fail.into()),
        ("kappa", of.kappa().map(|kappa| decimal(kappa, 4)).into()),
    ])
}
