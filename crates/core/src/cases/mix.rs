//! `scenario_mix`: which kinds of case a feature has, and why not the others.

use std::collections::BTreeSet;

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::refuse::{Refusals, join};

/// The slots, and the type of case that fills each.
const SLOTS: [(&str, &str); 5] = [
    ("happy", "happy"),
    ("negative", "negative"),
    ("boundary", "edge"),
    ("permission", "permission"),
    ("data-validation", "data-validation"),
];

/// Checks the mix against the types that occur.
pub(super) fn scenario_mix(node: &Node, types: &BTreeSet<&str>, refusals: &mut Refusals<'_>) {
    let path = "scenario_mix";
    let Some(mix) = refusals.map(node, "", path) else { return };
    refusals.only(mix, path, &SLOTS.map(|(slot, _)| slot));
    for (slot, kind) in SLOTS {
        let subject = join(path, slot);
        let has = types.contains(kind);
        match mix.get(slot).map(|node| (&node.value, node)) {
            None => {
                let help = "write covered, or {n_a: the reason}";
                refusals.refuse(Code::MissingField, &subject, mix.place, format!("{slot} is missing"), help);
            }
            Some((Value::Text(word), node)) if word == "covered" => {
                if !has {
                    let message = format!("no case is of type {kind}");
                    let help = "add one, or write {n_a: the reason}";
                    refusals.refuse(Code::ScenarioMixUnmet, &subject, node.place, message, help);
                }
            }
            Some((Value::Map(pairs), node)) if pairs.len() == 1 && node.get("n_a").is_some() => {
                refusals.text(node, &subject, "n_a");
                if has {
                    let message = format!("a case is of type {kind}, and the mix says that there is none");
                    refusals.refuse(Code::ScenarioMixUnmet, &subject, node.place, message, "write covered");
                }
            }
            Some((_, node)) => {
                let message = "this is neither covered nor {n_a: the reason}";
                refusals.refuse(Code::ValueOutOfRange, &subject, node.place, message, "write one of the two");
            }
        }
    }
}
