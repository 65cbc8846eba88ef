//! The step summary: Markdown, inert, and never larger than the host takes.

use probity_core::inert::{fence, markdown, shortened};
use probity_core::judged::{Judged, Reason, drawn_action};
use probity_core::verdict::Status;
use probity_core::verify::Verified;

use super::Outcome;
use crate::answer::attempt::attempt;
use crate::answer::finding::{expected, told};
use crate::answer::{ASSURANCE, facts};
use crate::engine::Finished;
use crate::screen::gaps::follows;
use crate::screen::run::{counted, strength_words, subject_words};

/// As many characters of one text.
const LONGEST: usize = 600;
/// What is kept for the line that says what was left out.
const KEPT: usize = 200;

/// The summary in at most so many bytes: whole pieces, the worst first, and then what was left out.
pub(super) fn summary(outcome: &Outcome<'_>, largest: usize) -> String {
    let mut text = String::new();
    let mut left_out = 0;
    for (name, done) in &outcome.runs {
        for piece in pieces(name, done) {
            if left_out > 0 || text.len() + piece.len() + KEPT > largest {
                left_out += 1;
            } else {
                text.push_str(&piece);
            }
        }
    }
    if left_out > 0 {
        let line = format!("\n{left_out} more parts are left out for size; the reports of the runs have them.\n");
        if text.len() + line.len() <= largest {
            text.push_str(&line);
        }
    }
    text
}

/// The head of a run, then one piece a reason.
fn pieces(name: &str, done: &Finished) -> Vec<String> {
    let verified = &done.verified;
    let Some(judged) = verified.judged.as_ref().filter(|_| verified.is_intact() && verified.closed) else {
        return vec![format!("### NO VERDICT {}\n\nThe run is not intact: see `probity verify`.\n\n", markdown(name))];
    };
    let mut all = vec![head(judged, verified)];
    all.extend(judged.reasons().iter().filter(|reason| !follows(judged, reason)).map(|one| reason(judged, one)));
    all
}

fn head(judged: &Judged, verified: &Verified) -> String {
    let checked = judged.audited().checked();
    let environment = checked.environment();
    let seal = verified.seal.as_ref().map(ToString::to_string).unwrap_or_default();
    let run = judged.audited().recorded().run();
    let origin = environment.origins.first().map(ToString::to_string).unwrap_or_default();
    let named = environment.name.as_deref().unwrap_or("not declared");
    let aside = checked.matrix().out_of_scope.len() + checked.matrix().later.len();
    let rows = [
        ("environment", format!("{named} {origin}, {} data", environment.data.as_deref().unwrap_or("undeclared"))),
        ("subject", subject_words(judged)),
        ("strength", strength_words(judged)),
        ("not claimed", format!("{aside} of the requirement's lines")),
        ("run", run.to_owned()),
    ];
    let mut text = format!(
        "### {} {}\n\n{}; {ASSURANCE}; {}\n\n| | |\n|---|---|\n",
        judged.status().as_str().to_uppercase(),
        inline(checked.title()),
        counted(judged),
        attempt(judged)
    );
    for (name, value) in rows {
        text.push_str(&format!("| {name} | {} |\n", inline(&value)));
    }
    text.push_str(&format!("| seal | `{seal}` |\n\n"));
    let failed = facts::criteria(judged).into_iter().filter(|(criterion, _)| criterion.status != Status::Passed);
    for (criterion, planned) in failed.take(50) {
        let word = criterion.status.as_str().to_uppercase();
        text.push_str(&format!("* **{word}** {} {}\n", criterion.id, inline(&planned.text)));
    }
    text.push('\n');
    text
}

fn reason(judged: &Judged, reason: &Reason) -> String {
    let told = told(judged, reason);
    let at = told.at().map(|at| format!(" {}", inline(&at))).unwrap_or_default();
    let action = told.step.map(|(_, step)| format!(" {}", inline(&drawn_action(step)))).unwrap_or_default();
    let about = if reason.subjects.is_empty() { "the run".to_owned() } else { inline(&reason.subjects.join(" ")) };
    let said = match told.check {
        Some(check) => {
            let origin = told.origin.as_ref().map(|origin| format!("    ({origin})")).unwrap_or_default();
            format!("expected  {}{origin}\nsaw       {}", expected(check), check.saw)
        }
        None => reason.message.clone(),
    };
    format!("`{}`{at}{action}, about {about}\n\n{}\n", reason.code, fence(&shortened(&said, 3 * LONGEST)))
}

fn inline(text: &str) -> String {
    markdown(&shortened(text, LONGEST))
}
