//! References in written values: `"{name}"` becomes `{"$var": name}`, longer text `{"$template": text}` (plan.md rule 4).
//!
//! A text is a template wherever data stands, whatever it looks like: a `{` that opens no reference is refused, since a
//! misspelt reference that silently stays text would check or send something else than its author reads.

use super::fields::{Writing, shown};
use crate::codes::Code;
use crate::document::{Key, Node, Value};
use crate::vars::{Malformed, Part, is_variable, parts};

/// Where a value stands: credentials may be read from the environment in a few places only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    /// Bodies in JSON, forms, parts, standard input: `{$env: NAME}` is a reference, under a name that is a secret's.
    Sent,
    /// Queries, arguments, expected data.
    Data,
    /// `auth`, `headers`, `env`: `{env: NAME}` is a reference.
    Credential,
}

/// What a text says as a template.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Template {
    /// No reference; the text with `{{` undone.
    Plain(String),
    /// One reference and nothing else.
    Alone(String),
    /// References inside longer text; the text as it was written.
    Mixed,
}

/// Reads a text as a template. The error is the part that begins with `{` and is no reference.
pub(super) fn template(text: &str) -> Result<Template, &str> {
    let parts = parts(text).map_err(|Malformed(part)| part)?;
    if let [Part::Hole(name)] = parts.as_slice() {
        return Ok(Template::Alone((*name).to_owned()));
    }
    let plain = parts.iter().map(|part| if let Part::Text(text) = part { Some(*text) } else { None });
    Ok(plain.collect::<Option<String>>().map_or(Template::Mixed, Template::Plain))
}

/// A text node as data: itself with `{{` undone, a variable, or a template.
pub(super) fn text(node: &Node, w: &mut Writing) -> Node {
    let Some(written) = node.as_text() else { return node.clone() };
    match template(written) {
        Ok(Template::Plain(plain)) => Node::text(plain, node.place),
        Ok(Template::Alone(name)) => Node::map(vec![("$var", Node::text(name, node.place))], node.place),
        Ok(Template::Mixed) => Node::map(vec![("$template", node.clone())], node.place),
        Err(part) => {
            malformed(node, part, w);
            node.clone()
        }
    }
}

/// Reports a `{` that opens no reference.
pub(super) fn malformed(node: &Node, part: &str, w: &mut Writing) {
    w.error(
        Code::ReferenceMalformed,
        node.place,
        format!("`{}` opens no reference", shown(part)),
        "write `{name}` for a variable, `{CASE.name}` for another case's, and `{{` for a literal `{`",
    );
}

/// A text where no value may be filled in, such as a file name. A reference there is refused.
pub(super) fn fixed(node: &Node, what: &str, w: &mut Writing) -> Node {
    if let Some(Ok(Template::Alone(_) | Template::Mixed)) = node.as_text().map(template) {
        w.error(
            Code::TemplateBreakout,
            node.place,
            format!("a reference stands in {what}, where no value of an answer may go"),
            "write it out",
        );
    }
    node.clone()
}

/// Any value as data: texts are templates at every depth, keys never are.
pub(super) fn data(node: &Node, spot: Spot, w: &mut Writing) -> Node {
    match &node.value {
        Value::Text(_) => text(node, w),
        Value::List(items) => {
            Node::new(Value::List(items.iter().map(|item| data(item, spot, w)).collect()), node.place)
        }
        Value::Map(pairs) => match pairs.as_slice() {
            [(key, value)] => {
                single(node, key, value, spot, w).unwrap_or_else(|| each(pairs, node, |value| data(value, spot, w)))
            }
            _ => each(pairs, node, |value| data(value, spot, w)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => node.clone(),
    }
}

/// A map whose values are data; the map itself is never a reference (`query`, `headers`, `form`, `env`).
pub(super) fn named(node: &Node, spot: Spot, w: &mut Writing) -> Node {
    match node.as_map() {
        Some(pairs) => each(pairs, node, |value| data(value, spot, w)),
        None => node.clone(),
    }
}

/// The same map with other values.
pub(super) fn each(pairs: &[(Key, Node)], node: &Node, mut change: impl FnMut(&Node) -> Node) -> Node {
    let pairs = pairs.iter().map(|(key, value)| (key.clone(), change(value))).collect();
    Node::new(Value::Map(pairs), node.place)
}

/// A map of one pair that is a reference, or was meant to be one.
pub(super) fn single(node: &Node, key: &Key, value: &Node, spot: Spot, w: &mut Writing) -> Option<Node> {
    match key.name.as_str() {
        "$var" | "$template" => Some(node.clone()),
        "$env" => {
            if spot == Spot::Data {
                misplaced(node, w);
            }
            Some(node.clone())
        }
        "env" if spot == Spot::Credential => Some(Node::map(vec![("$env", value.clone())], node.place)),
        "env" if value.as_text().is_some_and(is_env_name) => {
            misplaced(node, w);
            Some(node.clone())
        }
        name if is_variable(name) && is_unwritten(key, value) => Some(unquoted(node, key, w)),
        _ => None,
    }
}

/// Reports `{name}` without quotes, and reads it as it was meant.
pub(super) fn unquoted(node: &Node, key: &Key, w: &mut Writing) -> Node {
    let name = shown(&key.name);
    w.error(
        Code::ReferenceUnquoted,
        node.place,
        format!("`{{{name}}}` without quotes is a map with the key `{name}` and no value"),
        format!("write \"{{{name}}}\" for the variable; for a map with null write {{{name}: null}}"),
    );
    Node::map(vec![("$var", Node::text(key.name.to_string(), key.place))], node.place)
}

/// Whether a null stands where nothing was written, as in `{name}` or `name:`, and not as `null` or `~`.
fn is_unwritten(key: &Key, value: &Node) -> bool {
    matches!(value.value, Value::Null) && (value.place.end <= value.place.start || value.place.start < key.place.end)
}

/// Reports a reference to the environment where no credential belongs.
fn misplaced(node: &Node, w: &mut Writing) {
    w.error(
        Code::EnvReferenceMisplaced,
        node.place,
        "a reference to the environment stands in data",
        "use it in auth, headers and env; in what is sent write {$env: NAME} under a secret's name (password, token, …)",
    );
}

/// Names of environment variables as people write them; a lower-case `{env: staging}` is data.
fn is_env_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_uppercase() || b == b'_')
        && bytes.all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        let plain = |text: &str| Ok(Template::Plain(text.to_owned()));
        assert_eq!(template("a } b"), plain("a } b"));
        assert_eq!(template("{{name}"), plain("{name}"));
        assert_eq!(template("{{}"), plain("{}"));
        assert_eq!(template("{order}"), Ok(Template::Alone("order".into())));
        assert_eq!(template("{ORDER-001.order}"), Ok(Template::Alone("ORDER-001.order".into())));
        assert_eq!(template("{a.b.c}"), Ok(Template::Alone("a.b.c".into())));
        for mixed in ["id {order}", "{a}{b}", "{{{a}}}", "{{\"id\": \"{order}\"}", "{a} "] {
            assert_eq!(template(mixed), Ok(Template::Mixed), "{mixed}");
        }
        for bad in ["{", "{}", "{ order }", "{\"id\": 1}", "{na-me}", "{9a}", "{.a}", "{a.}", "{a b.c}", "ä{ö}"] {
            assert!(template(bad).is_err(), "{bad}");
        }
    }
}
