//! The sections that say how specs are written, run and reviewed.

use std::collections::BTreeSet;

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::refuse::{Refusals, join, written};

use super::mutation::has_production;

/// Oldest Playwright that keeps IndexedDB in its storage state.
const OLDEST_PLAYWRIGHT: [u64; 3] = [1, 51, 0];

/// Checks `auth`, `assertions`, `evidence`, `stabilization`, `selectors`, `models` and `sandbox`, in this order.
pub(super) fn sections(node: &Node, exists: &dyn Fn(&str) -> bool, refusals: &mut Refusals<'_>) {
    auth(node, refusals);
    assertions(node, refusals);
    evidence(node, refusals);
    stabilization(node, refusals);
    selectors(node, exists, refusals);
    models(node, refusals);
    if let Some(mode) = refusals.map(node, "", "sandbox").and_then(|sandbox| refusals.map(sandbox, "sandbox", "mode")) {
        refusals.text(mode, "sandbox.mode", "env_var");
        refusals.text(mode, "sandbox.mode", "value");
    }
}

fn auth(node: &Node, refusals: &mut Refusals<'_>) {
    let Some(auth) = refusals.map(node, "", "auth") else { return };
    refusals.must_word(auth, "auth", "model", &["dev-handoff", "role-accounts", "mixed"]);
    playwright_min(auth, refusals);
    let Some(storage) = refusals.map(auth, "auth", "storage_state") else { return };
    if storage.get("indexed_db").and_then(Node::as_bool) != Some(true) {
        let place = storage.get("indexed_db").map_or(storage.place, |node| node.place);
        let message = "sessions may live in IndexedDB, so it has to be kept";
        let subject = "auth.storage_state.indexed_db";
        refusals.refuse(Code::ValueOutOfRange, subject, place, message, "write indexed_db: true");
    }
    refusals.optional_text(storage, "auth.storage_state", "dir");
}

fn playwright_min(auth: &Node, refusals: &mut Refusals<'_>) {
    let subject = "auth.playwright_min";
    if let Some(Node { value: Value::Number(number), place }) = auth.get("playwright_min") {
        let message = "a version without quotes is a number, and 1.60 is then 1.6";
        refusals.refuse(Code::WrongType, subject, *place, message, format!("write \"{}\"", number.token()));
        return;
    }
    let Some(text) = refusals.text(auth, "auth", "playwright_min") else { return };
    let place = auth.get("playwright_min").map_or(auth.place, |node| node.place);
    let help = "write a version such as \"1.51.0\"";
    match version(text) {
        None => refusals.refuse(Code::ValueOutOfRange, subject, place, "this is no version", help),
        Some(version) if version < OLDEST_PLAYWRIGHT => {
            let message = "Playwright before 1.51.0 does not keep IndexedDB";
            refusals.refuse(Code::ValueOutOfRange, subject, place, message, help);
        }
        Some(_) => {}
    }
}

/// The numbers with which a text begins: two or three, with dots between.
fn version(text: &str) -> Option<[u64; 3]> {
    let mut parts = text.splitn(3, '.');
    let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>();
    let (major, minor, third) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
    let whole = digits(minor).len() == minor.len();
    let third = if whole { digits(third).parse().unwrap_or(0) } else { 0 };
    Some([major.parse().ok()?, digits(minor).parse().ok()?, third])
}

fn assertions(node: &Node, refusals: &mut Refusals<'_>) {
    let Some(block) = refusals.map(node, "", "assertions") else { return };
    let network = refusals.must_word(block, "assertions", "network_events", &["allowed", "forbidden"]);
    let style = refusals.must_word(block, "assertions", "style", &["ui-state", "mixed"]);
    if (network, style) == (Some("forbidden"), Some("mixed")) {
        let place = block.get("style").map_or(block.place, |node| node.place);
        let message = "network events are forbidden, so checks can only be of what the screen shows";
        refusals.refuse(Code::ValueOutOfRange, "assertions.style", place, message, "write style: ui-state");
    }
}

fn evidence(node: &Node, refusals: &mut Refusals<'_>) {
    let block = node.get("evidence").filter(|block| block.value != Value::Null);
    if let Some(block) = block {
        if block.as_map().is_none() {
            refusals.not_a_map(block, "evidence");
        }
        extra(block, refusals);
        capture(node, block, refusals);
    }
    let extra = block.and_then(|block| block.get("extra")).and_then(Node::as_list).unwrap_or_default();
    let network = node.get("assertions").and_then(|block| block.get("network_events")).and_then(Node::as_text);
    if network == Some("forbidden") && extra.is_empty() {
        let place = block.map_or(node.place, |block| block.place);
        let message = "network events are forbidden and no console log is kept, so a failure tells little";
        refusals.warn(Code::ProfileWeak, "evidence.extra", place, message, "write extra: [console_log]");
    }
}

fn extra(block: &Node, refusals: &mut Refusals<'_>) {
    let Some(list) = block.get("extra") else { return };
    let Some(items) = list.as_list() else {
        refusals.not_a_list(list, "evidence.extra", "words");
        return;
    };
    for item in items.iter().filter(|item| item.as_text() != Some("console_log")) {
        let message = format!("{} is not console_log", written(item));
        refusals.refuse(Code::ValueOutOfRange, "evidence.extra", item.place, message, "write console_log or nothing");
    }
}

fn capture(node: &Node, block: &Node, refusals: &mut Refusals<'_>) {
    let subject = "evidence.capture";
    let written = block.get("capture");
    let word = refusals.word(written, subject, &["always", "on-failure", "off"]);
    let (Some(word), Some(written)) = (word.filter(|word| *word != "always"), written) else { return };
    let message = match word {
        "off" => "nothing is captured, so no result can be proved",
        _ => "a pass is captured nowhere, so it cannot be proved",
    };
    refusals.warn(Code::ProfileWeak, subject, written.place, message, "write capture: always");
    if has_production(node) {
        let message = "runs against production keep evidence of every case";
        refusals.refuse(Code::NotForProduction, subject, written.place, message, "write capture: always");
    }
}

fn stabilization(node: &Node, refusals: &mut Refusals<'_>) {
    let Some(block) = node.get("stabilization").filter(|block| block.value != Value::Null) else { return };
    if block.as_map().is_none() {
        refusals.not_a_map(block, "stabilization");
        return;
    }
    refusals.only(block, "stabilization", &["env"]);
    let subject = "stabilization.env";
    let Some(name) = refusals.text(block, "stabilization", "env") else { return };
    let place = block.get("env").map_or(block.place, |node| node.place);
    let environment = node.get("environments").and_then(|all| all.get(name));
    match environment {
        None => {
            let message = "the environment is not declared";
            refusals.refuse(Code::EnvironmentUnknown, subject, place, message, "name one under environments");
        }
        Some(one) if one.get("kind").and_then(Node::as_text) == Some("production") => {
            let message = "specs are not made steady on production";
            refusals.refuse(Code::NotForProduction, subject, place, message, "name another environment");
        }
        Some(_) => {}
    }
}

fn selectors(node: &Node, exists: &dyn Fn(&str) -> bool, refusals: &mut Refusals<'_>) {
    let Some(block) = refusals.map(node, "", "selectors") else { return };
    refusals.text(block, "selectors", "testid_attribute");
    let Some(path) = refusals.optional_text(block, "selectors", "policy_doc") else { return };
    let file = path.split('#').next().unwrap_or_default();
    if !exists(file) {
        let place = block.get("policy_doc").map_or(block.place, |node| node.place);
        let message = format!("there is no file {}", crate::inert::shortened(file, 120));
        let help = "correct the path; it counts from the profile's folder";
        refusals.warn(Code::FileMissing, "selectors.policy_doc", place, message, help);
    }
}

fn models(node: &Node, refusals: &mut Refusals<'_>) {
    let subject = "models.generation_approved";
    let Some(block) = refusals.map(node, "", "models") else { return };
    let list = block.get("generation_approved");
    let texts = |items: &[Node]| items.iter().all(|item| item.as_text().is_some_and(|text| !text.trim().is_empty()));
    if !list.and_then(Node::as_list).is_some_and(|items| !items.is_empty() && texts(items)) {
        let place = list.map_or(block.place, |list| list.place);
        let help = "list the models whose cases are taken";
        refusals.refuse(Code::MissingField, subject, place, "no model is approved, or one has no name", help);
    }
}

/// Checks `context`: what else a reviewer or an agent should read.
pub(super) fn context(node: &Node, refusals: &mut Refusals<'_>) {
    let Some(block) = node.get("context").filter(|block| block.value != Value::Null) else { return };
    if block.as_map().is_none() {
        refusals.not_a_map(block, "context");
        return;
    }
    refusals.only(block, "context", &["sources"]);
    let Some(items) = block.get("sources").and_then(Node::as_list).filter(|items| !items.is_empty()) else {
        let place = block.get("sources").map_or(block.place, |node| node.place);
        let help = "list at least one source, or remove context";
        refusals.refuse(Code::MissingField, "context.sources", place, "there is no list of sources", help);
        return;
    };
    let mut names = BTreeSet::new();
    for (i, item) in items.iter().enumerate() {
        let path = format!("context.sources[{i}]");
        if item.as_map().is_none() {
            refusals.not_a_map(item, &path);
            continue;
        }
        source(item, &path, &mut names, refusals);
    }
}

fn source<'n>(item: &'n Node, path: &str, names: &mut BTreeSet<&'n str>, refusals: &mut Refusals<'_>) {
    refusals.only(item, path, &["name", "description", "command", "path"]);
    if let Some(name) = refusals.text(item, path, "name")
        && !names.insert(name)
    {
        let place = item.get("name").map_or(item.place, |node| node.place);
        let subject = join(path, "name");
        refusals.refuse(Code::IdDuplicate, &subject, place, "two sources have one name", "rename one of them");
    }
    refusals.text(item, path, "description");
    if item.get("command").is_some() == item.get("path").is_some() {
        let message = "a source has exactly one of command and path";
        refusals.refuse(Code::ValueOutOfRange, path, item.place, message, "write one of the two");
    }
    refusals.optional_text(item, path, "command");
    if let Some(file) = refusals.optional_text(item, path, "path")
        && file.split('/').rfind(|part| !part.trim().is_empty()).is_some_and(|last| last.trim().starts_with(".env"))
    {
        let place = item.get("path").map_or(item.place, |node| node.place);
        let message = "files whose names begin with .env hold credentials";
        refusals.refuse(Code::SecretLiteral, &join(path, "path"), place, message, "name another file");
    }
}
