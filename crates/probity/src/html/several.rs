//! One page over several runs: one row a requirement, its runs below it.

use std::collections::BTreeMap;

use probity_core::ids::Digest;
use probity_core::judged::Judged;
use probity_core::verdict::Status;

use super::criteria::word;
use super::head::{TOOLS, time};
use super::write::{A, Html, document};
use crate::answer::attempt::attempt;
use crate::screen::run::{counted, weakening};

/// The order in which requirements stand.
const WORST_FIRST: [Status; 5] =
    [Status::Failed, Status::Blocked, Status::Inconclusive, Status::Untested, Status::Passed];

/// A run of the page.
pub(crate) struct Row<'a> {
    /// The run.
    pub judged: &'a Judged,
    /// Where its folder lies, as it was named.
    pub dir: String,
}

/// The page.
pub(crate) fn several(rows: &[Row<'_>]) -> String {
    let mut requirements: BTreeMap<Digest, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows {
        let text = row.judged.audited().checked().requirement();
        requirements.entry(Digest::of(text.as_bytes())).or_default().push(row);
    }
    let mut groups: Vec<(Status, Vec<&Row<'_>>)> =
        requirements.into_values().map(|runs| (worst(&runs), runs)).collect();
    groups.sort_by_key(|(status, runs)| {
        (WORST_FIRST.iter().position(|one| one == status), runs[0].judged.audited().checked().title().to_owned())
    });
    let all: Vec<Status> = groups.iter().map(|(status, _)| *status).collect();
    let whole = worst_of(&all);
    let counts: Vec<String> = WORST_FIRST
        .iter()
        .map(|status| (all.iter().filter(|one| *one == status).count(), status.as_str()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    let noun = if groups.len() == 1 { "requirement" } else { "requirements" };
    let title = format!("{} {} {noun}", whole.as_str().to_uppercase(), groups.len());
    document(&title, |html| {
        html.el("header", &[A::State(whole)], |html| {
            html.el("div", &[A::Class("bar")], |html| {
                html.el("h1", &[], |html| {
                    html.say("b", "verdict", &whole.as_str().to_uppercase());
                    html.text(&format!(" {} {noun} in {} runs", groups.len(), rows.len()));
                });
                html.say("p", "lead", &counts.join(", "));
            });
        });
        html.el("main", &[], |html| {
            html.el("section", &[], |html| {
                html.fixed(TOOLS);
                for (status, runs) in &groups {
                    requirement(html, *status, runs);
                }
            });
        });
    })
}

/// The newest run in each environment counts; of those the worst.
fn worst(runs: &[&Row<'_>]) -> Status {
    let mut newest: BTreeMap<&str, &Row<'_>> = BTreeMap::new();
    for row in runs {
        let opened = row.judged.audited().recorded().opened();
        let last = newest.entry(&opened.series).or_insert(row);
        if opened.attempt >= last.judged.audited().recorded().opened().attempt {
            *last = row;
        }
    }
    worst_of(&newest.values().map(|row| row.judged.status()).collect::<Vec<_>>())
}

fn worst_of(statuses: &[Status]) -> Status {
    WORST_FIRST.into_iter().find(|status| statuses.contains(status)).unwrap_or(Status::Untested)
}

fn requirement(html: &mut Html, status: Status, runs: &[&Row<'_>]) {
    let title = runs[0].judged.audited().checked().title();
    html.el("details", &[A::Class("row"), A::State(status), A::Open], |html| {
        html.el("summary", &[], |html| {
            html.say("b", "", &word(status));
            html.el("span", &[], |html| html.text(title));
            html.say("u", "", &if runs.len() == 1 { "1 run".to_owned() } else { format!("{} runs", runs.len()) });
        });
        for row in runs {
            run(html, row);
        }
    });
}

fn run(html: &mut Html, row: &Row<'_>) {
    let judged = row.judged;
    let recorded = judged.audited().recorded();
    let environment = judged.audited().checked().environment();
    html.el("div", &[A::Class("card"), A::State(judged.status())], |html| {
        html.el("p", &[A::Class("line")], |html| {
            html.say("b", "", &word(judged.status()));
            html.text(&format!(
                " on {}; {}; {}; {}; {}; unsigned",
                environment.name.as_deref().unwrap_or("an undeclared environment"),
                counted(judged),
                time(judged),
                attempt(judged),
                weakening(judged)
            ));
        });
        if let Some(reason) = judged.reasons().first() {
            super::first::values(judged, html, reason, false);
        }
        html.el("p", &[A::Class("none")], |html| {
            html.say("code", "", &row.dir);
            html.text(&format!(" seal {}", recorded.seal()));
        });
    });
}
