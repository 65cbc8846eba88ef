//! The criteria, worst first, with their tests; and what is not claimed.

use probity_core::judged::{Judged, JudgedCriterion, Reason};
use probity_core::matrix::Criterion;
use probity_core::verdict::Status;

use super::write::{A, Html, Room};
use super::{Page, evidence_link, first};
use crate::answer::facts;
use crate::screen::gaps::follows;

/// Bytes of all rows, and of all that is not claimed.
const ROWS: usize = 2_000_000;
const ASIDE: usize = 60_000;
/// Rows that are laid out together, when they come into sight.
pub(super) const WINDOW: usize = 200;
/// As many handles of evidence stand in a row, and tests and reasons below it.
const HANDLES: usize = 12;
const TESTS: usize = 10_000;
const REASONS: usize = 10;
/// As many criteria that did not pass stand open.
const OPEN: usize = 50;

/// The section.
pub(super) fn criteria(page: &Page<'_>, html: &mut Html) {
    let rows = facts::criteria(page.judged);
    html.el("section", &[A::Id("_criteria")], |html| {
        html.say("h2", "", &format!("Criteria ({})", rows.len()));
        html.fixed(super::head::TOOLS);
        let mut room = Room(ROWS);
        let mut shown = 0;
        for window in rows.chunks(WINDOW) {
            let before = shown;
            html.el("div", &[A::Class("window")], |html| {
                for (criterion, planned) in window {
                    let mut piece = Html::default();
                    // The first failing one is told in full above.
                    let told = shown == 0 && page.judged.status() == Status::Failed;
                    row(page, &mut piece, criterion, planned, shown < OPEN && !told);
                    if !room.take(html, &piece) {
                        break;
                    }
                    shown += 1;
                }
            });
            if shown < before + window.len() {
                break;
            }
        }
        if shown < rows.len() {
            html.say("p", "none", &format!("{} more, all in evidence-ledger.json of the run", rows.len() - shown));
        }
        if page.judged.status() != Status::Passed {
            not_claimed(page, html);
        }
    });
}

fn row(page: &Page<'_>, html: &mut Html, criterion: &JudgedCriterion, planned: &Criterion, near: bool) {
    let id = criterion.id.as_str();
    let attributes = [A::Class("row"), A::State(criterion.status), A::Id(id)];
    let about = page.reasons.get(id).map(Vec::as_slice).unwrap_or_default();
    // That it could not be tested follows from what stands above.
    let reasons: Vec<&Reason> = about.iter().copied().filter(|reason| !follows(page.judged, reason)).collect();
    let plain = criterion.status == Status::Passed && criterion.tests.len() < 2;
    if plain {
        return html.el("p", &attributes, |html| line(html, criterion, planned));
    }
    let open = !reasons.is_empty() && near;
    let attributes: Vec<A<'_>> = attributes.into_iter().chain(open.then_some(A::Open)).collect();
    html.el("details", &attributes, |html| {
        html.el("summary", &[], |html| line(html, criterion, planned));
        for reason in reasons.iter().take(REASONS) {
            first::values(page.judged, html, reason, true);
        }
        if about.is_empty() {
            for note in criterion.notes.iter().take(REASONS) {
                html.say("p", "", note);
            }
        }
        tests(page.judged, html, criterion);
    });
}

fn line(html: &mut Html, criterion: &JudgedCriterion, planned: &Criterion) {
    html.say("b", "", &word(criterion.status));
    html.say("i", "", criterion.id.as_str());
    html.say("span", "", &planned.text);
    html.say("u", "", &planned.needs.join(" "));
    html.el("em", &[], |html| {
        for position in criterion.steps.iter().take(HANDLES) {
            evidence_link(html, *position);
            html.text(" ");
        }
        if criterion.steps.len() > HANDLES {
            html.text("…");
        }
    });
}

/// Lower case if fine, upper case if not.
pub(super) fn word(status: Status) -> String {
    if status == Status::Passed { status.as_str().to_owned() } else { status.as_str().to_uppercase() }
}

/// The tests of a criterion, worst first, each leading to the step that decided it.
fn tests(judged: &Judged, html: &mut Html, criterion: &JudgedCriterion) {
    let mut mine: Vec<usize> = criterion.tests.clone();
    mine.sort_by_key(|test| judged.tests()[*test].status == Status::Passed);
    html.el("p", &[A::Class("tests")], |html| {
        html.text(if mine.len() == 1 { "test" } else { "tests" });
        for test in mine.iter().take(TESTS).map(|test| &judged.tests()[*test]) {
            html.text(" ");
            html.el("span", &[A::State(test.status)], |html| {
                html.text(test.id.as_str());
                html.text(" ");
                if let Some(position) = test.decided_by.or_else(|| test.steps.first().copied()) {
                    evidence_link(html, position);
                }
            });
        }
        if mine.len() > TESTS {
            html.text(&format!(" and {} more", mine.len() - TESTS));
        }
    });
}

/// Lines of the requirement that nobody tests, and claims that cases do not make, on purpose.
pub(super) fn not_claimed(page: &Page<'_>, html: &mut Html) {
    let checked = page.judged.audited().checked();
    let matrix = checked.matrix();
    let aside = [(&matrix.out_of_scope, "out of scope"), (&matrix.later, "put off")];
    let mut rows: Vec<(String, String)> = Vec::new();
    for (excluded, phrase) in aside {
        rows.extend(
            excluded.iter().map(|row| (format!("\u{201c}{}\u{201d}", row.text), format!("{phrase}: {}", row.why))),
        );
    }
    for one in checked.plan().scenarios.iter().flat_map(|scenario| &scenario.not_claimed) {
        rows.push((format!("{} of {}", one.kind.as_str(), one.criterion), one.why.clone()));
    }
    if rows.is_empty() {
        return;
    }
    html.say("h3", "", "Not claimed");
    html.el("ul", &[A::Class("aside")], |html| {
        let mut room = Room(ASIDE);
        for (shown, (what, why)) in rows.iter().enumerate() {
            let mut piece = Html::default();
            piece.el("li", &[], |html| {
                html.text(what);
                html.text(" ");
                html.say("small", "", why);
            });
            if !room.take(html, &piece) {
                let more = rows.len() - shown;
                return html.say("li", "", &format!("{more} more, in requirement.md and test-matrix.json of the run"));
            }
        }
    });
}
