//! report.html: a judged run as one page for people, a function of the journal and its evidence like every view.
//!
//! One file that fetches nothing and runs nothing but its own script; captured text is text ([`mod@write`]). The first screen
//! answers what a reviewer asks in ten seconds; everything else is a scroll below. Rows and details have a bound in
//! bytes, worst first, and what is left out is said.

mod body;
mod criteria;
mod first;
mod head;
mod integrity;
mod issue;
mod requirement;
mod several;
mod steps;
mod write;

use std::collections::BTreeMap;

use probity_core::audit::Bytes;
use probity_core::judged::{Judged, Reason};
use probity_core::step::Evidence;

pub(crate) use several::{Row, several};

use crate::answer::finding::handle;
use crate::answer::site::Site;
use write::{A, Html, document};

/// A run, with what every part of its page asks for.
struct Page<'a> {
    judged: &'a Judged,
    bytes: Bytes<'a>,
    /// The run by its id: a page does not know where its folder lies.
    site: Site,
    seal: String,
    /// Reasons by the criterion that they are about.
    reasons: BTreeMap<&'a str, Vec<&'a Reason>>,
}

/// The page of a run.
pub(crate) fn page(judged: &Judged, evidence: &dyn Evidence) -> String {
    let recorded = judged.audited().recorded();
    let mut reasons: BTreeMap<&str, Vec<&Reason>> = BTreeMap::new();
    for reason in judged.reasons() {
        for subject in &reason.subjects {
            reasons.entry(subject).or_default().push(reason);
        }
    }
    let page = Page {
        judged,
        bytes: Bytes::of(recorded, evidence),
        site: Site::of_run(recorded.run()),
        seal: recorded.seal().to_string(),
        reasons,
    };
    let title = format!("{} {}", judged.status().as_str().to_uppercase(), judged.audited().checked().title());
    document(&title, |html| {
        head::bar(&page, html);
        html.el("main", &[], |html| {
            head::facts(&page, html);
            first::first(&page, html);
            criteria::criteria(&page, html);
            steps::timeline(&page, html);
            requirement::requirement(&page, html);
            integrity::integrity(&page, html);
        });
    })
}

/// A handle of evidence that leads to its step.
fn evidence_link(html: &mut Html, position: usize) {
    let handle = handle(position);
    html.el("a", &[A::Class("e"), A::To(&handle)], |html| html.text(&handle));
}

/// A text to copy: a fold whose content the script copies, and that can be marked by hand where there is no script.
fn copyable(html: &mut Html, label: &str, text: &str) {
    html.el("details", &[A::Class("copy"), A::Copy], |html| {
        html.say("summary", "", label);
        html.el("pre", &[], |html| html.lines(text));
    });
}
