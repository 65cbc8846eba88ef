//! `run` steps.

use super::expect::{self, Out};
use super::fields::{Fields, Writing, fold};
use super::reference::{Spot, data, fixed, named};
use super::step::{Built, COMMON, Verb};
use crate::document::{Node, Value};

const FIELDS: [&str; 7] = ["run", "stdin", "env", "cwd", "timeout", "shell", "idempotent"];

/// Expands one.
pub(super) fn step(node: &Node, w: &mut Writing) -> Option<Built> {
    let allowed = [FIELDS.as_slice(), COMMON.as_slice()].concat();
    let fields = Fields::of(node, "a run step", &allowed, w)?;
    let argv = fields.get("run")?;
    if argv.as_list().is_none_or(<[Node]>::is_empty) {
        w.wrong_type(argv, "`run`", "a list of the program and its arguments");
        return None;
    }
    let mut out: Out = vec![("command", data(argv, Spot::Data, w))];
    if let Some(node) = fields.get("cwd") {
        out.push(("cwd", fixed(node, "`cwd`", w)));
    }
    if let Some(node) = fields.get("env") {
        out.push(("env", named(node, Spot::Credential, w)));
    }
    if let Some(node) = fields.get("stdin") {
        out.push(("stdin", data(node, Spot::Sent, w)));
    }
    for name in ["shell", "idempotent"] {
        out.extend(fields.get(name).map(|node| (name, node.clone())));
    }
    if let Some(node) = fields.get("expect") {
        expect::run(node, &mut out, w);
    }
    if let Some(node) = fields.get("save") {
        expect::save(node, "extractStdoutJson", "extractStdoutText", false, &mut out, w);
    }
    Some(Built { action: "command", verb: Verb::Run, sentence: sentence(argv), fields: out })
}

/// The command as words, for the matrix.
fn sentence(argv: &Node) -> String {
    let word = |node: &Node| match &node.value {
        Value::Text(text) => fold(text),
        _ => node.to_json().to_string(),
    };
    let words: Vec<_> = argv.as_list().unwrap_or_default().iter().map(word).collect();
    format!("run {}", words.join(" "))
}
