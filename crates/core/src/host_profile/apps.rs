//! `apps` and `cross_app`: the frontends of a project.

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::refuse::Refusals;

/// Greatest time that a change may take from one app to another, in seconds.
const LONGEST_WINDOW: u64 = 600;

/// Checks the apps.
pub(super) fn apps(node: &Node, refusals: &mut Refusals<'_>) {
    let Some(apps) = refusals.map(node, "", "apps") else { return };
    let pairs = apps.as_map().unwrap_or_default();
    if pairs.is_empty() {
        refusals.refuse(Code::ValueOutOfRange, "apps", apps.place, "no app is declared", "declare at least one");
    }
    for (name, app) in pairs {
        let path = format!("apps.{}", name.name);
        if app.as_map().is_none() {
            refusals.not_a_map(app, &path);
            continue;
        }
        for key in ["framework", "spec_dir", "repo"] {
            refusals.text(app, &path, key);
        }
    }
}

/// Whether the profile declares the app.
pub(super) fn declares(node: &Node, app: &str) -> bool {
    node.get("apps").is_some_and(|apps| apps.get(app).is_some())
}

/// How many apps the profile declares.
pub(super) fn count(node: &Node) -> usize {
    node.get("apps").and_then(Node::as_map).map_or(0, <[_]>::len)
}

/// Checks the block that more than one app needs; with one app nobody reads it.
pub(super) fn cross_app(node: &Node, refusals: &mut Refusals<'_>) {
    if count(node) < 2 {
        return;
    }
    let Some(cross) = refusals.map(node, "", "cross_app") else { return };
    let window = cross.get("propagation_window_s");
    let fits = match window.map(|node| &node.value) {
        Some(Value::Number(number)) => number.as_u64().is_some_and(|s| (1..=LONGEST_WINDOW).contains(&s)),
        _ => false,
    };
    if !fits {
        let place = window.map_or(cross.place, |node| node.place);
        let message = format!("the window is no whole number of seconds from 1 to {LONGEST_WINDOW}");
        let help = "write how long a change may take from one app to another";
        refusals.refuse(Code::ValueOutOfRange, "cross_app.propagation_window_s", place, message, help);
    }
    if let Some(home) = refusals.text(cross, "cross_app", "spec_home")
        && !declares(node, home)
    {
        let place = cross.get("spec_home").map_or(cross.place, |node| node.place);
        let message = "the app that holds the specs is not declared";
        refusals.refuse(Code::ValueOutOfRange, "cross_app.spec_home", place, message, "name one under apps");
    }
}
