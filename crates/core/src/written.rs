//! The written form of a plan, and its expansion into the seed form (plan.md, "Rules" and "Expansion").
//!
//! People write requirement, cases and steps in one document. Engine and derivation know the reference harness's three:
//! requirement.md, the matrix, and the plan. [`expand`] makes them from the written document alone, so that anyone can
//! make them again and compare. Every node keeps the place of what it was made from: what a later check finds in the
//! expansion points at the written line.

mod cases;
mod expect;
mod fields;
mod http;
mod log;
mod mapping;
mod measure;
mod reference;
mod requirement;
mod run;
mod seed;
mod show;
mod step;

#[cfg(test)]
pub(crate) mod tests;

use crate::codes::Code;
use crate::diagnostic::Diagnostics;
use crate::document::{Node, Value};
use fields::{Fields, Writing};

/// The seed form of a written plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// requirement.md: title, source, a line for each criterion, and what is not claimed.
    pub requirement: String,
    /// The matrix, as [`crate::matrix`] has it. [`Node::pretty`] of it is what is sealed.
    pub matrix: Node,
    /// The plan, as [`crate::plan`] has it. [`Node::pretty`] of it is what is sealed.
    pub plan: Node,
}

const FIELDS: [&str; 7] = ["schemaVersion", "requirement", "environment", "vars", "grants", "mutation", "cases"];

/// Whether a document is a written plan; otherwise it may be one of the seed form's.
#[must_use]
pub fn is_written(node: &Node) -> bool {
    node.get("cases").is_some() || node.get("requirement").is_some_and(|node| node.as_map().is_some())
}

/// Expands a written plan.
///
/// All that is wrong is reported, not only the first. `Some` may come with errors: what could be read is still expanded,
/// so that the decoder's findings can be told in the same breath; ask [`Diagnostics::has_errors`] before using it. Fields
/// that are only moved (`record`, `tls`, `grants`, …) are judged by the decoder alone.
#[must_use]
pub fn expand(node: &Node, diags: &mut Diagnostics) -> Option<Expanded> {
    let w = &mut Writing::new(diags);
    let fields = Fields::of(node, "a plan", &FIELDS, w)?;
    let version = fields.get("schemaVersion");
    if version.is_none_or(|node| !matches!(&node.value, Value::Number(token) if token.token() == "2")) {
        let place = version.map_or(node.place, |node| node.place);
        w.error(Code::SchemaVersion, place, "the plan does not say `schemaVersion: 2`", "write `schemaVersion: 2`");
    }
    let requirement = fields.need("requirement", "a plan", w).and_then(|node| requirement::read(node, w));
    let cases = fields.need("cases", "a plan", w).and_then(|node| w.list(node, "cases"));
    let vars = fields.get("vars").map(|node| constants(node, w));
    let requirement = requirement?;
    let cases = cases::read(cases?, &requirement, w);

    let place = node.place;
    let list = |items| Node::new(Value::List(items), place);
    let version = version.map_or(place, |node| node.place);
    let version = requirement::number(2, version);
    let (own, rows) = requirement.rows(&cases.test_ids);
    let mut matrix = vec![("schemaVersion", version.clone())];
    matrix.extend(own);
    matrix.push(("requirements", list(rows)));
    matrix.push(("tests", list(cases.tests)));
    matrix.extend(requirement.excluded());

    let mut plan = vec![("schemaVersion", version)];
    plan.extend(fields.get("environment").map(|node| ("environment", node.clone())));
    plan.extend(vars.map(|node| ("vars", node)));
    plan.extend(fields.get("grants").map(|node| ("grants", node.clone())));
    plan.extend(fields.get("mutation").map(|node| ("mutation", node.clone())));
    plan.push(("scenarios", list(cases.scenarios)));
    let (matrix, plan) = (Node::map(matrix, place), Node::map(plan, place));
    Some(Expanded { requirement: requirement.document, matrix, plan })
}

/// `vars`: constants. A reference inside one would make it depend on the run.
fn constants(node: &Node, w: &mut Writing) -> Node {
    let made = reference::named(node, reference::Spot::Data, w);
    if let Some(pairs) = made.as_map() {
        for (_, value) in pairs.iter().filter(|(_, value)| refers(value)) {
            let help = "write it out; a literal `{` is `{{`";
            w.error(Code::ReferenceMalformed, value.place, "a constant under vars refers to a variable", help);
        }
    }
    made
}

fn refers(node: &Node) -> bool {
    match &node.value {
        Value::List(items) => items.iter().any(refers),
        Value::Map(pairs) => pairs.iter().any(|(key, value)| key.name.starts_with('$') || refers(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => false,
    }
}
