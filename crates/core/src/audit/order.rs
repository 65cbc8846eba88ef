//! In which order the cases of a run were gone through. Nothing else in the derivation asks where the entries of one case
//! stand beside those of another: steps are worked out case by case, in the order of the plan.

use std::collections::{BTreeMap, BTreeSet};

use crate::checked::CheckedPlan;
use crate::codes::Code;
use crate::finding::Finding;
use crate::ids::Id;
use crate::recorded::{ActionRecord, Recorded};
use crate::walk::{Order, is_alone};

/// From its first entry to its last, by number. One that was not recorded to its end has none.
#[derive(Clone, Copy)]
struct Span {
    first: u64,
    last: u64,
}

impl Span {
    fn of(action: &ActionRecord) -> Self {
        Self { first: action.seq, last: action.ended.unwrap_or(u64::MAX) }
    }

    fn with(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

/// A case began after those had ended that it comes after; beside one that looks into logs there was no other.
pub(super) fn check(recorded: &Recorded, checked: &CheckedPlan, findings: &mut Vec<Finding>) {
    let plan = checked.plan();
    let order = Order::of(plan);
    let mut refuse =
        |message: String, seq| findings.push(Finding::integrity(Code::IntentDiffers, message).at_entry(seq));
    let cases = spans(recorded.actions().iter());
    for (case, span) in &cases {
        let Some(position) = order.position(case) else { continue };
        for before in order.before(position) {
            let before = &plan.scenarios[before].id;
            if cases.get(before).is_some_and(|before| before.last > span.first) {
                refuse(format!("{case} began before {before} had ended, after which it comes"), span.first);
            }
        }
    }
    let looks: BTreeSet<&Id> = plan.scenarios.iter().filter(|case| is_alone(case)).map(|case| &case.id).collect();
    if looks.is_empty() {
        return;
    }
    let mut generations: BTreeMap<u64, Vec<&ActionRecord>> = BTreeMap::new();
    for action in recorded.actions() {
        generations.entry(action.generation).or_default().push(action);
    }
    // A process that takes a run up finds nothing under way, so each generation stands for itself.
    for actions in generations.into_values() {
        beside(&spans(actions.into_iter()), &looks, &mut refuse);
    }
}

/// Goes through the cases of one generation as they began.
fn beside(cases: &BTreeMap<&Id, Span>, looks: &BTreeSet<&Id>, refuse: &mut dyn FnMut(String, u64)) {
    let mut cases: Vec<(&Id, Span)> = cases.iter().map(|(case, span)| (*case, *span)).collect();
    cases.sort_by_key(|(_, span)| span.first);
    // Of those so far, the one that ends last; and that of those that look into logs.
    let mut any: Option<(&Id, Span)> = None;
    let mut looking = any;
    for (case, span) in cases {
        let looks = looks.contains(case);
        let other = if looks { any } else { looking };
        if let Some((other, _)) = other.filter(|(_, other)| other.last > span.first) {
            refuse(format!("{case} began beside {other}, and one of them looks into logs"), span.first);
        }
        for kept in std::iter::once(&mut any).chain(looks.then_some(&mut looking)) {
            if kept.is_none_or(|(_, kept)| kept.last < span.last) {
                *kept = Some((case, span));
            }
        }
    }
}

fn spans<'r>(actions: impl Iterator<Item = &'r ActionRecord>) -> BTreeMap<&'r Id, Span> {
    let mut found: BTreeMap<&Id, Span> = BTreeMap::new();
    for action in actions {
        let span = Span::of(action);
        found.entry(&action.intent.scenario).and_modify(|known| *known = known.with(span)).or_insert(span);
    }
    found
}
