//! What the run rests on, and how to check it.

use probity_core::judged::{drawn_action, evidence_id};

use super::Page;
use super::write::{A, Html, Room};
use super::{copyable, evidence_link};
use crate::answer::show::captured;
use crate::screen::verify::bytes as size;

/// Bytes of the list of evidence.
const LISTED: usize = 150_000;

/// Evidence and integrity.
pub(super) fn integrity(page: &Page<'_>, html: &mut Html) {
    evidence(page, html);
    let audited = page.judged.audited();
    let recorded = audited.recorded();
    html.el("details", &[A::Class("fold"), A::Id("_integrity"), A::Open], |html| {
        html.say("summary", "", "Integrity");
        html.el("dl", &[A::Class("facts")], |html| {
            let mut row = |name: &'static str, text: &str| {
                html.el("div", &[], |html| {
                    html.say("dt", "", name);
                    html.say("dd", "", text);
                });
            };
            row("run", recorded.run());
            row("seal", &page.seal);
            row("journal", &format!("{} entries, one chain, closed", recorded.seal().entries));
            let (count, bytes) = recorded.evidence().fold((0u64, 0u64), |(n, b), one| (n + 1, b + one.bytes));
            row("evidence", &format!("{count} pieces, {}", size(bytes)));
            row("made by", &format!("{}, derivation {}", recorded.opened().tool, recorded.opened().derivation));
            row("series", &recorded.opened().series);
            row("signature", "none: the parts agree with each other; who made them is not shown");
        });
        copyable(
            html,
            "command that checks this page",
            &format!("{} --seal {}", page.site.command("verify", ""), page.seal),
        );
        html.say(
            "p",
            "none",
            "It works the verdict out again from the journal, and compares this file with it byte for byte.",
        );
        html.el("table", &[], |html| {
            html.fixed("<thead><tr><th>sealed input<th>name<th>sha256</thead>");
            html.el("tbody", &[], |html| {
                for input in recorded.inputs().iter().take(200) {
                    html.el("tr", &[], |html| {
                        html.say("td", "", input.role.as_str());
                        html.say("td", "", &input.name);
                        html.el("td", &[], |html| html.say("code", "", &input.sha256.to_string()));
                    });
                }
            });
        });
        for finding in audited.findings().iter().take(50) {
            html.say("p", "none", &format!("{}: {}", finding.code, finding.message));
        }
    });
}

fn evidence(page: &Page<'_>, html: &mut Html) {
    let steps = page.judged.audited().steps();
    let count: usize = steps.iter().map(|step| captured(page.judged, step).len()).sum();
    html.el("details", &[A::Class("fold"), A::Id("_evidence")], |html| {
        html.say("summary", "", &format!("Evidence ({count})"));
        html.el("table", &[], |html| {
            html.fixed("<thead><tr><th>step<th>role<th>bytes<th>sha256</thead>");
            html.el("tbody", &[], |html| rows(page, html));
        });
    });
}

fn rows(page: &Page<'_>, html: &mut Html) {
    let mut room = Room(LISTED);
    for (position, step) in page.judged.audited().steps().iter().enumerate() {
        let mut piece = Html::default();
        for one in captured(page.judged, step) {
            piece.el("tr", &[], |html| {
                html.el("td", &[A::Title(&drawn_action(page.judged.step(position).1))], |html| {
                    evidence_link(html, position);
                });
                html.say("td", "", &one.role);
                html.say("td", "", &one.bytes.to_string());
                html.el("td", &[], |html| html.say("code", "", &one.sha256.to_string()));
            });
        }
        if !room.take(html, &piece) {
            let text = format!("from {} on: evidence-ledger.json of the run", evidence_id(position));
            return html.el("tr", &[], |html| html.say("td", "", &text));
        }
    }
}
