//! `shows`: obligations of a step beyond its expectations (plan.md rule 7).

use super::expect::Out;
use super::fields::{Fields, Writing, shown};
use super::reference::{Spot, data};
use crate::codes::Code;
use crate::document::{Node, Place, Value};
use crate::nearest::nearest;
use crate::plan::ObligationKind;

/// The obligations that a step declares: kind and seed-form map, in written order.
pub(super) fn obligations(node: &Node, w: &mut Writing) -> Vec<(ObligationKind, Node)> {
    match &node.value {
        Value::List(items) => items.iter().flat_map(|item| one(item, w)).collect(),
        _ => one(node, w),
    }
}

fn one(node: &Node, w: &mut Writing) -> Vec<(ObligationKind, Node)> {
    match &node.value {
        Value::Text(name) => kind(name, node.place, w)
            .map(|kind| (kind, Node::map(vec![("kind", node.clone())], node.place)))
            .into_iter()
            .collect(),
        Value::Map(pairs) => pairs
            .iter()
            .filter_map(|(key, detail)| {
                let kind = kind(&key.name, key.place, w)?;
                let mut out: Out = vec![("kind", Node::text(key.name.to_string(), key.place))];
                details(detail, &format!("`shows.{}`", kind.as_str()), &mut out, w);
                Some((kind, Node::map(out, node.place)))
            })
            .collect(),
        _ => {
            w.wrong_type(node, "`shows`", "a kind, a map of a kind to its details, or a list of them");
            Vec::new()
        }
    }
}

fn details(node: &Node, what: &str, out: &mut Out, w: &mut Writing) {
    let Some(fields) = Fields::of(node, what, &["path", "values", "of"], w) else { return };
    out.extend(fields.get("path").map(|node| ("path", node.clone())));
    out.extend(fields.get("values").map(|node| ("values", listed(data(node, Spot::Data, w)))));
    out.extend(fields.get("of").map(|node| ("of", listed(node.clone()))));
}

/// A list; a single value stands for a list of one.
fn listed(node: Node) -> Node {
    match node.value {
        Value::List(_) => node,
        _ => Node { place: node.place, value: Value::List(vec![node]) },
    }
}

fn kind(name: &str, place: Place, w: &mut Writing) -> Option<ObligationKind> {
    let found = ObligationKind::parse(name);
    if found.is_none() {
        let names = ObligationKind::ALL.map(ObligationKind::as_str);
        let known = format!("known: {}", names.join(", "));
        let help = nearest(name, names).map_or(known.clone(), |near| format!("did you mean `{near}`? {known}"));
        w.error(Code::ValueOutOfRange, place, format!("`{}` is nothing that a step can show", shown(name)), help);
    }
    found
}
