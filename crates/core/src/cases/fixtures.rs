//! The declared write policy of a feature, and the fixtures that its cases start from (report-and-gate section 2.2).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::inert::shortened;
use crate::refuse::{Refusals, join, written};

use super::{entries, label};

static PREFIX: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[A-Za-z0-9_-]{3,}$").ok());
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[a-z0-9-]+$").ok());

fn matches(pattern: &Option<Regex>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Checks `mutation`, `fixtures` and the fixtures that cases name.
pub(super) fn writes_and_fixtures(node: &Node, refusals: &mut Refusals<'_>) {
    let policy = mutation(node, refusals);
    let declared = fixtures(node, policy, refusals);
    let mut used = BTreeSet::new();
    for (position, case) in entries(node).iter().enumerate() {
        let Some(fixture) = case.get("fixture") else { continue };
        let subject = join(&label(position, case), "fixture");
        match fixture.as_text() {
            Some(name) if declared.iter().any(|(known, _)| *known == name) => {
                used.insert(name);
            }
            Some(name) => {
                let message = format!("the fixture {} is not declared", shortened(name, 60));
                let help = "declare it under fixtures";
                refusals.refuse(Code::FixtureUndeclared, &subject, fixture.place, message, help);
            }
            None => {
                let message = format!("{} is no name of a fixture", written(fixture));
                refusals.refuse(Code::WrongType, &subject, fixture.place, message, "write the name as a text");
            }
        }
    }
    for (name, node) in declared.iter().filter(|(name, _)| !used.contains(name)) {
        let message = format!("no case names the fixture {name}");
        refusals.warn(Code::FixtureUnused, "fixtures", node.place, message, "remove it, or name it in a case");
    }
}

/// Checks the declared write policy; gives it if it is one.
fn mutation(node: &Node, refusals: &mut Refusals<'_>) -> Option<&'static str> {
    let block = node.get("mutation")?;
    if block.as_map().is_none() {
        refusals.not_a_map(block, "mutation");
        return None;
    }
    refusals.only(block, "mutation", &["policy", "prefix"]);
    let policy = refusals.must_word(block, "mutation", "policy", &["read-only", "scoped-write", "unrestricted"]);
    let prefix = block.get("prefix");
    let place = prefix.map_or(block.place, |prefix| prefix.place);
    if policy == Some("scoped-write") {
        if !prefix.and_then(Node::as_text).is_some_and(|text| matches(&PREFIX, text)) {
            let message = "scoped-write needs a prefix of at least three letters, digits, _ or -";
            let help = "write prefix: and the beginning of every name that runs create";
            refusals.refuse(Code::WriteScopeMalformed, "mutation.prefix", place, message, help);
        }
    } else if prefix.is_some() {
        let message = "only scoped-write has a prefix";
        let help = "remove the prefix, or write policy: scoped-write";
        refusals.refuse(Code::WriteScopeMalformed, "mutation.prefix", place, message, help);
    }
    policy
}

/// Checks the declared fixtures; gives those with a name, one declared twice as often as it is.
fn fixtures<'n>(node: &'n Node, policy: Option<&str>, refusals: &mut Refusals<'_>) -> Vec<(&'n str, &'n Node)> {
    let Some(list) = node.get("fixtures") else { return Vec::new() };
    let Some(items) = list.as_list() else {
        refusals.not_a_list(list, "fixtures", "fixtures");
        return Vec::new();
    };
    if policy == Some("read-only") && !items.is_empty() {
        let message = "a read-only feature sets nothing up";
        let help = "remove the fixtures, or declare scoped-write";
        refusals.refuse(Code::FixtureRefused, "fixtures", list.place, message, help);
    }
    let (mut names, mut declared) = (BTreeSet::new(), Vec::new());
    for (position, item) in items.iter().enumerate() {
        let path = format!("fixtures[{position}]");
        if item.as_map().is_none() {
            refusals.not_a_map(item, &path);
            continue;
        }
        let subject = join(&path, "name");
        let node = item.get("name");
        match node.and_then(Node::as_text).filter(|name| matches(&NAME, name)) {
            Some(name) => {
                if !names.insert(name) {
                    let place = node.map_or(item.place, |node| node.place);
                    let message = "two fixtures have one name";
                    refusals.refuse(Code::IdDuplicate, &subject, place, message, "rename one of them");
                }
                declared.push((name, item));
            }
            None => {
                let place = node.map_or(item.place, |node| node.place);
                let message = node.filter(|node| node.value != Value::Null).map_or_else(
                    || "the fixture has no name".to_owned(),
                    |node| format!("{} is no name of a fixture", written(node)),
                );
                let help = "write small letters, digits and -";
                refusals.refuse(Code::IdMalformed, &subject, place, message, help);
            }
        }
        refusals.must_word(item, &path, "teardown", &["keep", "delete"]);
    }
    declared
}
