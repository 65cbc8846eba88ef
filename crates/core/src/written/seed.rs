//! Seed-form steps among written ones: they pass through, but for the reference tool's spellings of references.
//!
//! An expanded plan holds `$var`, `$env` and `$template` alone, so that `{env: prod}` in a written body stays data. In a
//! seed-form step `{"env": "NAME"}` is a reference; here it gets its dollar sign, in the places where values stand. Keys
//! of assertions are paths and names that a step saves are names, whatever they are called.

use super::fields::Writing;
use super::reference::each;
use crate::codes::Code;
use crate::document::{Key, Node, Value};

/// The value of one field of a seed-form step.
pub(super) fn field(name: &str, node: &Node, w: &mut Writing) -> Node {
    match name {
        "json" | "body" | "stdin" | "command" | "cmd" => dollar(node, w),
        "headers" | "query" | "form" | "env" | "auth" => values(node, w),
        // `expectJsonAny` is a list of maps of paths, other lists hold values.
        _ if name.starts_with("expect") && name.ends_with("Any") => match &node.value {
            Value::List(items) => {
                Node::new(Value::List(items.iter().map(|item| values(item, w)).collect()), node.place)
            }
            _ => values(node, w),
        },
        _ if name.starts_with("expect") && node.as_map().is_some() => values(node, w),
        _ if name.starts_with("expect") => dollar(node, w),
        _ => node.clone(),
    }
}

/// A map whose keys are names or paths.
fn values(node: &Node, w: &mut Writing) -> Node {
    match node.as_map() {
        Some(pairs) => each(pairs, node, |value| dollar(value, w)),
        None => node.clone(),
    }
}

/// A value with every reference in it written with a dollar sign.
fn dollar(node: &Node, w: &mut Writing) -> Node {
    match &node.value {
        Value::List(items) => Node::new(Value::List(items.iter().map(|item| dollar(item, w)).collect()), node.place),
        Value::Map(pairs) => match reference(pairs) {
            Some((key, value)) if pairs.len() == 1 => Node::new(
                Value::Map(vec![(Key { name: format!("${}", key.name).into(), ..*key }, value.clone())]),
                node.place,
            ),
            Some((key, _)) => {
                let message = format!("the reference `{}` has details beside it", key.name);
                w.error(Code::NotSupported, node.place, message, "write {\"$template\": \"prefix{name}suffix\"}");
                node.clone()
            }
            None => each(pairs, node, |value| dollar(value, w)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => node.clone(),
    }
}

/// The pair that makes a map a reference of the reference tool: a kind, and at most details of it.
fn reference(pairs: &[(Key, Node)]) -> Option<&(Key, Node)> {
    let kind = |name: &str| matches!(name, "var" | "env" | "template");
    let detail = |name: &str| matches!(name, "prefix" | "suffix" | "json" | "encodeVars");
    let (kinds, rest): (Vec<_>, Vec<_>) = pairs.iter().partition(|(key, _)| kind(&key.name));
    match kinds.as_slice() {
        [pair] if pair.1.as_text().is_some() && rest.iter().all(|(key, _)| detail(&key.name)) => Some(pair),
        _ => None,
    }
}
