//! Reasons against the claim, as rows: the code, then what was noticed, then what closes it.

use probity_core::codes::Code;
use probity_core::judged::{Judged, Reason, drawn_action};
use probity_core::step::Weight;

use super::block::{Block, whose};
use crate::answer::finding::{Told, expected, told};
use crate::answer::remedy::{self, Act};
use crate::answer::site::Site;

/// Whether a reason says no more than that something kept the run from being made, which another reason names.
pub(crate) fn follows(judged: &Judged, reason: &Reason) -> bool {
    reason.step.is_none()
        && reason.code == Code::RequirementBlocked
        && judged.reasons().iter().any(|other| other.subjects.is_empty() && other.weight == Weight::Blocker)
}

/// A reason without a number: code, place, action and evidence, then the values that face each other.
pub(crate) fn reason(block: &mut Block, judged: &Judged, reason: &Reason, indent: usize) {
    let told = told(judged, reason);
    let at = told.at().filter(|_| told.step.is_some());
    let action = told.step.map(|(_, step)| drawn_action(step));
    let parts: Vec<String> = at.into_iter().chain(action).chain(told.evidence.clone()).collect();
    if parts.is_empty() {
        block.line(indent, indent + 4, &format!("{}   {}", reason.code, reason.message));
    } else {
        block.line(indent, indent + 4, &format!("{}   {}", reason.code, parts.join("   ")));
        values(block, &told, indent);
    }
}

/// `expected` and `saw`, or the sentence where no check decided.
fn values(block: &mut Block, told: &Told<'_>, indent: usize) {
    match told.check {
        Some(check) => {
            let origin = told.origin.as_ref().map_or_else(String::new, |origin| format!("    ({origin})"));
            block.row(indent, "expected", indent + 10, &format!("{}{origin}", expected(check)));
            let why = check.why.as_ref().map_or_else(String::new, |why| format!("    ({why})"));
            block.row(indent, "saw", indent + 10, &format!("{}{why}", check.saw));
        }
        None => block.line(indent, indent + 4, &told.reason.message),
    }
}

/// Every reason with its number and what closes it.
pub(crate) fn numbered(block: &mut Block, judged: &Judged, site: &Site) {
    for (position, one) in judged.reasons().iter().filter(|one| !follows(judged, one)).enumerate() {
        let told = told(judged, one);
        let about: Vec<String> = one.subjects.iter().cloned().chain(told.evidence.clone()).collect();
        let about = if about.is_empty() { String::new() } else { format!("   {}", about.join(" ")) };
        let number = format!("{}", position + 1);
        block.row(2, &number, 5, &format!("{}   {}{about}", one.code, one.message));
        if told.check.is_some() {
            values(block, &told, 7);
        }
        remedy(block, &remedy::of(judged, one, site));
    }
}

fn remedy(block: &mut Block, remedy: &remedy::Remedy) {
    let who = whose(remedy.who);
    match &remedy.act {
        Act::Command(command, note) => {
            block.paste(0, &format!("       {who:<9}{command}"));
            if !note.is_empty() {
                block.line(16, 16, note);
            }
        }
        Act::Line { file, line, text, note } => {
            let at = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
            let verb = if line.is_some() { "at" } else { "add to" };
            block.line(7, 16, &format!("{who:<9}{verb} {at}:"));
            if text.contains('\n') {
                block.paste(16, text);
            } else {
                block.line(16, 16, text);
            }
            if !note.is_empty() {
                block.line(16, 16, &format!("({note})"));
            }
        }
        Act::Person(what) => block.line(7, 16, &format!("{who:<9}{what}")),
    }
}
