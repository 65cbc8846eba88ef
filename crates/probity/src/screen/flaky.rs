//! `qa flaky` on the screen.

use probity_core::codes::Code;
use probity_core::flake::{Flakes, Gaps, Requirement};
use probity_core::inert::shortened;
use probity_core::success_policy::{Interval, interval};

use super::block::{Block, Tone};
use crate::answer::policy::counted;
use crate::out::Out;

/// So many requirements, runners and judges are shown.
const ROWS: usize = 12;
/// Flaky commits that are shown of a requirement.
const COMMITS: usize = 3;
/// The column where rows begin to say something.
const COLUMN: usize = 13;

/// The block.
pub(crate) fn flaky(flakes: &Flakes, noticed: &[(Code, String)], out: Out) -> String {
    let mut block = Block::new(out);
    let of = |known| flakes.requirements.iter().filter(|one| one.is_flaky() == known).count() as u64;
    let (flaky, steady, unknown) = (of(Some(true)), of(Some(false)), of(None));
    let all = counted(flakes.requirements.len() as u64, "requirement");
    let rows = counted(flakes.rows, "run");
    let more = if unknown > 0 { format!("; of {unknown} nothing can be said") } else { String::new() };
    if flaky > 0 {
        let text = format!("{flaky} of {all} passed and failed at the same commit{more}   {rows}");
        block.verdict("FLAKY", Tone::Bad, &text);
    } else if steady > 0 {
        block.verdict("STEADY", Tone::Good, &format!("no commit both passed and failed{more}   {rows}"));
    } else {
        block.verdict("UNKNOWN", Tone::Open, &format!("no commit was measured twice   {rows}"));
    }
    flakes.requirements.iter().take(ROWS).for_each(|one| requirement(&mut block, one));
    left(&mut block, flakes.requirements.len());
    runners(&mut block, flakes);
    judges(&mut block, flakes);
    not_said(&mut block, flakes);
    for (position, (code, message)) in noticed.iter().enumerate() {
        block.row(2, if position == 0 { "warning" } else { "" }, COLUMN, &format!("{code}   {message}"));
    }
    format!("{}exit 0\n", block.done())
}

fn left(block: &mut Block, all: usize) {
    if all > ROWS {
        block.line(2, 6, &format!("and {} more: --format json", all - ROWS));
    }
}

/// `3 of 4 (0.30 to 0.95)`; of nothing there is no rate.
fn rate(part: u64, whole: u64, between: Option<Interval>) -> String {
    between.map_or_else(
        || "unknown".to_owned(),
        |between| format!("{part} of {whole} ({:.2} to {:.2})", between.low(), between.high()),
    )
}

fn requirement(block: &mut Block, one: &Requirement) {
    let word = match one.is_flaky() {
        Some(true) => "FLAKY",
        Some(false) => "steady",
        None => "unknown",
    };
    let name = one.id.as_ref().map_or_else(|| "(no requirement named)".to_owned(), |id| shortened(id, 60).into_owned());
    let commits = counted(one.commits.len() as u64, "commit");
    block.row(2, word, COLUMN, &format!("{name}   {} of {commits} flaky", one.flaky()));
    let (first, known) = one.first_tries();
    let passed = rate(one.tally.pass, one.tally.measured(), one.tally.pass_rate());
    let text = format!("passed {passed}; at the first try {}", rate(first, known, interval(first, known)));
    block.row(2, "", COLUMN, &text);
    for commit in one.commits.iter().filter(|commit| commit.flaky == Some(true)).take(COMMITS) {
        let turned = commit.transitions.map_or_else(
            || "in an order that is not known".to_owned(),
            |turned| if turned == 1 { "turned once".to_owned() } else { format!("turned {turned} times") },
        );
        let text = format!(
            "{}   {} pass, {} fail; {turned}",
            shortened(&commit.commit, 12),
            commit.tally.pass,
            commit.tally.fail
        );
        block.row(2, "", COLUMN, &text);
    }
}

fn runners(block: &mut Block, flakes: &Flakes) {
    for (position, (by, of)) in flakes.runners.iter().take(ROWS).enumerate() {
        let errors = rate(of.error, of.completed(), of.error_rate());
        let text = format!("{}   errors {errors}", shortened(by, 40));
        block.row(2, if position == 0 { "runners" } else { "" }, COLUMN, &text);
    }
}

fn judges(block: &mut Block, flakes: &Flakes) {
    for (position, of) in flakes.calibrations.iter().take(ROWS).enumerate() {
        let right: u64 = of.bins.iter().map(|bin| bin.right).sum();
        let known = of.brier().map_or_else(
            || "nothing to hold it against".to_owned(),
            |brier| format!("right in {right} of {}, Brier score {brier:.3}", of.count),
        );
        let mut parts = vec![known];
        parts.extend(
            (of.no_truth > 0).then(|| format!("{} without a run of the same commit that was measured", of.no_truth)),
        );
        parts.extend((of.no_confidence > 0).then(|| format!("{} without a confidence", of.no_confidence)));
        let text = format!("{}   {}", shortened(&of.judge, 40), parts.join("; "));
        block.row(2, if position == 0 { "judges" } else { "" }, COLUMN, &text);
    }
    for (position, of) in flakes.agreements.iter().take(ROWS).enumerate() {
        let [pass, _, _, fail] = of.counts;
        let kappa = of.kappa().map_or_else(
            || "kappa unknown: neither ever says anything else".to_owned(),
            |kappa| format!("kappa {kappa:.2}"),
        );
        let [one, other] = [shortened(&of.one, 30), shortened(&of.other, 30)];
        let text = format!("{one} and {other}   the same in {} of {}, {kappa}", pass + fail, of.both());
        block.row(2, if position == 0 { "agreement" } else { "" }, COLUMN, &text);
    }
}

/// What rows do not say is named: nothing above counts it as nothing.
fn not_said(block: &mut Block, flakes: &Flakes) {
    let of = |name: &str, gaps: &Gaps| {
        (gaps.all() > 0).then(|| {
            let ways = [(gaps.missing, "missing"), (gaps.null, "null"), (gaps.unfit, "unfit")];
            let ways = ways.iter().filter(|(count, _)| *count > 0).map(|(count, way)| format!("{count} {way}"));
            format!("{name}: {}", ways.collect::<Vec<_>>().join(", "))
        })
    };
    let times = (flakes.no_time > 0).then(|| format!("created_at: {}", flakes.no_time));
    let all = [
        of("commit", &flakes.commit),
        of("performed_by", &flakes.performed_by),
        of("confidence of a judge", &flakes.confidence),
        times,
    ];
    let said: Vec<String> = all.into_iter().flatten().collect();
    if !said.is_empty() {
        block.row(2, "not said", COLUMN, &said.join("; "));
    }
}
