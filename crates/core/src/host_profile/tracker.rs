//! `tracker` and `clickup`: where results are told.

use crate::codes::Code;
use crate::document::Node;
use crate::refuse::Refusals;

use super::statuses::State;

/// Whether there is a tracker: `clickup` unless `none` is written.
pub(super) fn tracker(node: &Node, refusals: &mut Refusals<'_>) -> bool {
    refusals.word(node.get("tracker"), "tracker", &["clickup", "none"]) != Some("none")
}

/// Checks the tracker's block; without a tracker nobody reads it.
pub(super) fn clickup(node: &Node, tracked: bool, refusals: &mut Refusals<'_>) {
    if !tracked {
        if let Some(block) = node.get("clickup") {
            let message = "there is no tracker, so nothing reads this block";
            refusals.warn(Code::FieldIgnored, "clickup", block.place, message, "remove it, or write tracker: clickup");
        }
        return;
    }
    let Some(block) = refusals.map(node, "", "clickup") else { return };
    refusals.word(block.get("plan_tier"), "clickup.plan_tier", &["free", "unlimited", "business", "enterprise"]);
    refusals.text(block, "clickup", "space");
    refusals.optional_text(block, "clickup", "bug_list");
    refusals.optional_text(block, "clickup", "folder");
    match block.get("statuses") {
        None => {
            let names: Vec<&str> = State::ALL.into_iter().map(State::canonical).collect();
            let message = format!("no names of states are declared, so the tracker must have {}", names.join(", "));
            let help = "declare clickup.statuses if the tracker calls them otherwise";
            refusals.warn(Code::ProfileWeak, "clickup.statuses", block.place, message, help);
        }
        Some(statuses) if statuses.as_map().is_some() => self::statuses(statuses, refusals),
        Some(other) => refusals.not_a_map(other, "clickup.statuses"),
    }
}

fn statuses(node: &Node, refusals: &mut Refusals<'_>) {
    let path = "clickup.statuses";
    refusals.only(node, path, &State::ALL.map(State::key));
    let mut seen: Vec<(String, &str)> = Vec::new();
    for state in State::ALL {
        let Some(name) = refusals.text(node, path, state.key()) else { continue };
        let name = name.trim().to_lowercase();
        match seen.iter().find(|(other, _)| *other == name) {
            Some((_, other)) => {
                let place = node.get(state.key()).map_or(node.place, |node| node.place);
                let message = format!("one name is used for both {other} and {}", state.key());
                let help = "give each state a name of its own; case does not count";
                refusals.refuse(Code::StatusNameRepeated, path, place, message, help);
            }
            None => seen.push((name, state.key())),
        }
    }
}
