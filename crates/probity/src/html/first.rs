//! What a reader came for, in the place where they look first: the failure, the gaps, or how much stands behind a pass.

use probity_core::judged::{Judged, Reason, drawn_action};
use probity_core::step::Weight;
use probity_core::verdict::Status;

use super::write::{A, Html};
use super::{Page, copyable, criteria, evidence_link, issue, steps};
use crate::answer::facts;
use crate::answer::finding::{expected, maker, told};
use crate::answer::remedy::{self, Act};
use crate::answer::show::curl_of;
use crate::screen::block::whose;
use crate::screen::gaps::follows;
use crate::screen::run::strength_words;

/// As many reasons stand one by one.
const REASONS: usize = 50;
/// As many bytes of a body stand in a card.
const CARD: usize = 1500;

/// The block.
pub(super) fn first(page: &Page<'_>, html: &mut Html) {
    let status = page.judged.status();
    html.el("section", &[A::Class("first"), A::State(status)], |html| {
        match status {
            Status::Passed => {
                html.say("h2", "", "What stands behind it");
                html.say("p", "strength", &strength_words(page.judged));
                criteria::not_claimed(page, html);
            }
            Status::Failed => failed(page, html),
            Status::Blocked | Status::Inconclusive | Status::Untested => {
                html.say("h2", "", why_title(page.judged));
                let all: Vec<&Reason> = page.judged.reasons().iter().filter(|one| !follows(page.judged, one)).collect();
                why(page, html, &all);
            }
        }
        copyable(html, "copy for the issue", &issue::lines(page));
    });
}

fn why_title(judged: &Judged) -> &'static str {
    let acted = judged.audited().steps().iter().any(|step| step.observation.is_some());
    match judged.status() {
        Status::Blocked if !acted => "Why nothing was tested (this says nothing about the product: no answer was seen)",
        Status::Blocked => "What kept criteria from being tested",
        _ => "What forbids a claim",
    }
}

/// The first failing criterion. What is about the run itself comes before it: nothing may be said of the product
/// before the environment is settled.
fn failed(page: &Page<'_>, html: &mut Html) {
    let of_run: Vec<&Reason> = page.judged.reasons().iter().filter(|reason| reason.subjects.is_empty()).collect();
    if !of_run.is_empty() {
        html.say("h2", "", "First, about the run itself");
        why(page, html, &of_run);
    }
    let rows = facts::criteria(page.judged);
    let Some((criterion, planned)) = rows.first() else { return };
    html.el("h2", &[A::State(criterion.status)], |html| {
        html.el("a", &[A::To(criterion.id.as_str())], |html| html.text(criterion.id.as_str()));
        html.text(" ");
        html.text(&planned.text);
        html.text(" ");
        html.say("small", "", &format!("needs {}", planned.needs.join(" ")));
    });
    let reasons = page.reasons.get(criterion.id.as_str());
    let reason = reasons.and_then(|all| all.iter().find(|one| one.weight == Weight::Fail).or_else(|| all.first()));
    match reason {
        Some(reason) => facing(page, html, reason),
        None => html.say("p", "", &criterion.notes.join("; ")),
    }
}

/// The values that face each other, and the exchanges behind them side by side.
fn facing(page: &Page<'_>, html: &mut Html, reason: &Reason) {
    values(page.judged, html, reason, true);
    let told = told(page.judged, reason);
    if let Some(position) = reason.step {
        let source =
            told.step.zip(told.check).and_then(|((scenario, step), check)| maker(page.judged, scenario, step, check));
        html.el("div", &[A::Class("cards")], |html| {
            for position in source.into_iter().filter(|source| *source != position).chain([position]) {
                card(page, html, position);
            }
        });
    }
}

fn card(page: &Page<'_>, html: &mut Html, position: usize) {
    html.el("div", &[A::Class("card"), A::State(steps::state(page.judged, position))], |html| {
        html.el("p", &[A::Class("line")], |html| {
            evidence_link(html, position);
            html.text(" ");
            html.say("code", "", &drawn_action(page.judged.step(position).1));
            html.text(" ");
            html.say("span", "r", &steps::result(page.judged, position));
        });
        steps::exchange(page, html, position, CARD, false);
        if let Some(line) = curl_of(&page.judged.audited().steps()[position]) {
            copyable(html, "curl", &line);
        }
    });
}

/// The values of a reason that face each other, or its sentence; `linked` to the step on the same page.
pub(super) fn values(judged: &Judged, html: &mut Html, reason: &Reason, linked: bool) {
    let told = told(judged, reason);
    html.el("p", &[A::Class("line")], |html| {
        html.say("b", "code", reason.code.as_str());
        html.text(" ");
        if let Some(at) = told.at() {
            html.say("code", "", &at);
            html.text(" ");
        }
        if let Some(position) = reason.step.filter(|_| linked) {
            evidence_link(html, position);
        }
    });
    let Some(check) = told.check else { return html.say("p", "", &reason.message) };
    html.el("dl", &[A::Class("facing")], |html| {
        html.say("dt", "", "expected");
        html.el("dd", &[], |html| {
            html.say("code", "", &expected(check));
            if let Some(origin) = &told.origin {
                html.text(&format!(" ({origin})"));
            }
        });
        html.say("dt", "", "saw");
        html.el("dd", &[A::State(Status::Failed)], |html| {
            html.say("code", "", &check.saw);
            if let Some(why) = &check.why {
                html.text(&format!(" ({why})"));
            }
        });
    });
}

/// Reasons with their numbers and with what closes each.
fn why(page: &Page<'_>, html: &mut Html, reasons: &[&Reason]) {
    html.el("ol", &[A::Class("why")], |html| {
        for reason in reasons.iter().take(REASONS) {
            html.el("li", &[], |html| {
                values(page.judged, html, reason, true);
                if !reason.subjects.is_empty() {
                    html.el("p", &[], |html| {
                        html.text("about");
                        for id in reason.subjects.iter().take(20) {
                            html.text(" ");
                            html.el("a", &[A::To(id)], |html| html.text(id));
                        }
                    });
                }
                remedy(html, &remedy::of(page.judged, reason, &page.site));
            });
        }
    });
    if reasons.len() > REASONS {
        html.say("p", "none", &format!("{} more: {}", reasons.len() - REASONS, page.site.command("why", "")));
    }
}

fn remedy(html: &mut Html, remedy: &remedy::Remedy) {
    html.el("div", &[A::Class("remedy")], |html| {
        html.say("b", "", whose(remedy.who));
        html.text(" ");
        match &remedy.act {
            Act::Command(command, note) => {
                html.say("code", "", command);
                html.say("p", "none", note);
            }
            Act::Line { file, line, text, note } => {
                let at = line.map_or_else(|| format!("add to {file}:"), |line| format!("at {file}:{line}:"));
                html.text(&at);
                html.el("pre", &[], |html| html.lines(text));
                html.say("p", "none", note);
            }
            Act::Person(what) => html.text(what),
        }
    });
}
