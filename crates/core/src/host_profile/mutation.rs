//! `mutation`: what the write guard takes for a write. A misspelt key would leave the guard empty, so unknown ones are
//! refused.

use crate::codes::Code;
use crate::document::Node;
use crate::refuse::{Refusals, join, written};

const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "*"];

/// Whether the profile declares an environment of kind production.
pub(super) fn has_production(node: &Node) -> bool {
    let environments = node.get("environments").and_then(Node::as_map).unwrap_or_default();
    environments.iter().any(|(_, one)| one.get("kind").and_then(Node::as_text) == Some("production"))
}

/// Checks the block.
pub(super) fn mutation(node: &Node, refusals: &mut Refusals<'_>) {
    let production = has_production(node);
    let Some(block) = node.get("mutation") else {
        if production {
            let message = "a production environment needs the signatures of writes";
            let help = "list under mutation.write_signatures what writes";
            refusals.refuse(Code::MissingField, "mutation", node.place, message, help);
        }
        return;
    };
    if block.as_map().is_none() {
        refusals.not_a_map(block, "mutation");
        return;
    }
    refusals.only(block, "mutation", &["deny_controls", "write_signatures", "allow_signatures"]);
    if let Some(controls) = block.get("deny_controls") {
        deny_controls(controls, refusals);
    }
    for key in ["write_signatures", "allow_signatures"] {
        if let Some(list) = block.get(key) {
            signatures(list, &join("mutation", key), refusals);
        }
    }
    let writes = block.get("write_signatures");
    if production && writes.is_none_or(|list| list.as_list().is_some_and(<[_]>::is_empty)) {
        let place = writes.map_or(block.place, |list| list.place);
        let message = "a production environment needs at least one signature of a write";
        let help = "list what writes, as in {method: POST, url: \"^https://api\\\\.shop\\\\.example/\"}";
        refusals.refuse(Code::MissingField, "mutation.write_signatures", place, message, help);
    }
}

fn deny_controls(node: &Node, refusals: &mut Refusals<'_>) {
    let path = "mutation.deny_controls";
    if node.as_map().is_none() {
        refusals.not_a_map(node, path);
        return;
    }
    refusals.only(node, path, &["text", "icons"]);
    for key in ["text", "icons"] {
        let Some(list) = node.get(key) else { continue };
        let subject = join(path, key);
        let Some(items) = list.as_list() else {
            refusals.not_a_list(list, &subject, "texts");
            continue;
        };
        for (i, item) in items.iter().enumerate() {
            let subject = format!("{subject}[{i}]");
            if key == "text" {
                refusals.pattern(item, &subject, true, false);
            } else {
                refusals.text_at(item, &subject);
            }
        }
    }
}

fn signatures(list: &Node, path: &str, refusals: &mut Refusals<'_>) {
    let Some(items) = list.as_list() else {
        refusals.not_a_list(list, path, "signatures");
        return;
    };
    for (i, item) in items.iter().enumerate() {
        let path = format!("{path}[{i}]");
        if item.as_map().is_none() {
            refusals.not_a_map(item, &path);
            continue;
        }
        signature(item, &path, refusals);
    }
}

fn signature(item: &Node, path: &str, refusals: &mut Refusals<'_>) {
    refusals.only(item, path, &["method", "url", "body", "note"]);
    refusals.must_word(item, path, "method", &METHODS);
    match item.get("url") {
        Some(url) => refusals.pattern(url, &join(path, "url"), false, false),
        None => {
            let help = "write the pattern of the URL";
            refusals.refuse(Code::MissingField, &join(path, "url"), item.place, "url is missing", help);
        }
    }
    if let Some(body) = item.get("body") {
        refusals.pattern(body, &join(path, "body"), false, false);
    }
    if let Some(note) = item.get("note").filter(|note| note.as_text().is_none()) {
        let message = format!("{} is no text", written(note));
        refusals.refuse(Code::WrongType, &join(path, "note"), note.place, message, "write a text, or leave it out");
    }
}
