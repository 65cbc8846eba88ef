//! The verdict in at most six lines of Markdown, for an issue or a comment; everything captured in it is inert.

use probity_core::inert::{markdown, shortened};
use probity_core::judged::Reason;
use probity_core::verdict::Status;

use super::Page;
use crate::answer::facts;
use crate::answer::finding::{expected, told};
use crate::screen::run::{counted, strength_words, subject_words};

/// As many characters of one text.
const LONGEST: usize = 200;

/// The lines.
pub(super) fn lines(page: &Page<'_>) -> String {
    let judged = page.judged;
    let checked = judged.audited().checked();
    let word = judged.status().as_str().to_uppercase();
    let mut lines = vec![format!("**{word}** {}: {}", inert(checked.title()), counted(judged))];
    if judged.status() == Status::Passed {
        lines.push(inert(&strength_words(judged)));
        lines.extend(checked.matrix().out_of_scope.first().map(|row| format!("Not claimed: {}", inert(&row.text))));
    } else {
        let rows = facts::criteria(judged);
        let failing = rows.first().filter(|(criterion, _)| criterion.status == Status::Failed);
        lines.extend(failing.map(|(criterion, planned)| format!("{}: {}", criterion.id, inert(&planned.text))));
        let mine = failing.and_then(|(criterion, _)| page.reasons.get(criterion.id.as_str())?.first().copied());
        lines.extend(
            mine.or_else(|| judged.reasons().first()).into_iter().flat_map(|reason| reason_lines(page, reason)),
        );
    }
    let environment = checked.environment();
    let origin = environment.origins.first().map(ToString::to_string).unwrap_or_default();
    let named = environment.name.as_deref().unwrap_or("an undeclared environment");
    let data = environment.data.as_deref().unwrap_or("undeclared");
    lines.push(inert(&format!("On {named} {origin}, {data} data; {}", subject_words(judged))));
    lines.push(format!("Check it: `{} --seal {}` (unsigned)", page.site.command("verify", ""), page.seal));
    lines.join("\n")
}

fn reason_lines(page: &Page<'_>, reason: &Reason) -> Vec<String> {
    let told = told(page.judged, reason);
    let evidence = told.evidence.first().map(|handle| format!(" ({handle})")).unwrap_or_default();
    match told.check {
        Some(check) => vec![
            format!("Expected {}", inert(&expected(check))),
            format!("Saw {}{evidence}, `{}`", inert(&check.saw), reason.code),
        ],
        None => vec![format!("`{}` {}{evidence}", reason.code, inert(&reason.message))],
    }
}

fn inert(text: &str) -> String {
    markdown(&shortened(text, LONGEST))
}
