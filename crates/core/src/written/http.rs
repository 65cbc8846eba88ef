//! `http` steps.

use super::expect::{self, Out};
use super::fields::{Fields, Writing, shown};
use super::measure::{duration, size};
use super::reference::{Spot, data, each, fixed, malformed, named, template};
use super::step::{Built, COMMON, Verb};
use crate::codes::Code;
use crate::document::{Node, Value};
use crate::nearest::nearest;

const FIELDS: [&str; 20] = [
    "http",
    "query",
    "headers",
    "json",
    "form",
    "multipart",
    "body",
    "bodyFile",
    "auth",
    "timeout",
    "followRedirects",
    "cookies",
    "httpVersion",
    "tls",
    "proxy",
    "unixSocket",
    "decompress",
    "maxBody",
    "idempotent",
    "poll",
];

/// Fields of a part of a multipart body, beside references.
const PART: [&str; 4] = ["file", "filename", "value", "type"];

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Expands one.
pub(super) fn step(node: &Node, cleanup: bool, w: &mut Writing) -> Option<Built> {
    let allowed = [FIELDS.as_slice(), &["captureRequest"], COMMON.as_slice()].concat();
    let fields = Fields::of(node, "an http step", &allowed, w)?;
    let mut out = Out::new();
    let method = target(fields.get("http")?, &mut out, w)?;
    request(&fields, &mut out, w);
    transport(&fields, &mut out, w);
    let polls = fields.get("poll").is_some_and(|node| poll(node, &mut out, w));
    let twice = matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS")
        || (cleanup && matches!(method.as_str(), "PUT" | "DELETE"));
    let idempotent = fields.get("idempotent").cloned();
    out.push(("idempotent", idempotent.unwrap_or(Node::new(Value::Bool(twice), node.place))));
    if let Some(node) = fields.get("expect") {
        expect::http(node, &mut out, w);
    }
    if let Some(node) = fields.get("save") {
        expect::save(node, "extractJson", "extractText", true, &mut out, w);
    }
    let action = match (polls, cleanup, method.as_str()) {
        (_, true, "DELETE" | "POST" | "PUT" | "PATCH") => "cleanupApi",
        (true, ..) => "pollApi",
        (false, ..) => "api",
    };
    let sentence = fields.get("http").and_then(Node::as_text).unwrap_or_default().to_owned();
    Some(Built { action, verb: Verb::Http, sentence, fields: out })
}

/// `METHOD PATH-or-URL`. The method, if it can be read.
fn target(node: &Node, out: &mut Out, w: &mut Writing) -> Option<String> {
    let written = w.text(node, "`http`")?;
    let mut words = written.split_whitespace();
    let (Some(method), Some(target), None) = (words.next(), words.next(), words.next()) else {
        let message = format!("`{}` is not a method and one path or URL", shown(written));
        w.error(Code::UrlMalformed, node.place, message, "write as in `GET /api/orders`; a space inside is `%20`");
        return None;
    };
    if !METHODS.contains(&method) {
        let message = format!("`{}` is no method that a step can send", shown(method));
        let known = format!("known: {}", METHODS.join(", "));
        let help = nearest(method, METHODS).map_or(known.clone(), |name| format!("did you mean `{name}`? {known}"));
        w.error(Code::UrlMalformed, node.place, message, help);
        return None;
    }
    let scheme = target.split_once("://").map(|(scheme, _)| scheme);
    let url = match (target.starts_with('/'), scheme) {
        (true, _) => false,
        (false, Some("http" | "https")) => true,
        _ => {
            let message = format!("`{}` is neither a path nor an http or https URL", shown(target));
            let help = "begin with `/`, or with http:// or https://; no value may stand in scheme, host or port";
            w.error(Code::UrlMalformed, node.place, message, help);
            return None;
        }
    };
    if let Err(part) = template(target) {
        malformed(node, part, w);
    }
    let name = match (url, target.contains('{')) {
        (false, false) => "path",
        (false, true) => "pathTemplate",
        (true, false) => "url",
        (true, true) => "urlTemplate",
    };
    out.push(("method", Node::text(method, node.place)));
    out.push((name, Node::text(target, node.place)));
    Some(method.to_owned())
}

/// What is sent.
fn request(fields: &Fields, out: &mut Out, w: &mut Writing) {
    if let Some(node) = fields.get("query") {
        out.push(("query", named(node, Spot::Data, w)));
    }
    if let Some(node) = fields.get("headers") {
        out.push(("headers", named(node, Spot::Credential, w)));
    }
    if let Some(node) = fields.get("json") {
        out.push(("json", data(node, Spot::Sent, w)));
    }
    if let Some(node) = fields.get("form") {
        out.push(("form", named(node, Spot::Sent, w)));
    }
    if let Some(node) = fields.get("multipart") {
        out.push(("multipart", multipart(node, w)));
    }
    if let Some(node) = fields.get("body") {
        out.push(("body", expect::body(node, w)));
    }
    if let Some(node) = fields.get("bodyFile") {
        out.push(("bodyFile", fixed(node, "the name of a file", w)));
    }
    if let Some(node) = fields.get("auth") {
        out.extend(auth(node, w).map(|node| ("auth", node)));
    }
}

/// The parts of a body: values are data, names of files and types are fixed.
fn multipart(node: &Node, w: &mut Writing) -> Node {
    let Some(pairs) = node.as_map() else { return node.clone() };
    each(pairs, node, |value| match value.as_list() {
        Some(items) => Node::new(Value::List(items.iter().map(|item| part(item, w)).collect()), value.place),
        None => part(value, w),
    })
}

fn part(node: &Node, w: &mut Writing) -> Node {
    let pairs = node.as_map().filter(|pairs| pairs.iter().any(|(key, _)| PART.contains(&key.name.as_str())));
    let Some(pairs) = pairs else { return data(node, Spot::Sent, w) };
    let filled = pairs.iter().map(|(key, value)| {
        let value = if key.name == "value" { data(value, Spot::Sent, w) } else { fixed(value, "the part", w) };
        (key.clone(), value)
    });
    Node::new(Value::Map(filled.collect()), node.place)
}

/// A map where one field is a map of credentials (`auth` of a proxy, `key` of `tls`); the others are fixed.
fn with_credential(node: &Node, name: &str, what: &str, w: &mut Writing) -> Node {
    let Some(pairs) = node.as_map() else { return fixed(node, what, w) };
    let pairs = pairs.iter().map(|(key, value)| {
        let value = match value.as_map() {
            Some(_) if key.name == "auth" && name == "auth" => auth(value, w).unwrap_or_else(|| value.clone()),
            Some(_) if key.name == name => data(value, Spot::Credential, w),
            _ => fixed(value, what, w),
        };
        (key.clone(), value)
    });
    Node::new(Value::Map(pairs.collect()), node.place)
}

/// `{basic|bearer: {env: NAME}}`; a credential that is written out would be kept and signed.
fn auth(node: &Node, w: &mut Writing) -> Option<Node> {
    let fields = Fields::of(node, "`auth`", &["basic", "bearer"], w)?;
    for (name, value) in ["basic", "bearer"].into_iter().filter_map(|name| Some((name, fields.get(name)?))) {
        if value.as_text().is_some() {
            let help = format!("write `{name}: {{env: NAME}}` and set NAME where probity is started");
            w.error(Code::AuthLiteral, value.place, format!("`auth.{name}` is written out"), help);
            return None;
        }
    }
    Some(named(node, Spot::Credential, w))
}

/// How it is sent and how much is kept.
fn transport(fields: &Fields, out: &mut Out, w: &mut Writing) {
    for name in ["followRedirects", "cookies", "decompress", "httpVersion"] {
        out.extend(fields.get(name).map(|node| (name, node.clone())));
    }
    out.extend(fields.get("tls").map(|node| ("tls", with_credential(node, "key", "`tls`", w))));
    out.extend(fields.get("proxy").map(|node| ("proxy", with_credential(node, "auth", "the proxy", w))));
    out.extend(fields.get("unixSocket").map(|node| ("unixSocket", fixed(node, "the name of a socket", w))));
    out.extend(fields.get("maxBody").and_then(|node| size(node, "`maxBody`", w)).map(|node| ("maxBodyBytes", node)));
    out.extend(fields.get("captureRequest").map(|node| ("captureRequestBody", node.clone())));
}

/// `poll`; whether it can be read at all.
pub(super) fn poll(node: &Node, out: &mut Out, w: &mut Writing) -> bool {
    let Some(fields) = Fields::of(node, "`poll`", &["every", "for", "tries"], w) else { return false };
    for (name, seed) in [("every", "pollIntervalMs"), ("for", "pollTimeoutMs")] {
        let what = format!("`poll.{name}`");
        out.extend(fields.get(name).and_then(|node| duration(node, &what, w)).map(|node| (seed, node)));
    }
    out.extend(fields.get("tries").map(|node| ("maxAttempts", node.clone())));
    true
}
