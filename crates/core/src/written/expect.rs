//! What a step expects and saves: written names become the seed form's names, texts become references.

use super::fields::{Fields, Writing};
use super::measure::{duration, size};
use super::reference::{Spot, data, each, fixed, single, text, unquoted};
use crate::document::{Node, Value};

/// Fields of the seed form while they are gathered, in order.
pub(super) type Out = Vec<(&'static str, Node)>;

/// Operators of an expectation (plan.md, OPS).
const OPERATORS: [&str; 22] = [
    "equals",
    "oneOf",
    "not",
    "anyOf",
    "type",
    "contains",
    "notContains",
    "startsWith",
    "endsWith",
    "matches",
    "gt",
    "gte",
    "lt",
    "lte",
    "length",
    "schema",
    "exists",
    "missing",
    "notNull",
    "any",
    "all",
    "count",
];

const HTTP: [&str; 11] =
    ["status", "headers", "json", "jsonAny", "text", "notText", "size", "time", "redirect", "httpVersion", "schema"];
const RUN: [&str; 8] = ["exit", "json", "jsonAny", "text", "notText", "stderr", "schema", "time"];

/// An expectation over one value. Patterns, type names and files stay as they are; what is no operator too, so that
/// the decoder can say so.
pub(super) fn expectation(node: &Node, w: &mut Writing) -> Node {
    let Some(pairs) = node.as_map() else { return data(node, Spot::Data, w) };
    if let [(key, value)] = pairs {
        let operator = is_operator(&key.name);
        if !operator && matches!(value.value, Value::Null) && crate::vars::is_variable(&key.name) {
            return unquoted(node, key, w);
        }
        if !operator && let Some(reference) = single(node, key, value, Spot::Data, w) {
            return reference;
        }
    }
    let pairs = pairs.iter().map(|(key, value)| (key.clone(), operand(&key.name, value, w))).collect();
    Node::new(Value::Map(pairs), node.place)
}

fn is_operator(name: &str) -> bool {
    OPERATORS.contains(&name)
}

fn operand(operator: &str, value: &Node, w: &mut Writing) -> Node {
    match operator {
        "matches" | "type" | "exists" | "missing" | "notNull" => value.clone(),
        "schema" => fixed(value, "the name of a schema file", w),
        "not" | "any" | "all" => expectation(value, w),
        "anyOf" => items(value, |item| expectation(item, w)),
        name if is_operator(name) => data(value, Spot::Data, w),
        _ => value.clone(),
    }
}

fn items(node: &Node, change: impl FnMut(&Node) -> Node) -> Node {
    match node.as_list() {
        Some(list) => Node::new(Value::List(list.iter().map(change).collect()), node.place),
        None => node.clone(),
    }
}

/// `{PATH: E}` or `{NAME: E}`: keys stay, values are expectations.
fn paths(node: &Node, w: &mut Writing) -> Node {
    match node.as_map() {
        Some(pairs) => each(pairs, node, |value| expectation(value, w)),
        None => node.clone(),
    }
}

/// Names that the seed form gives to checks over one channel.
struct Channel {
    json: &'static str,
    any: &'static str,
    contains: &'static str,
    not_contains: &'static str,
    text: &'static str,
    schema: &'static str,
}

const BODY: Channel = Channel {
    json: "expectJson",
    any: "expectJsonAny",
    contains: "expectResponseTextContains",
    not_contains: "expectResponseTextNotContains",
    text: "expectResponseText",
    schema: "expectSchema",
};
const STDOUT: Channel = Channel {
    json: "expectStdoutJson",
    any: "expectStdoutJsonAny",
    contains: "expectStdoutContains",
    not_contains: "expectStdoutNotContains",
    text: "expectStdoutText",
    schema: "expectStdoutSchema",
};
const STDERR: Channel = Channel {
    json: "expectStderrJson",
    contains: "expectStderrContains",
    not_contains: "expectStderrNotContains",
    text: "expectStderrText",
    ..STDOUT
};
const LOG: Channel =
    Channel { contains: "expectLogContains", not_contains: "expectLogNotContains", text: "expectLogText", ..BODY };
const REQUEST: Channel = Channel {
    json: "expectRequestJson",
    contains: "expectRequestTextContains",
    not_contains: "expectRequestTextNotContains",
    text: "expectRequestText",
    ..BODY
};

/// The checks that both verbs have over the channel of their answer.
fn channel(fields: &Fields, names: &Channel, out: &mut Out, w: &mut Writing) {
    if let Some(node) = fields.get("json") {
        out.push((names.json, paths(node, w)));
    }
    if let Some(node) = fields.get("jsonAny") {
        out.push((names.any, items(node, |alternative| paths(alternative, w))));
    }
    if let Some(node) = fields.get("text") {
        let expected = expectation(node, w);
        let whole = expected.as_map().is_some_and(|pairs| !is_reference(pairs));
        out.push((if whole { names.text } else { names.contains }, expected));
    }
    if let Some(node) = fields.get("notText") {
        out.push((names.not_contains, data(node, Spot::Data, w)));
    }
    if let Some(node) = fields.get("schema") {
        out.push((names.schema, fixed(node, "the name of a schema file", w)));
    }
}

fn is_reference(pairs: &[(crate::document::Key, Node)]) -> bool {
    matches!(pairs, [(key, _)] if matches!(key.name.as_str(), "$var" | "$template" | "$env"))
}

/// A check over the answer's time.
fn time(fields: &Fields, out: &mut Out, w: &mut Writing) {
    if let Some(ms) = fields.get("time").and_then(|node| duration(node, "`time`", w)) {
        out.push(("expectTimeMs", ms));
    }
}

/// `json`, `text`, `notText` of `stderr` or `request`.
fn inner(fields: &Fields, name: &str, names: &Channel, out: &mut Out, w: &mut Writing) {
    let what = format!("`{name}` in expect");
    if let Some(node) = fields.get(name)
        && let Some(fields) = Fields::of(node, &what, &["json", "text", "notText"], w)
    {
        channel(&fields, names, out, w);
    }
}

/// `expect` of an http step.
pub(super) fn http(node: &Node, out: &mut Out, w: &mut Writing) {
    let allowed = [HTTP.as_slice(), &["request"]].concat();
    let Some(fields) = Fields::of(node, "expect of an http step", &allowed, w) else { return };
    if let Some(node) = fields.get("status") {
        let name = if node.as_list().is_some() { "expectStatusAny" } else { "expectStatus" };
        out.push((name, data(node, Spot::Data, w)));
    }
    if let Some(node) = fields.get("headers") {
        out.push(("expectResponseHeaders", paths(node, w)));
    }
    channel(&fields, &BODY, out, w);
    if let Some(node) = fields.get("size") {
        out.extend(sizes(node, w).map(|node| ("expectSize", node)));
    }
    time(&fields, out, w);
    if let Some(node) = fields.get("redirect") {
        out.push(("expectRedirect", data(node, Spot::Data, w)));
    }
    if let Some(node) = fields.get("httpVersion") {
        out.push(("expectHttpVersion", node.clone()));
    }
    inner(&fields, "request", &REQUEST, out, w);
}

/// `expect` of a run step.
pub(super) fn run(node: &Node, out: &mut Out, w: &mut Writing) {
    let Some(fields) = Fields::of(node, "expect of a run step", &RUN, w) else { return };
    if let Some(node) = fields.get("exit") {
        out.push(("expectExitCode", data(node, Spot::Data, w)));
    }
    channel(&fields, &STDOUT, out, w);
    inner(&fields, "stderr", &STDERR, out, w);
    time(&fields, out, w);
}

/// `expect` of a log step.
pub(super) fn log(node: &Node, out: &mut Out, w: &mut Writing) {
    if let Some(fields) = Fields::of(node, "expect of a log step", &["text", "notText"], w) {
        channel(&fields, &LOG, out, w);
    }
}

/// A size, or bounds of one.
fn sizes(node: &Node, w: &mut Writing) -> Option<Node> {
    if node.as_map().is_none() {
        return size(node, "`size`", w);
    }
    let bounds = ["gt", "gte", "lt", "lte"];
    let fields = Fields::of(node, "`size` in expect", &bounds, w)?;
    let mut out = Out::new();
    for name in bounds {
        out.extend(fields.get(name).and_then(|node| size(node, "`size`", w)).map(|bytes| (name, bytes)));
    }
    Some(Node::map(out, node.place))
}

/// `save`: paths, headers and patterns stand apart in the seed form. `json` and `group` name where paths and patterns
/// go; commands have no headers.
pub(super) fn save(
    node: &Node,
    json: &'static str,
    group: &'static str,
    headers: bool,
    out: &mut Out,
    w: &mut Writing,
) {
    let Some(pairs) = node.as_map() else { return w.wrong_type(node, "`save`", "a map of names to paths") };
    let names: &[&str] = if headers { &["header", "text"] } else { &["text"] };
    let (mut from_json, mut from_header, mut from_text) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in pairs {
        if value.as_map().is_none() {
            from_json.push((key.clone(), value.clone()));
            continue;
        }
        let what = format!("`save.{}`", super::fields::shown(&key.name));
        let Some(fields) = Fields::of(value, &what, names, w) else { continue };
        match (fields.get("header").filter(|_| headers), fields.get("text")) {
            (Some(header), None) => from_header.push((key.clone(), header.clone())),
            (None, Some(pattern)) => from_text.push((key.clone(), pattern.clone())),
            _ => w.wrong_type(value, &what, &format!("a path, or a map with one of: {}", names.join(", "))),
        }
    }
    let groups = [(json, from_json), ("extractResponseHeader", from_header), (group, from_text)];
    for (name, pairs) in groups.into_iter().filter(|(_, pairs)| !pairs.is_empty()) {
        out.push((name, Node::new(Value::Map(pairs), node.place)));
    }
}

/// A body that is text: a template like any other text.
pub(super) fn body(node: &Node, w: &mut Writing) -> Node {
    if node.as_text().is_some() { text(node, w) } else { data(node, Spot::Data, w) }
}
