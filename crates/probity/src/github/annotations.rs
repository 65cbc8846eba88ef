//! Annotations: what forbids the claim, at the line of the plan that it is about.

use probity_core::inert::{inert, shortened};
use probity_core::judged::{Judged, Reason};
use probity_core::step::Weight;

use super::Outcome;
use crate::answer::finding::{expected, told};
use crate::screen::gaps::follows;

/// As many annotations of one kind the host shows for a step.
const MOST: usize = 10;
/// As many characters of one text.
const LONGEST: usize = 600;

/// The commands; `place` gives a file's name below the checked-out tree.
pub(super) fn annotations(outcome: &Outcome<'_>, place: &dyn Fn(&str) -> Option<String>) -> String {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for (name, done) in &outcome.runs {
        match done.verified.judged.as_ref().filter(|_| done.verified.is_intact()) {
            Some(judged) => {
                for reason in judged.reasons().iter().filter(|reason| !follows(judged, reason)) {
                    let kind = if reason.weight == Weight::Gap { &mut warnings } else { &mut errors };
                    kind.push((judged, reason));
                }
            }
            None => return command("error", &[("title", name.clone())], "the run is not intact: see probity verify"),
        }
    }
    let errors = of_kind("error", &errors, place);
    errors + &of_kind("warning", &warnings, place)
}

/// At most so many of a kind; the last says how many more there are.
fn of_kind(kind: &str, found: &[(&Judged, &Reason)], place: &dyn Fn(&str) -> Option<String>) -> String {
    let shown = if found.len() > MOST { MOST - 1 } else { found.len() };
    let mut text: String = found[..shown].iter().map(|(judged, reason)| one(kind, judged, reason, place)).collect();
    if found.len() > shown {
        let message = format!("{} more: see the summary of this step, or probity why", found.len() - shown);
        text.push_str(&command(kind, &[("title", "probity".to_owned())], &message));
    }
    text
}

fn one(kind: &str, judged: &Judged, reason: &Reason, place: &dyn Fn(&str) -> Option<String>) -> String {
    let told = told(judged, reason);
    let about = if reason.subjects.is_empty() {
        judged.audited().checked().title().to_owned()
    } else {
        reason.subjects.join(" ")
    };
    let mut properties = vec![("title", format!("{about}: {}", reason.code))];
    if let Some(at) = told.place
        && let Some(file) = place(told.file)
    {
        properties.extend([("file", file), ("line", at.line.to_string()), ("col", at.column.to_string())]);
    }
    let message = match told.check {
        Some(check) => format!("expected {}, saw {}", expected(check), check.saw),
        None => reason.message.clone(),
    };
    command(kind, &properties, &message)
}

/// A workflow command. What would end it, or a property of it, is escaped as the host says; what is invisible is drawn.
fn command(kind: &str, properties: &[(&str, String)], message: &str) -> String {
    let drawn =
        |text: &str| inert(&shortened(text, LONGEST)).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let properties: Vec<String> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", drawn(value).replace(':', "%3A").replace(',', "%2C")))
        .collect();
    format!("::{kind} {}::{}\n", properties.join(","), drawn(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        let hostile = "a,line=1::b%0A\r\n::error::c\u{202e}\u{1b}";
        let text = command("error", &[("title", hostile.to_owned()), ("file", "p:1".to_owned())], hostile);
        assert_eq!(text.lines().count(), 1);
        let (head, message) = text.trim_end().split_once("::").unwrap().1.split_once("::").unwrap();
        assert_eq!(head, "error title=a%2Cline=1%3A%3Ab%250A\\r\\n%3A%3Aerror%3A%3Ac\\u{202e}\\x1b,file=p%3A1");
        assert_eq!(message, "a,line=1::b%250A\\r\\n::error::c\\u{202e}\\x1b");
    }
}
