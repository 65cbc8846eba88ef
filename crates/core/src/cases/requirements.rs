//! `requirements` and `covers`: which criterion each case covers (report-and-gate section 2.3).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::inert::shortened;
use crate::refuse::{Refusals, join, written};

use super::{entries, label};

/// Longest id of a requirement, in characters.
const LONGEST_ID: usize = 64;

static ID: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[A-Za-z0-9][A-Za-z0-9._-]*$").ok());

/// The block as far as it can be used.
struct Declared<'n> {
    /// Pairs of ids in the order of their declaration, with where the criterion stands.
    criteria: Vec<(&'n str, &'n str, &'n Node)>,
    /// Whether it is a list that holds something.
    listed: bool,
}

/// Checks the requirements, and what cases say that they cover.
pub(super) fn requirements(node: &Node, refusals: &mut Refusals<'_>) {
    let block = node.get("requirements");
    let declared = block.map(|block| declared(block, refusals));
    let clean = refusals.errors_under("requirements") == 0;
    let mut covered = BTreeSet::new();
    for (position, case) in entries(node).iter().enumerate() {
        if let Some(list) = case.get("covers") {
            covers(list, &join(&label(position, case), "covers"), declared.as_ref(), &mut covered, refusals);
        }
    }
    let Some(declared) = declared.filter(|_| clean) else { return };
    for (requirement, criterion, node) in declared.criteria {
        let name = format!("{requirement}/{criterion}");
        if !covered.contains(name.as_str()) {
            let message = format!("the criterion {name} is covered by no case");
            let help = format!("write covers: [{name}] in the case that shows it");
            refusals.warn(Code::CriterionUncovered, &name, node.place, message, help);
        }
    }
}

fn declared<'n>(block: &'n Node, refusals: &mut Refusals<'_>) -> Declared<'n> {
    let mut declared = Declared { criteria: Vec::new(), listed: false };
    let Some(items) = block.as_list().filter(|items| !items.is_empty()) else {
        let message = "this is no list of requirements, or an empty one";
        let help = "list maps of id, title and criteria, or remove the key";
        refusals.refuse(Code::WrongType, "requirements", block.place, message, help);
        return declared;
    };
    declared.listed = true;
    let mut ids = BTreeSet::new();
    for (i, item) in items.iter().enumerate() {
        let path = format!("requirements[{i}]");
        if item.as_map().is_none() {
            refusals.not_a_map(item, &path);
            continue;
        }
        refusals.only(item, &path, &["id", "title", "criteria"]);
        let id = id(item, &path, Some(LONGEST_ID), &mut ids, refusals);
        refusals.text(item, &path, "title");
        let criteria = item.get("criteria");
        let Some(list) = criteria.and_then(Node::as_list).filter(|list| !list.is_empty()) else {
            let place = criteria.map_or(item.place, |node| node.place);
            let message = "the requirement has no criterion";
            refusals.refuse(Code::MissingField, &join(&path, "criteria"), place, message, "write at least one");
            continue;
        };
        for (criterion, node) in self::criteria(list, &path, refusals) {
            declared.criteria.extend(id.map(|id| (id, criterion, node)));
        }
    }
    declared
}

fn criteria<'n>(list: &'n [Node], path: &str, refusals: &mut Refusals<'_>) -> Vec<(&'n str, &'n Node)> {
    let (mut ids, mut found) = (BTreeSet::new(), Vec::new());
    for (j, item) in list.iter().enumerate() {
        let path = format!("{path}.criteria[{j}]");
        if item.as_map().is_none() {
            refusals.not_a_map(item, &path);
            continue;
        }
        refusals.only(item, &path, &["id", "text"]);
        found.extend(id(item, &path, None, &mut ids, refusals).map(|id| (id, item)));
        refusals.text(item, &path, "text");
    }
    found
}

/// The id of a requirement or criterion: one refusal at most. A repeated one is refused and still resolves.
fn id<'n>(
    item: &'n Node,
    path: &str,
    longest: Option<usize>,
    ids: &mut BTreeSet<&'n str>,
    refusals: &mut Refusals<'_>,
) -> Option<&'n str> {
    let subject = join(path, "id");
    let node = item.get("id").filter(|node| node.value != Value::Null);
    let Some(node) = node else {
        refusals.refuse(Code::MissingField, &subject, item.place, "the id is missing", "write id: and a text");
        return None;
    };
    let Some(id) = node.as_text() else {
        let help = match &node.value {
            Value::Number(number) => format!("quote it: \"{}\"; 1.10 without quotes is 1.1", number.token()),
            _ => "write a text".to_owned(),
        };
        refusals.refuse(Code::WrongType, &subject, node.place, format!("{} is no text", written(node)), help);
        return None;
    };
    if !ID.as_ref().is_some_and(|pattern| pattern.is_match(id)) {
        let message = format!("{} is no id", written(node));
        let help = "use letters, digits, dot, underscore and hyphen, and begin with a letter or digit";
        refusals.refuse(Code::IdMalformed, &subject, node.place, message, help);
        return None;
    }
    if longest.is_some_and(|longest| id.chars().count() > longest) {
        let message = format!("the id has more than {LONGEST_ID} characters");
        refusals.refuse(Code::IdMalformed, &subject, node.place, message, "write a shorter one");
        return None;
    }
    if !ids.insert(id) {
        let message = format!("the id {} is declared twice", shortened(id, 64));
        refusals.refuse(Code::IdDuplicate, &subject, node.place, message, "rename one of them");
    }
    Some(id)
}

fn covers<'n>(
    list: &'n Node,
    subject: &str,
    declared: Option<&Declared<'_>>,
    covered: &mut BTreeSet<&'n str>,
    refusals: &mut Refusals<'_>,
) {
    let items = list.as_list();
    if !items.is_some_and(|items| items.iter().all(|item| item.as_text().is_some())) {
        let help = "write a list such as [CART-1/total]";
        refusals.refuse(Code::CoversMalformed, subject, list.place, "this is no list of texts", help);
    }
    let Some(declared) = declared else {
        let message = "the case covers criteria, and the file declares no requirements";
        refusals.refuse(Code::CoversUndeclared, subject, list.place, message, "declare them under requirements");
        return;
    };
    for item in items.unwrap_or_default() {
        let Some(text) = item.as_text() else { continue };
        let parts = text.split_once('/').filter(|(_, criterion)| !criterion.contains('/'));
        let well = |part: &str| ID.as_ref().is_some_and(|pattern| pattern.is_match(part));
        match parts.filter(|(requirement, criterion)| well(requirement) && well(criterion)) {
            None => {
                let message = format!("{} is not REQUIREMENT/CRITERION", written(item));
                let help = "write both ids with a slash between";
                refusals.refuse(Code::CoversMalformed, subject, item.place, message, help);
            }
            Some((requirement, criterion)) => {
                if declared.listed && !declared.criteria.iter().any(|(r, c, _)| (*r, *c) == (requirement, criterion)) {
                    let message = format!("{} names no declared criterion", written(item));
                    let help = "declare it under requirements, or correct the reference";
                    refusals.refuse(Code::CoversUndeclared, subject, item.place, message, help);
                }
                covered.insert(text);
            }
        }
    }
}
