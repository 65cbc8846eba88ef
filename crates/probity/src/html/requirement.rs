//! The text of the requirement, each line that implies behaviour underlined by what became of it.

use std::collections::BTreeMap;

use probity_core::coverage::{Aside, Coverage};
use probity_core::verdict::{Status, of_tests};

use super::Page;
use super::criteria::word;
use super::write::{A, Html};

/// As many bytes of the text stand on the page.
const LARGEST: usize = 100_000;

/// What became of a source unit.
enum Fate {
    /// Criteria claim it, with the worst of their statuses and the first one's id.
    Claimed(Status, String),
    /// Put aside on purpose.
    Aside(Aside),
    /// No criterion claims it, or not all of it.
    Unmapped,
}

/// The section.
pub(super) fn requirement(page: &Page<'_>, html: &mut Html) {
    let checked = page.judged.audited().checked();
    let text = checked.requirement();
    let units = fates(page, checked.coverage());
    html.el("details", &[A::Class("fold"), A::Id("_requirement"), A::Open], |html| {
        html.say("summary", "", "Requirement text, coloured by coverage");
        html.fixed(
            "<p class=\"legend\"><span class=\"unit\" data-s=\"passed\">passed</span> <span class=\"unit\" \
             data-s=\"failed\">failed</span> <span class=\"unit\" data-s=\"inconclusive\">not shown</span> <span \
             class=\"unit aside\">not claimed</span> <span class=\"unit unmapped\">unmapped</span></p>",
        );
        html.el("pre", &[A::Class("requirement")], |html| {
            let mut at = 0;
            for ((from, to), fate) in &units {
                if *to > LARGEST || *from < at {
                    continue;
                }
                html.lines(text.get(at..*from).unwrap_or_default());
                unit(html, fate, text.get(*from..*to).unwrap_or_default());
                at = *to;
            }
            let rest = text.get(at..).unwrap_or_default();
            if rest.len() < LARGEST {
                html.lines(rest);
            } else {
                html.say("i", "", &format!("[{} bytes more, in requirement.md of the run]", rest.len()));
            }
        });
    });
}

fn unit(html: &mut Html, fate: &Fate, text: &str) {
    match fate {
        Fate::Claimed(status, id) => {
            let title = format!("{id}: {}", word(*status));
            let attributes = [A::Class("unit"), A::State(*status), A::To(id), A::Title(&title)];
            html.el("a", &attributes, |html| html.lines(text));
        }
        Fate::Aside(aside) => {
            let title = if *aside == Aside::Later { "not claimed: put off" } else { "not claimed: out of scope" };
            html.el("span", &[A::Class("unit aside"), A::Title(title)], |html| html.lines(text));
        }
        Fate::Unmapped => {
            html.el("span", &[A::Class("unit unmapped"), A::Title("no criterion claims all of it")], |html| {
                html.lines(text);
            });
        }
    }
}

/// The units with what became of each, in the order of the text.
fn fates(page: &Page<'_>, coverage: &Coverage) -> Vec<((usize, usize), Fate)> {
    let statuses: BTreeMap<&str, Status> =
        page.judged.criteria().iter().map(|criterion| (criterion.id.as_str(), criterion.status)).collect();
    let claimed = coverage.units.iter().map(|unit| {
        let mine: Vec<Status> =
            unit.matches.iter().filter_map(|found| statuses.get(found.requirement_id.as_str()).copied()).collect();
        let fate = match unit.matches.first() {
            Some(first) if unit.covered => Fate::Claimed(of_tests(&mine), first.requirement_id.to_string()),
            _ => Fate::Unmapped,
        };
        (unit.unit.span, fate)
    });
    let aside = coverage.excluded.iter().map(|unit| (unit.span, Fate::Aside(unit.aside.unwrap_or(Aside::OutOfScope))));
    let mut all: Vec<((usize, usize), Fate)> = claimed.chain(aside).collect();
    all.sort_by_key(|(span, _)| *span);
    all
}
