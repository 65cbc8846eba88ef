//! What people write: documents, plans, settings.

use probity_core::allow::FileFact;
use probity_core::checked::{Ask, CheckedPlan, Given, check};
use probity_core::diagnostic::{Diagnostic, Diagnostics};
use probity_core::document::{Node, Value};
use probity_core::inert::is_unsafe;
use probity_formats::document::read;
use probity_formats::draw::{Style, draw};

pub(crate) const YAML: &[&str] = &[
    "- ",
    ": ",
    "\n  ",
    "\n",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "!!str ",
    "!x ",
    "|\n  ",
    ">-\n  ",
    "\"",
    "'",
    "# ",
    "? ",
    "---\n",
    "...\n",
    "<<: *a",
    "%YAML 1.2\n",
    "\t",
    "\r\n",
    "\u{feff}",
    "~",
    "0o17",
    "1e3",
    ".inf",
    "\\u00e9",
    "{name}",
    "@",
];
pub(crate) const JSON: &[&str] = &[
    "{\"a\":",
    "[",
    "]",
    "}",
    ",",
    ":",
    "null",
    "true",
    "-0",
    "1e400",
    "0.1E-7",
    "18446744073709551617",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\\\"",
    "\u{e9}",
    "\u{1f600}",
    "\n",
    "\t",
    "\"$var\"",
    "[[[[[[[[",
    "//",
    "'",
];
pub(crate) const PLAN: &[&str] = &[
    "schemaVersion: 2\n",
    "requirement:\n",
    "  criteria:\n",
    "cases:\n",
    "- http: GET /",
    "- run: [sh, a.sh]\n",
    "expect: ",
    "{status: 200}",
    "json: {",
    "poll: {every: 50ms, for: 1s}",
    "save: {a: id}",
    "{a}",
    "{OTHER.a}",
    "{{",
    "uses: [",
    "covers: [",
    "shows: ",
    "persistence",
    "absence: {of: a}",
    "terminal: {path: a, values: [b]}",
    "{env: X}",
    "$..[*]",
    "matches: \"(a|b)*\"",
    "anyOf: [",
    "not: ",
    "all: ",
    "count: {gt: 1}",
    "cleanup:\n",
    "vars: {a: ",
    "outOfScope: [{text: a, why: b}]",
    "multipart: {",
    "action: api\n",
    "5s",
    "1KiB",
    "mutation: {policy: scoped-write, prefix: a}",
    "notClaimed: [",
    "about: status",
    "\u{202e}",
];
pub(crate) const SEED: &[&str] = &[
    "\n=====\n",
    "{\"schemaVersion\":2,",
    "\"scenarios\":[",
    "\"requirements\":[",
    "\"tests\":[",
    "\"steps\":[",
    "{\"action\":\"api\",\"path\":\"/\"",
    "\"expectJson\":{",
    "\"op\":\"gte\",\"value\":0",
    "\"includes\":",
    "\"$var\":\"a\"",
    "{\"env\":\"X\"}",
    "\"extractJson\":{",
    "\"source_span\":[0,4]",
    "\"testIds\":[",
    "\"obligations\":[",
    "- R-1: must be so\n",
    "## Out of scope\n",
    "\"expectStatusAny\":[",
    "\"pollTimeoutMs\":1",
];
pub(crate) const SETTINGS: &[&str] = &[
    "version: 1\n",
    "environments:\n",
    "  local: {kind: local, url: \"http://a.test\"}\n",
    "origins: [",
    "identity: {http: GET /v, json: a}",
    "regex: \"(a)\"",
    "commands: {allow: [{program: a, args: [\"*.py\"], reads: true}]}",
    "limits: {time: 1m}",
    "mutation: {signatures: [",
    "services:\n",
    "- {id: a, start: [b], ready: /h, port: 1, timeout: 1s}",
    "tls: {insecure: true}",
    "x_a: ",
    "default_environment: ",
    "18446744073709551616",
];

/// YAML, as people write it. What was read is written as JSON and read again.
pub(crate) fn yaml(bytes: &[u8]) {
    document("a.yaml", bytes);
}

/// The same for JSON.
pub(crate) fn json(bytes: &[u8]) {
    document("a.json", bytes);
}

fn document(name: &str, bytes: &[u8]) {
    match read(name, bytes) {
        Ok(node) => {
            within(&node, bytes.len());
            let json = node.to_json();
            let written = json.pretty();
            let again = read("again.json", written.as_bytes());
            // What anchors multiplied may be too much for a document without them, but is never another value.
            if let Ok(again) = again {
                assert_eq!(again.to_json(), json, "{written}");
            } else {
                assert!(written.len() > bytes.len(), "a document that was read cannot be written: {again:?}");
            }
        }
        Err(found) => told(&found, bytes.len()),
    }
}

/// Every node lies in the document.
fn within(node: &Node, length: usize) {
    assert!(node.place.start <= node.place.end && node.place.bytes().end <= length, "{:?} of {length}", node.place);
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| within(item, length)),
        Value::Map(pairs) => pairs.iter().for_each(|(key, item)| {
            assert!(
                key.place.start <= key.place.end && key.place.bytes().end <= length && key.place.line > 0,
                "{:?}",
                key.place
            );
            within(item, length);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
    }
}

/// Nothing is refused without a word, each word has its place, and all of them are little.
pub(super) fn told(found: &[Diagnostic], length: usize) {
    assert!(!found.is_empty(), "refused without a word");
    let size: usize = found.iter().map(|d| d.message.len() + d.help.as_ref().map_or(0, String::len)).sum();
    assert!(size <= (64 << 10) + 40 * length, "{size} bytes of messages about {length}");
    for diagnostic in found {
        let place = diagnostic.place.unwrap_or_else(|| panic!("without a place: {diagnostic:?}"));
        assert!(place.start <= place.end, "{diagnostic:?}");
        assert!(diagnostic.help.is_some(), "without help: {diagnostic:?}");
        assert!(diagnostic.message.len() < 4096, "{diagnostic:?}");
    }
    let drawn = draw(found, &|_| None, Style { color: false, ascii: true, width: 80 });
    assert!(!drawn.chars().any(|c| !matches!(c, '\n' | '\t') && is_unsafe(c)), "{drawn:?}");
}

fn checked(given: Given<'_>, profile: Option<(&str, &[u8])>) -> Result<CheckedPlan, Vec<Diagnostic>> {
    let facts = |name: &str| match name.len() % 3 {
        0 => FileFact::Inside,
        1 => FileFact::Missing,
        _ => FileFact::Outside,
    };
    check(&Ask { given, profile, environment: None, files: &facts, parse: &read })
}

/// A plan in the written form, through the whole check. Its expansion can be checked in its turn, to the same plan.
pub(crate) fn plan_written(bytes: &[u8]) {
    match checked(Given::Written("a.probity.yaml", bytes), None) {
        Ok(plan) => {
            expanded(&plan);
            if let Ok(again) = checked(Given::Written("a.probity.yaml", bytes), None) {
                assert_eq!(
                    (again.plan_text(), again.findings()),
                    (plan.plan_text(), plan.findings()),
                    "not the same twice"
                );
            }
            let parts = [plan.requirement(), plan.matrix_text(), plan.plan_text()].map(str::as_bytes);
            let given = Given::Seed { folder: "", requirement: parts[0], matrix: parts[1], plan: parts[2] };
            match checked(given, None) {
                Ok(seed) => assert_eq!((seed.plan_text(), seed.matrix_text()), (plan.plan_text(), plan.matrix_text())),
                Err(found) => panic!("the expansion cannot be read: {found:?}\n{}", plan.plan_text()),
            }
        }
        Err(found) => told(&found, bytes.len()),
    }
}

/// The three files of the seed form, with a line of five equal signs between them.
pub(crate) fn plan_seed(bytes: &[u8]) {
    let mut rest = bytes;
    let mut part = || {
        const BORDER: &[u8] = b"\n=====\n";
        let at = rest.windows(BORDER.len()).position(|window| window == BORDER);
        let (part, after) = at.map_or((rest, &[][..]), |at| (&rest[..at], &rest[at + BORDER.len()..]));
        rest = after;
        part
    };
    let (requirement, matrix, plan) = (part(), part(), part());
    match checked(Given::Seed { folder: "a/", requirement, matrix, plan }, None) {
        Ok(plan) => expanded(&plan),
        Err(found) => told(&found, bytes.len()),
    }
}

/// What a plan that can be read comes to.
fn expanded(plan: &CheckedPlan) {
    for text in [plan.matrix_text(), plan.plan_text()] {
        read("part.json", text.as_bytes()).expect("what is sealed can be read");
    }
    let lines = plan.findings().iter().filter(|finding| finding.message.is_empty()).count();
    assert_eq!(lines, 0, "a finding without a word");
}

/// probity.yaml, alone and beside a plan that is sound.
pub(crate) fn settings(bytes: &[u8]) {
    const PLAN: &[u8] = b"schemaVersion: 2\nrequirement: {title: t, criteria: [{id: C-1, needs: api, text: It answers 1.}]}\nenvironment: local\ncases: [{id: K-1, title: t, covers: [C-1], steps: [{http: GET /a, expect: {status: 200, json: {a: 1}}}]}]\n";
    let node = match read("probity.yaml", bytes) {
        Ok(node) => node,
        Err(found) => return told(&found, bytes.len()),
    };
    let mut diags = Diagnostics::about("probity.yaml");
    let profile = probity_core::settings::profile(&node, &mut diags);
    let errors = diags.has_errors();
    assert!(profile.is_some() || errors, "refused without a word");
    if errors {
        told(&diags.into_sorted(), bytes.len());
    }
    if let Err(found) = checked(Given::Written("a.probity.yaml", PLAN), Some(("probity.yaml", bytes))) {
        told(&found, bytes.len() + PLAN.len());
    }
}
