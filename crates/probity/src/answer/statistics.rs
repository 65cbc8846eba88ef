//! The types of policies that say how sure they are, in words and in the JSON answer (docs/decisions/0012-statistics.md).

use probity_core::json::Json;
use probity_core::success_policy::{
    Interval, Level, Outcome, Planned, Policy, Reason, Series, State, Turn, all_pass, conclude, interval,
};

use super::policy::{counted, decimal, ratio};

/// So many of the newest series are told.
const SERIES: usize = 20;

/// Passes and runs that a rate is worked out of: of planned runs those of the series that counts, and while none is full those
/// there are.
pub(crate) fn rate(policy: &Policy, state: &State) -> Option<(u64, u64)> {
    match policy {
        Policy::Wilson { .. } | Policy::Sprt(_) | Policy::PassK { .. } => Some(state.judged(policy)),
        Policy::PlannedRuns { .. } => {
            let planned = state.planned(policy)?;
            Some(planned.counts().map_or_else(|| planned.open(), |series| (series.yes, series.runs())))
        }
        _ => None,
    }
}

/// The interval that goes with the rate, and its level in words.
pub(crate) fn between(policy: &Policy, state: &State) -> Option<(Interval, String)> {
    let (passed, runs) = rate(policy, state)?;
    match policy {
        Policy::Wilson { level, .. } => Some((level.interval(passed, runs)?, percent(level))),
        Policy::PassK { k, level, .. } => Some((level.interval(passed, runs)?.of_all(*k), percent(level))),
        _ => Some((interval(passed, runs)?, "95 %".to_owned())),
    }
}

/// The level of [`between`], as a number.
pub(crate) fn level(policy: &Policy) -> f64 {
    match policy {
        Policy::Wilson { level, .. } | Policy::PassK { level, .. } => level.confidence().float(),
        _ => 0.95,
    }
}

/// `95 %`, `99.5 %`
fn percent(level: &Level) -> String {
    let text = format!("{:.4}", level.confidence().float() * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The outcome in a sentence; `None` for a policy of version 1.
pub(crate) fn sentence(policy: &Policy, state: &State) -> Option<String> {
    let reason = conclude(policy, state);
    let (passed, judged) = state.judged(policy);
    let of = || format!("{passed} of {} passed", counted(judged, "measured run"));
    let ends = || {
        between(policy, state).map_or_else(String::new, |(between, level)| {
            format!("{level} interval {:.3} to {:.3}", between.low(), between.high())
        })
    };
    Some(match policy {
        Policy::Wilson { min_runs, .. } | Policy::PassK { min_runs, .. } if reason == Reason::InsufficientRuns => {
            format!("{}, {min_runs} needed", counted(judged, "measured run"))
        }
        Policy::Wilson { target, .. } => {
            format!("{} = {:.2}, {}, target {}", of(), ratio(passed, judged), ends(), target.number().token())
        }
        Policy::PassK { k, target, .. } => {
            let all = all_pass(*k, passed, judged).unwrap_or(0.0);
            format!(
                "{}; all of {k} tries pass {all:.2} of the time, {}, target {}",
                of(),
                ends(),
                target.number().token()
            )
        }
        Policy::Sprt(ratio) => {
            let (good, bad) = ratio.boundaries();
            format!(
                "{}; log ratio {:.2}, good from {good:.2}, bad from {bad:.2} down",
                of(),
                ratio.log(passed, judged - passed)
            )
        }
        Policy::PlannedRuns { min_pass_rate, planned: size } => match state.planned(policy) {
            None => "more runs than a series takes, and one of them does not say when it was".to_owned(),
            Some(planned) => match planned.counts() {
                None => format!("{} of {size} planned runs", planned.open().1),
                Some(series) => format!(
                    "{} of {} passed in series {} = {:.2}, bound {}",
                    series.yes,
                    counted(*size, "planned run"),
                    planned.full,
                    ratio(series.yes, *size),
                    min_pass_rate.number().token()
                ),
            },
        },
        _ => return None,
    })
}

/// What would turn planned runs: which series has to be filled, and with what.
pub(crate) fn turned(planned: &Planned, turn: &Turn) -> String {
    let to = turn.to.as_str();
    let Some(by) = turn.by else { return format!("to {to}: no number of runs more") };
    let left = planned.planned - planned.open().1;
    let (least, one, many) =
        if turn.to == Outcome::Satisfied { (by.yes, "a pass", "passes") } else { (by.no, "a failure", "failures") };
    let word = if least == 1 { one } else { many };
    if by.runs() <= left {
        return format!(
            "to {to}: {} more, which fill the series, at least {least} of them {word}",
            counted(left, "run")
        );
    }
    format!(
        "to {to}: {} more fill this series, and {} after them a new one, at least {least} of these {word}",
        counted(left, "run"),
        counted(planned.planned, "run")
    )
}

/// The newest series in words, the oldest of them first: `1: 5 of 10, missed; 2: 8 of 10, met, counts; 3: 2 of 4 so far`.
pub(crate) fn series(planned: &Planned) -> String {
    let skipped = planned.series.len().saturating_sub(SERIES);
    let told = planned.series.iter().enumerate().skip(skipped).map(|(at, series)| {
        let so_far = if at < planned.full { "" } else { " so far" };
        let standing = match standing(planned, at, series) {
            "open" => String::new(),
            word => format!(", {word}"),
        };
        let counts = if at + 1 == planned.full { ", counts" } else { "" };
        format!("{}: {} of {}{so_far}{standing}{counts}", at + 1, series.yes, series.runs())
    });
    let more = (skipped > 0).then(|| format!("{skipped} older ones"));
    more.into_iter().chain(told).collect::<Vec<_>>().join("; ")
}

fn standing(planned: &Planned, at: usize, series: &Series) -> &'static str {
    match (at < planned.full, planned.is_met(series)) {
        (false, _) => "open",
        (true, true) => "met",
        (true, false) => "missed",
    }
}

/// What the JSON explanation has more of; `None` for a policy of version 1.
pub(crate) fn explanation(policy: &Policy, state: &State) -> Option<Json> {
    let (passed, judged) = state.judged(policy);
    match policy {
        Policy::Wilson { .. } => Some(Json::map([("tries", 1)])),
        Policy::PassK { k, .. } => Some(Json::map([
            ("tries", Json::from(*k)),
            ("estimate", all_pass(*k, passed, judged).map(|all| decimal(all, 6)).into()),
        ])),
        Policy::Sprt(ratio) => {
            let (good, bad) = ratio.boundaries();
            Some(Json::map([
                ("log_ratio", decimal(ratio.log(passed, judged - passed), 4)),
                ("good_from", decimal(good, 4)),
                ("bad_from", decimal(bad, 4)),
            ]))
        }
        Policy::PlannedRuns { .. } => {
            let planned = state.planned(policy)?;
            let skipped = planned.series.len().saturating_sub(SERIES);
            let told = planned.series.iter().enumerate().skip(skipped).map(|(at, series)| {
                Json::map([
                    ("series", Json::from(at + 1)),
                    ("passed", series.yes.into()),
                    ("runs", series.runs().into()),
                    ("standing", standing(&planned, at, series).into()),
                    ("counts", (at + 1 == planned.full).into()),
                ])
            });
            Some(Json::map([
                ("planned", Json::from(planned.planned)),
                ("needed", planned.needed.into()),
                ("full", planned.full.into()),
                ("series", Json::list(told)),
                ("left_out", skipped.into()),
            ]))
        }
        _ => None,
    }
}
